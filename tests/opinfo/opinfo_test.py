"""The comparison itself: that it sees each kind of difference, and that an operator that crashes or hangs is one operator's result."""
import argparse
import os
import signal
import time
import types
import unittest

import opinfo
import torch
from torch.testing._internal.opinfo.core import ErrorInput, SampleInput

from device import CPU, SIM, violation
from twins import Different, Mover, compare, normalised


class Operator(types.SimpleNamespace):
    """As much of an OpInfo as a check asks for."""

    name = full_name = formatted_name = "planted"
    inplace_variant = error_inputs_func = None
    supports_out = False

    def __call__(self, *args, **kwargs):
        return self.function(*args, **kwargs)

    def supported_dtypes(self, device):
        return {torch.float32}

    supported_backward_dtypes = supported_dtypes

    def sample_inputs(self, device, dtype, requires_grad):
        return [SampleInput(torch.linspace(0.1, 1, 6, dtype=dtype).requires_grad_(requires_grad))]


def check(compared="all", seconds=60, **attributes):
    """The failures of one operator in a process of its own."""
    left_out = {"planted": (compared, "")}
    arguments = argparse.Namespace(jobs=1, time=seconds, dtype=None, samples=None)
    (report,) = opinfo.check_all([Operator(**attributes)], arguments, left_out)
    return report


def kinds(report):
    return [(failure["check"], failure["kind"]) for failure in report["failures"]]


def on_sim(tensor):
    return tensor.device == SIM


class Comparison(unittest.TestCase):
    def assert_different(self, kind, on_sim, on_cpu, compared="all"):
        with self.assertRaises(Different) as caught:
            compare(on_sim, on_cpu, "here", compared)
        self.assertEqual(caught.exception.kind, kind)

    def test_equal(self):
        nan = torch.tensor([1.0, float("nan")])
        for value in (nan, [nan, 3], {"a": (nan, None)}, torch.ones(2, 3).t(), torch.ones(2, dtype=torch.complex64).conj(), torch.eye(2).to_sparse()):
            compare(Mover(SIM)(value), Mover(CPU)(value), "here", "all")

    def test_each_kind_of_difference(self):
        x = torch.ones(2, 2)
        self.assert_different("values", x.to(SIM) + 1e-7, x)
        self.assert_different("dtype", x.to(SIM).double(), x)
        self.assert_different("shape", x.to(SIM)[0], x)
        self.assert_different("stride", x.to(SIM).t(), x)
        self.assert_different("device", x, x)
        self.assert_different("requires_grad", x.to(SIM).requires_grad_(), x)
        self.assert_different("structure", [x.to(SIM)], (x,))
        self.assert_different("values", 1, 2)
        self.assert_different("values", x.to(SIM) + 1, x, "close")
        compare(x.to(SIM) + 1e-7, x, "here", "close")
        compare(x.to(SIM) + 1, x, "here", "shape")

    def test_moved_arguments_share_memory_as_before(self):
        base = torch.arange(6.0)
        a, b = Mover(SIM)((base[1:4], base[::2]))
        self.assertEqual((a.storage_offset(), b.stride()), (1, (2,)))
        a.zero_()
        self.assertEqual(b.tolist(), [0, 0, 4])
        self.assertEqual(base.tolist(), [0, 1, 2, 3, 4, 5])

    def test_errors_are_compared_without_device_names(self):
        self.assertEqual(normalised(ValueError("on sim:0")), normalised(ValueError("on cpu")))
        self.assertNotEqual(normalised(ValueError("a")), normalised(ValueError("b")))
        self.assertNotEqual(normalised(ValueError("a")), normalised(TypeError("a")))


class Checks(unittest.TestCase):
    def test_what_is_equal_passes(self):
        report = check(function=torch.exp)
        self.assertEqual(report["failures"], [])
        self.assertEqual((report["counts"]["forward"], report["counts"]["backward"]), (1, 1))

    def test_differences_are_seen(self):
        self.assertEqual(kinds(check(function=lambda x: x + on_sim(x))), [("forward", "values")])
        self.assertEqual(kinds(check(function=lambda x: x * 1 if on_sim(x) else 2 * x - x.detach())), [("backward", "values")])
        self.assertEqual(kinds(check(function=lambda x: x.exp(), inplace_variant=lambda x: x.exp_().add_(on_sim(x)))), [("inplace", "values")])

        def out_ignored(x, out=None):
            return torch.exp(x) if out is None else torch.exp(x, out=out) if not on_sim(x) else out
        self.assertIn(("out", "values"), kinds(check(function=out_ignored, supports_out=True)))

    def test_errors_are_compared(self):
        def fails(where):
            def function(x):
                if x.device in where:
                    raise ValueError(str(len(where)))
                return x * 2
            return function

        self.assertEqual(kinds(check(function=fails([SIM]))), [("forward", "raises")])
        self.assertEqual(kinds(check(function=fails([CPU]))), [("forward", "does not raise")])
        self.assertEqual(kinds(check(function=fails([CPU, SIM]))), [("samples", "nothing compared")])
        self.assertEqual(kinds(check("error", function=fails([CPU, SIM]))), [])
        wrong = ErrorInput(SampleInput(torch.ones(2), args=(1,)), error_type=IndexError, error_regex="")
        report = check(function=lambda x, dim=0: x.sum(dim) if not (on_sim(x) and dim) else x, error_inputs_func=True,
                       error_inputs=lambda device: [wrong])
        self.assertEqual(kinds(report), [("error input", "does not raise")])

    def test_a_rule_that_fires(self):
        beyond = lambda x: x.gather(0, torch.full((1,), 6, device=x.device)) if on_sim(x) else x[:1] * 2
        report = check(function=beyond)
        self.assertIn(("function", "rule fired"), kinds(report))
        self.assertIsNone(violation())

    def test_crashes_and_hangs_are_results(self):
        self.assertEqual(kinds(check(function=lambda x: os.kill(os.getpid(), signal.SIGSEGV))), [("process", "crash")])
        self.assertEqual(kinds(check(function=lambda x: time.sleep(60), seconds=0.5)), [("process", "hang")])


if __name__ == "__main__":
    unittest.main()
