"""Takes each script of cases/ through record, reduce and verify on the simulated device; what has to come out, and the mend, are in cases/expect.tsv."""
import argparse
import csv
import os
import re
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "support"))
from script_case import Failed, ScriptCase, want  # noqa: E402

MOST_CALLS = 2
MOST_ELEMENTS = 8


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


def mended(case, run):
    """With the bug mended, the same script runs through."""
    with open(run.script) as file:
        text = file.read()
    want(text.count(case["broken"]) == 1, f"{case['broken']!r} stands {text.count(case['broken'])} times in the script, wanted once")
    script = os.path.join(run.folder, case["case"] + "_mended.py")
    with open(script, "w") as file:
        file.write(text.replace(case["broken"], case["mended"]))
    run.runs_through(script)


def check(case, folder, seconds):
    """Runs one case and prints its line; returns whether it passed."""
    started = time.monotonic()
    run = ScriptCase(os.path.join(HERE, "cases", case["case"] + ".py"), folder, seconds)
    try:
        report = run.reduced(case["line"], "device assert", case["operator"], case["rule"], MOST_CALLS, MOST_ELEMENTS)
        mended(case, run)
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
