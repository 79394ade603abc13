"""A user's script on its way through record, reduce and verify on the simulated device, and what is wanted at each step. Run from the repository's root."""
import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import time


class Failed(Exception):
    """A case did not go as it should; the text says what was wanted and what came."""


def want(holds, what, ran=None):
    if not holds:
        tail = "" if ran is None else "\n" + "\n".join((ran.stdout + ran.stderr).splitlines()[-12:])
        raise Failed(what + tail)


class ScriptCase:
    def __init__(self, script, folder, seconds):
        self.script, self.folder, self.seconds = script, folder, seconds
        self.name = os.path.basename(script)[:-len(".py")]

    def minrepro(self, *arguments):
        try:
            return subprocess.run(["build/minrepro", *arguments], capture_output=True, text=True, timeout=self.seconds)
        except subprocess.TimeoutExpired:
            raise Failed(f"minrepro {arguments[0]} did not end within {self.seconds:g} s")

    def record(self, script=None):
        """The trace, and how `minrepro record` ended."""
        script = script or self.script
        trace = os.path.join(self.folder, os.path.basename(script)[:-len(".py")] + ".trace")
        return trace, self.minrepro("record", "--simulate", "-o", trace, "--", sys.executable, script)

    def reduced(self, line, kind, operator, rule, most_calls, most_elements):
        """Records, reduces and verifies the script; returns what reduce reports. `line` is a part of the line that is to blame."""
        trace, ran = self.record()
        want(ran.returncode == 1, f"record: exit status {ran.returncode}, wanted 1", ran)
        causes = [text for text in ran.stderr.splitlines() if "its cause is" in text]
        want(len(causes) == 1 and f"{self.name}.py:" in causes[0] and line in causes[0], f"record: the cause is not the line with {line!r}: {causes}", ran)
        repro = os.path.join(self.folder, self.name + ".repro")
        ran = self.minrepro("reduce", trace, "-o", repro, "--json")
        want(ran.returncode == 0, f"reduce: exit status {ran.returncode}", ran)
        report = json.loads(ran.stdout)
        signature = report["signature"]
        for key, wanted in (("kind", kind), ("op", operator), ("detail", rule)):
            want(signature[key] == wanted, f"reduce: the signature's {key} is {signature[key]!r}, wanted {wanted!r}")
        want(report["calls_after"] <= most_calls, f"reduce: {report['calls_after']} calls are left")
        want(report["elements_after"] <= most_elements, f"reduce: {report['elements_after']} elements are left")
        want(report["verified"], f"reduce: {report['not_verified']}")
        ran = self.minrepro("verify", repro)
        want(ran.returncode == 0, f"verify: exit status {ran.returncode}", ran)
        return report

    def runs_through(self, script=None):
        """The script ends well on the simulated device."""
        _, ran = self.record(script)
        want(ran.returncode == 0 and "no failure" in ran.stderr, f"exit status {ran.returncode}, wanted 0", ran)
        return ran


def _read_cases(program, folder):
    """The rows of folder/expect.tsv, whose first column names the scripts beside it."""
    with open(os.path.join(folder, "expect.tsv"), newline="") as file:
        cases = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    listed = sorted(next(iter(case.values())) for case in cases)
    present = sorted(name[:-len(".py")] for name in os.listdir(folder) if name.endswith(".py"))
    if listed != present:
        sys.exit(f"{program}: expect.tsv and the scripts beside it differ in {sorted(set(listed) ^ set(present))}")
    return cases


def run(name, description, folder, outcome):
    """tests/NAME/run: parses the command line, calls `outcome(case, script_case)` for each case of folder/expect.tsv, which returns what to say of it or
    raises Failed, prints a line each and the score; returns the exit status."""
    program = f"tests/{name}/run"
    parser = argparse.ArgumentParser(prog=program, description=description)
    parser.add_argument("--only", default="", metavar="REGEX", help="only the cases whose names match")
    parser.add_argument("--keep", metavar="DIR", help="leave traces and reduced programs in this folder")
    parser.add_argument("--time", type=float, default=300, metavar="SECONDS", help="for one command (default: %(default)g)")
    arguments = parser.parse_args()
    named = [(next(iter(case.values())), case) for case in _read_cases(program, folder)]
    chosen = [(script, case) for script, case in named if re.search(arguments.only, script)]
    if not chosen:
        sys.exit(f"{program}: no case matches {arguments.only!r}")
    passed = 0
    with tempfile.TemporaryDirectory(prefix=name + ".") as temporary:
        out = arguments.keep or temporary
        os.makedirs(out, exist_ok=True)
        for script, case in chosen:
            started = time.monotonic()
            try:
                word, text = "ok", outcome(case, ScriptCase(os.path.join(folder, script + ".py"), out, arguments.time))
                passed += 1
            except Failed as failed:
                word, text = "FAIL", str(failed)
            print(f"{word:<4}  {script:<44} {time.monotonic() - started:5.1f} s  {text}", flush=True)
    print(f"{name} passed={passed} of={len(chosen)}")
    return 0 if passed == len(chosen) else 1


def reduced_text(report):
    """What reduce made of a case, in a line."""
    return (f"calls {report['calls_before']} to {report['calls_after']}, elements {report['elements_before']} to {report['elements_after']}  "
            f"{report['signature']['text']}")
