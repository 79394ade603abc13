"""What the tests of Python programs share: the simulated device, installed once, and a context without failures for each test."""
import ctypes
import unittest

import torch

import minrepro_simulate

minrepro_simulate.install()
_api = ctypes.CDLL(minrepro_simulate.library_path())

# How the simulated device says what it cannot do.
REFUSAL = r"^minrepro: the simulated device has no .*$"


class CudaTest(unittest.TestCase):
    def setUp(self):
        _api.minrepro_sim_reset()
        torch.manual_seed(0)

    tearDown = setUp

    def assert_cuda(self, *tensors):
        for tensor in tensors:
            self.assertTrue(tensor.is_cuda)
            self.assertEqual(tensor.device, torch.device("cuda:0"))

    def assert_same(self, on_cuda, on_cpu, **tolerance):
        self.assert_cuda(on_cuda)
        self.assertFalse(on_cpu.is_cuda)
        torch.testing.assert_close(on_cuda.cpu(), on_cpu, equal_nan=True, **tolerance)

    def assert_refused(self, function, *args, **kwargs):
        with self.assertRaisesRegex(RuntimeError, REFUSAL):
            function(*args, **kwargs)
