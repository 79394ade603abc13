"""PyTorch's own table of operators and sample inputs (OpInfo) on the simulated device: each must compute what the CPU computes.

Each operator is checked in a process of its own, forked from one that has LibTorch and the table loaded: a crash or a hang is that operator's result.
"""
import argparse
import collections
import csv
import json
import os
import signal
import sys
import tempfile
import time
import traceback
import types
import unittest

# torch.testing's base class for unit tests wants the package expecttest; the table does not.
sys.modules.setdefault("expecttest", types.SimpleNamespace(TestCase=unittest.TestCase))

import torch  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402

import check_operator  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
REQUIRED_PERCENT = 99


def parse_arguments():
    parser = argparse.ArgumentParser(prog="tests/opinfo/run", description=__doc__.splitlines()[0])
    parser.add_argument("--op", action="append", help="only this operator, or NAME.VARIANT of it (may be given again)")
    parser.add_argument("--dtype", help="only this dtype, and no error inputs")
    parser.add_argument("--samples", type=int, help="at most so many sample inputs for each dtype (default: all)")
    parser.add_argument("--every", type=int, default=1, help="only each N-th operator of the table")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes at a time (default: %(default)s)")
    parser.add_argument("--time", type=float, default=300, help="seconds for one operator (default: %(default)g)")
    parser.add_argument("--report", help="write every operator's result to this file as JSON")
    return parser.parse_args()


def read_left_out():
    """Operator name -> (what is compared, reason). Compared is "nothing", the "error" or "shape" alone, what is "close"."""
    with open(os.path.join(HERE, "left_out.tsv"), newline="") as file:
        return {row["operator"]: (row["compared"], row["reason"]) for row in csv.DictReader(file, delimiter="\t")}


def selected(arguments):
    ops = sorted(op_db, key=lambda op: op.full_name)[::arguments.every]
    if not arguments.op:
        return ops
    found = [op for op in ops if op.name in arguments.op or op.full_name in arguments.op]
    if not found:
        sys.exit(f"tests/opinfo/run: the table has no operator named {' or '.join(arguments.op)}")
    return found


class Running:
    """A forked process that checks one operator and leaves its report in a file."""

    def __init__(self, op, options, folder):
        self.op = op
        self.started = time.monotonic()
        self.path = os.path.join(folder, op.formatted_name)
        self.pid = os.fork()
        if self.pid == 0:
            self._child(options)

    def _child(self, options):
        status = 1
        try:
            stderr = os.open(self.path + ".stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(stderr, 2)
            report = check_operator.check(self.op, options, self.path + ".stderr")
            with open(self.path + ".json", "w") as file:
                json.dump(report, file)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)

    def seconds(self):
        return time.monotonic() - self.started

    def finish(self, status, hung):
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0:
            with open(self.path + ".json") as file:
                report = json.load(file)
        else:
            with open(self.path + ".stderr", errors="replace") as file:
                last = " ".join(file.read().split())[-300:]
            if hung:
                kind, text = "hang", f"not done after {self.seconds():.0f} s"
            elif os.WIFSIGNALED(status):
                kind, text = "crash", f"{signal.Signals(os.WTERMSIG(status)).name} {last}"
            else:
                kind, text = "crash", f"exit status {os.WEXITSTATUS(status)} {last}"
            failure = {"check": "process", "kind": kind, "text": text, "dtype": "", "sample": ""}
            report = {"counts": {}, "failures": [failure], "failed": 1}
        return dict(report, op=self.op.full_name, seconds=round(self.seconds(), 2))


def check_all(ops, arguments, left_out):
    """The reports of all operators, in the order in which they end."""
    waiting = collections.deque(ops)
    running, hung = {}, set()
    with tempfile.TemporaryDirectory() as folder:
        while waiting or running:
            while waiting and len(running) < arguments.jobs:
                op = waiting.popleft()
                options = argparse.Namespace(dtype=arguments.dtype, samples=arguments.samples, compared=left_out.get(op.full_name, ("all",))[0])
                child = Running(op, options, folder)
                running[child.pid] = child
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                for child in running.values():
                    if child.seconds() > arguments.time and child.pid not in hung:
                        hung.add(child.pid)
                        os.kill(child.pid, signal.SIGKILL)
                time.sleep(0.002)
                continue
            yield running.pop(pid).finish(status, pid in hung)


def print_failures(reports):
    failing = [report for report in reports if report["failed"]]
    if not failing:
        return
    by_kind = collections.defaultdict(set)
    for report in failing:
        for failure in report["failures"]:
            by_kind[(failure["check"], failure["kind"])].add(report["op"])
    print(f"\n{'check':<20} {'kind':<16} operators")
    for (check, kind), names in sorted(by_kind.items()):
        listed = ", ".join(sorted(names)[:6]) + (", …" if len(names) > 6 else "")
        print(f"{check:<20} {kind:<16} {len(names):>4}  {listed}")
    print()
    for report in sorted(failing, key=lambda report: report["op"]):
        first = report["failures"][0]
        print(f"{report['op']} [{first['dtype']}] {first['kind']}: {' '.join(first['text'].split())[:300]}  ({report['failed']} checks)")
        if first["sample"]:
            print(f"    {first['sample']}")


def print_summary(reports, left_out, seconds, arguments):
    counts = collections.Counter()
    for report in reports:
        counts.update(report["counts"])
    print(f"\nsample inputs compared: forward {counts['forward']:,}, backward {counts['backward']:,}, in-place {counts['inplace']:,}, "
          f"out= {counts['out']:,}, error inputs {counts['error']:,} (of these {counts['asserted']} raise on the CPU what CUDA's kernel asserts); "
          f"{counts['alike']:,} raise the same on both")
    slowest = sorted(reports, key=lambda report: -report["seconds"])[:3]
    limited = f", at most {arguments.samples} samples for each dtype" if arguments.samples else ""
    print(f"{seconds:.0f} s on {arguments.jobs} processes{limited}; slowest: " + ", ".join(f"{r['op']} {r['seconds']:.0f} s" for r in slowest))
    asserting = sorted(report["op"] for report in reports if report.get("asserted"))
    if asserting:
        print(f"error inputs that CUDA's kernel asserts: of {', '.join(asserting)}")
    lacking = sorted(report["op"] for report in reports if report["counts"]["lacking"])
    if lacking:
        print(f"calls that CUDA has no kernel for, and the simulated device refuses: of {', '.join(lacking)}")
    listed = collections.defaultdict(list)
    for name, (compared, reason) in left_out.items():
        listed[(compared, reason)].append(name)
    for (compared, reason), names in listed.items():
        what = "left out" if compared == "nothing" else f"compared by {compared}"
        print(f"{what}: {', '.join(names)}: {reason}")


def main():
    arguments = parse_arguments()
    torch.set_num_threads(1)
    left_out = read_left_out()
    ops = selected(arguments)
    tried = [op for op in ops if left_out.get(op.full_name, ("",))[0] != "nothing"]
    names = {op.full_name for op in ops}
    left_out = {name: row for name, row in left_out.items() if name in names}

    started = time.monotonic()
    reports = []
    for report in check_all(tried, arguments, left_out):
        reports.append(report)
        if sys.stderr.isatty():
            print(f"\r{len(reports)} of {len(tried)}", end="", file=sys.stderr)
    if arguments.report:
        with open(arguments.report, "w") as file:
            json.dump(reports, file, indent=1)
    print_failures(reports)
    print_summary(reports, left_out, time.monotonic() - started, arguments)
    equal = sum(not report["failed"] for report in reports)
    print(f"{100 * equal / len(ops):.2f}% of {len(ops)} operators compute what the CPU computes")
    print(f"opinfo equal={equal} tried={len(tried)} left_out={len(ops) - len(tried)}")
    return 0 if 100 * equal >= REQUIRED_PERCENT * len(ops) else 1


if __name__ == "__main__":
    sys.exit(main())
