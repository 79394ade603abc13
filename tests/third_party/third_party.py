"""Each script of cases/ goes through record, reduce and verify on the simulated device; what has to come out, and the mend, stand in cases/expect.tsv."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "support"))
from script_case import reduced_text, run, want  # noqa: E402

MOST_CALLS = 2
MOST_ELEMENTS = 8


def mended(case, script_case):
    """With the bug mended, the same script runs through."""
    with open(script_case.script) as file:
        text = file.read()
    want(text.count(case["broken"]) == 1, f"{case['broken']!r} stands {text.count(case['broken'])} times in the script, wanted once")
    script = os.path.join(script_case.folder, case["case"] + "_mended.py")
    with open(script, "w") as file:
        file.write(text.replace(case["broken"], case["mended"]))
    script_case.runs_through(script)


def outcome(case, script_case):
    report = script_case.reduced(case["line"], "device assert", case["operator"], case["rule"], MOST_CALLS, MOST_ELEMENTS)
    mended(case, script_case)
    return reduced_text(report)


if __name__ == "__main__":
    sys.exit(run("third_party", __doc__, os.path.join(HERE, "cases"), outcome))
