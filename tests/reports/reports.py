"""Each script of corpus/reports ends on the simulated device as it does on CUDA, by what the kernels' sources say; what fails goes on through reduce and verify."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "support"))
from script_case import reduced_text, run, want  # noqa: E402

MOST_CALLS = 1
MOST_ELEMENTS = 4
FAILURES = ("device assert", "illegal access")


def outcome(report, script_case):
    """Runs one report; returns what to say of it."""
    if report["on_sim"] in FAILURES:
        most = int(report["elements"] or MOST_ELEMENTS)
        reduced = script_case.reduced(report["line"], report["on_sim"], report["operator"], report["rule"], MOST_CALLS, most)
        return reduced_text(reduced)
    if report["on_sim"] == "exception":
        _, ran = script_case.record()
        want(ran.returncode == 1 and "minrepro-sim: (simulated)" not in ran.stderr, f"exit status {ran.returncode}, wanted an exception of the host", ran)
        want(report["line"] in ran.stderr, f"the exception does not hold {report['line']!r}", ran)
        return "an exception of the host" + (", as on CUDA" if report["on_cuda"] == "exception" else f" (CUDA: {report['on_cuda']})")
    ran = script_case.runs_through()
    noted = "minrepro-sim: note: in " in ran.stderr
    want(noted == (report["on_sim"] == "silent"), f"{'a' if noted else 'no'} note of a wrong result", ran)
    return "ends well, with a note of the wrong result" if noted else "ends well"


if __name__ == "__main__":
    sys.exit(run("reports", __doc__, os.path.join(HERE, os.pardir, os.pardir, "corpus", "reports"), outcome))
