"""Takes each script of cases/ through record, reduce and verify on the simulated device; what has to come out, and the mend, are in cases/expect.tsv."""
import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
MOST_CALLS = 2
MOST_ELEMENTS = 8


class Failed(Exception):
    """A case did not go as it should; the text says what was wanted and what came."""


def parse_arguments():
    parser = argparse.ArgumentParser(prog="tests/third_party/run", description=__doc__)
    parser.add_argument("--only", default="", metavar="REGEX", help="only the cases whose names match")
    parser.add_argument("--keep", metavar="DIR", help="leave traces and reduced programs in this folder")
    parser.add_argument("--time", type=float, default=300, metavar="SECONDS", help="for one command (default: %(default)g)")
    return parser.parse_args()


def read_cases():
    with open(os.path.join(HERE, "cases", "expect.tsv"), newline="") as file:
        cases = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    listed = sorted(case["case"] for case in cases)
    present = sorted(name[:-len(".py")] for name in os.listdir(os.path.join(HERE, "cases")) if name.endswith(".py"))
    if listed != present:
        sys.exit(f"tests/third_party/run: expect.tsv and the scripts of cases/ differ in {sorted(set(listed) ^ set(present))}")
    return cases


def want(holds, what, ran=None):
    if not holds:
        tail = "" if ran is None else "\n" + "\n".join((ran.stdout + ran.stderr).splitlines()[-12:])
        raise Failed(what + tail)


class CaseRun:
    def __init__(self, case, folder, seconds):
        self.case, self.folder, self.seconds = case, folder, seconds
        self.script = os.path.join(HERE, "cases", case["case"] + ".py")

    def minrepro(self, *arguments):
        try:
            return subprocess.run(["build/minrepro", *arguments], capture_output=True, text=True, timeout=self.seconds)
        except subprocess.TimeoutExpired:
            raise Failed(f"minrepro {arguments[0]} did not end within {self.seconds:g} s")

    def record(self, name, script):
        trace = os.path.join(self.folder, name + ".trace")
        return trace, self.minrepro("record", "--simulate", "-o", trace, "--", sys.executable, script)

    def broken(self):
        """Records, reduces and verifies the script; returns what reduce reports."""
        name = self.case["case"]
        trace, ran = self.record(name, self.script)
        want(ran.returncode == 1, f"record: exit status {ran.returncode}, wanted 1", ran)
        causes = [line for line in ran.stderr.splitlines() if "its cause is" in line]
        want(len(causes) == 1 and f"{name}.py:" in causes[0] and self.case["line"] in causes[0],
             f"record: the cause is not the line with {self.case['line']!r}: {causes}", ran)
        repro = os.path.join(self.folder, name + ".repro")
        ran = self.minrepro("reduce", trace, "-o", repro, "--json")
        want(ran.returncode == 0, f"reduce: exit status {ran.returncode}", ran)
        report = json.loads(ran.stdout)
        signature = report["signature"]
        for key, wanted in (("kind", "device assert"), ("op", self.case["operator"]), ("detail", self.case["rule"])):
            want(signature[key] == wanted, f"reduce: the signature's {key} is {signature[key]!r}, wanted {wanted!r}")
        want(report["calls_after"] <= MOST_CALLS, f"reduce: {report['calls_after']} calls are left")
        want(report["elements_after"] <= MOST_ELEMENTS, f"reduce: {report['elements_after']} elements are left")
        want(report["verified"], f"reduce: {report['not_verified']}")
        ran = self.minrepro("verify", repro)
        want(ran.returncode == 0, f"verify: exit status {ran.returncode}", ran)
        return report

    def mended(self):
        """With the bug mended, the same script runs through."""
        with open(self.script) as file:
            text = file.read()
        times = text.count(self.case["broken"])
        want(times == 1, f"{self.case['broken']!r} stands {times} times in the script, wanted once")
        script = os.path.join(self.folder, self.case["case"] + "_mended.py")
        with open(script, "w") as file:
            file.write(text.replace(self.case["broken"], self.case["mended"]))
        _, ran = self.record(self.case["case"] + "_mended", script)
        want(ran.returncode == 0 and "no failure" in ran.stderr, f"mended: exit status {ran.returncode}, wanted 0", ran)


def check(case, folder, seconds):
    """Runs one case and prints its line; returns whether it passed."""
    started = time.monotonic()
    run = CaseRun(case, folder, seconds)
    try:
        report = run.broken()
        run.mended()
    except Failed as failed:
        print(f"FAIL  {case['case']:<20} {time.monotonic() - started:5.1f} s  {failed}", flush=True)
        return False
    print(f"ok    {case['case']:<20} {time.monotonic() - started:5.1f} s  calls {report['calls_before']} to {report['calls_after']}, "
          f"elements {report['elements_before']} to {report['elements_after']}  {report['signature']['text']}", flush=True)
    return True


def main():
    arguments = parse_arguments()
    cases = [case for case in read_cases() if re.search(arguments.only, case["case"])]
    if not cases:
        sys.exit(f"tests/third_party/run: no case matches {arguments.only!r}")
    with tempfile.TemporaryDirectory(prefix="third_party.") as temporary:
        folder = arguments.keep or temporary
        os.makedirs(folder, exist_ok=True)
        passed = sum(check(case, folder, arguments.time) for case in cases)
    print(f"third_party passed={passed} of={len(cases)}")
    return 0 if passed == len(cases) else 1


if __name__ == "__main__":
    sys.exit(main())
