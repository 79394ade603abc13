"""Each script of corpus/reports ends on the simulated device as it does on CUDA, by what the kernels' sources say; what fails goes on through reduce and verify."""
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

CORPUS = os.path.join(HERE, os.pardir, os.pardir, "corpus", "reports")
MOST_CALLS = 1
MOST_ELEMENTS = 4
FAILURES = ("device assert", "illegal access")


def parse_arguments():
    parser = argparse.ArgumentParser(prog="tests/reports/run", description=__doc__)
    parser.add_argument("--only", default="", metavar="REGEX", help="only the reports whose names match")
    parser.add_argument("--keep", metavar="DIR", help="leave traces and reduced programs in this folder")
    parser.add_argument("--time", type=float, default=300, metavar="SECONDS", help="for one command (default: %(default)g)")
    return parser.parse_args()


def read_reports():
    with open(os.path.join(CORPUS, "expect.tsv"), newline="") as file:
        reports = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    listed = sorted(report["report"] for report in reports)
    present = sorted(name[:-len(".py")] for name in os.listdir(CORPUS) if name.endswith(".py"))
    if listed != present:
        sys.exit(f"tests/reports/run: expect.tsv and the scripts of corpus/reports differ in {sorted(set(listed) ^ set(present))}")
    return reports


def outcome(report, run):
    """Runs one report; returns what to say of it."""
    if report["on_sim"] in FAILURES:
        most = int(report["elements"] or MOST_ELEMENTS)
        reduced = run.reduced(report["line"], report["on_sim"], report["operator"], report["rule"], MOST_CALLS, most)
        return f"calls {reduced['calls_before']} to {reduced['calls_after']}, elements {reduced['elements_before']} to {reduced['elements_after']}  {reduced['signature']['text']}"
    if report["on_sim"] == "exception":
        _, ran = run.record()
        want(ran.returncode == 1 and "minrepro-sim: (simulated)" not in ran.stderr, f"exit status {ran.returncode}, wanted an exception of the host", ran)
        want(report["line"] in ran.stderr, f"the exception does not hold {report['line']!r}", ran)
        return "an exception of the host" + (", as on CUDA" if report["on_cuda"] == "exception" else f" (CUDA: {report['on_cuda']})")
    ran = run.runs_through()
    noted = "minrepro-sim: note:" in ran.stderr
    want(noted == (report["on_sim"] == "silent"), f"{'a' if noted else 'no'} note of a wrong result", ran)
    return "ends well, with a note of the wrong result" if noted else "ends well"


def check(report, folder, seconds):
    """Prints one report's line; returns whether it passed."""
    started = time.monotonic()
    try:
        text = outcome(report, ScriptCase(os.path.join(CORPUS, report["report"] + ".py"), folder, seconds))
    except Failed as failed:
        print(f"FAIL  {report['report']:<44} {time.monotonic() - started:5.1f} s  {failed}", flush=True)
        return False
    print(f"ok    {report['report']:<44} {time.monotonic() - started:5.1f} s  {text}", flush=True)
    return True


def main():
    arguments = parse_arguments()
    reports = [report for report in read_reports() if re.search(arguments.only, report["report"])]
    if not reports:
        sys.exit(f"tests/reports/run: no report matches {arguments.only!r}")
    with tempfile.TemporaryDirectory(prefix="reports.") as temporary:
        folder = arguments.keep or temporary
        os.makedirs(folder, exist_ok=True)
        passed = sum(check(report, folder, arguments.time) for report in reports)
    print(f"reports passed={passed} of={len(reports)}")
    return 0 if passed == len(reports) else 1


if __name__ == "__main__":
    sys.exit(main())
