"""A user's script on its way through record, reduce and verify on the simulated device, and what is wanted at each step. Run from the repository's root."""
import json
import os
import subprocess
import sys


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
