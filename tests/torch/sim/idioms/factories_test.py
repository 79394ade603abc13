"""Everything in torch that makes a tensor on a device, asked for cuda in every way, beside what it makes on the CPU."""
import inspect
import unittest

import torch

from cuda_case import CudaTest

S = (2, 3)
X = torch.arange(6.0).view(2, 3)
INDICES = torch.tensor([[0, 1], [2, 0]])
COMPRESSED = (torch.tensor([0, 1, 2]), torch.tensor([2, 0]), torch.ones(2))
BLOCKS = (torch.tensor([0, 1]), torch.tensor([0]), torch.ones(1, 2, 2))

# Arguments for each function of torch that takes a device; None: no CPU result to compare with (uninitialised memory).
FACTORIES = {
    "_cudnn_init_dropout_state": None, "_efficientzerotensor": (S,), "_empty_affine_quantized": None, "_empty_per_channel_affine_quantized": None,
    "_make_dep_token": None, "_pin_memory": None, "_resize_output_": None, "_assert_tensor_metadata": None, "_nested_tensor_from_tensor_list": None,
    "arange": (5,), "as_tensor": ([1.0, 2.0],), "asarray": ([1, 2],), "bartlett_window": (5,), "blackman_window": (5,), "empty": None,
    "empty_like": None, "empty_permuted": None, "empty_quantized": None, "empty_strided": None, "eye": (3,), "from_file": None, "full": (S, 2.5),
    "full_like": (X, 7), "hamming_window": (5,), "hann_window": (5,), "kaiser_window": (5,), "linspace": (0, 1, 5), "logspace": (0, 1, 5),
    "normal": (0.0, 1.0, S), "ones": (S,), "ones_like": (X,), "rand": (S,), "rand_like": (X,), "randint": (10, S), "randint_like": (X, 10), "randn": (S,),
    "randn_like": (X,), "randperm": (7,), "range": (1, 4), "scalar_tensor": (2.0,), "sparse_bsc_tensor": BLOCKS, "sparse_bsr_tensor": BLOCKS,
    "sparse_compressed_tensor": COMPRESSED, "sparse_coo_tensor": (INDICES, torch.ones(2)), "sparse_csc_tensor": COMPRESSED, "sparse_csr_tensor": COMPRESSED,
    "tensor": ([[1, 2], [3, 4]],), "tril_indices": (3, 3), "triu_indices": (3, 3), "zeros": (S,), "zeros_like": (X,),
}
EXTRA = {"sparse_compressed_tensor": {"layout": torch.sparse_csr}}
UNINITIALISED = {"empty": (S,), "empty_like": (X,), "empty_permuted": (S, (1, 0)), "empty_strided": (S, (1, 2))}
WAYS = ("cuda", "cuda:0", torch.device("cuda"), torch.device("cuda", 0), 0)
METHODS = {"new_empty": None, "new_empty_strided": None, "new_full": (S, 2), "new_ones": (S,), "new_tensor": ([1, 2],), "new_zeros": (S,)}


def names_that_take_a_device():
    by_schema = {schema.name[len("aten::"):] for schema in torch._C._jit_get_all_schemas()
                 if schema.name.startswith("aten::") and any(argument.name == "device" for argument in schema.arguments)}
    return {name for name in by_schema | {function.__name__ for function in torch.utils._device._device_constructors()} if hasattr(torch, name)} - {"Generator"}


class Factories(CudaTest):
    def test_the_table_is_complete(self):
        self.assertEqual(names_that_take_a_device() - FACTORIES.keys(), {"nested_tensor"} & names_that_take_a_device())

    def test_every_factory_in_every_way(self):
        for name, arguments in FACTORIES.items():
            if arguments is None:
                continue
            function, extra = getattr(torch, name), EXTRA.get(name, {})
            torch.manual_seed(1)
            expected = function(*arguments, **extra)
            for way in WAYS:
                with self.subTest(f"{name} {way!r}"):
                    torch.manual_seed(1)
                    self.assert_same(function(*arguments, device=way, **extra), expected)
            if function in torch.utils._device._device_constructors():
                with self.subTest(f"with torch.device: {name}"), torch.device("cuda"):
                    torch.manual_seed(1)
                    made = function(*arguments, **extra)
                    self.assert_same(made, expected)

    def test_uninitialised_memory(self):
        for name, arguments in UNINITIALISED.items():
            for way in WAYS:
                made, expected = getattr(torch, name)(*arguments, device=way), getattr(torch, name)(*arguments)
                self.assert_cuda(made)
                self.assertEqual((made.shape, made.stride(), made.dtype), (expected.shape, expected.stride(), expected.dtype))

    def test_methods(self):
        for name, arguments in METHODS.items():
            if arguments is None:
                continue
            self.assert_same(getattr(X, name)(*arguments, device="cuda"), getattr(X, name)(*arguments))
            self.assert_same(getattr(X.cuda(), name)(*arguments), getattr(X, name)(*arguments))
            self.assertFalse(getattr(X.cuda(), name)(*arguments, device="cpu").is_cuda)
        self.assert_cuda(X.cuda().new(2), X.cuda().new([1, 2]), X.new_empty(2, device="cuda"), X.new_empty_strided(S, (1, 2), device="cuda"))

    def test_functions_of_sub_modules(self):
        for name in ("fftfreq", "rfftfreq"):
            self.assert_same(getattr(torch.fft, name)(5, device="cuda"), getattr(torch.fft, name)(5))
        for name, function in inspect.getmembers(torch.signal.windows, inspect.isfunction):
            if "device" in inspect.signature(function).parameters:
                extra = {"a": [0.5, 0.5]} if name == "general_cosine" else {}
                self.assert_same(function(7, device="cuda", **extra), function(7, **extra))
        torch.manual_seed(0)
        made = torch.testing.make_tensor(S, dtype=torch.float32, device="cuda")
        torch.manual_seed(0)
        self.assert_same(made, torch.testing.make_tensor(S, dtype=torch.float32, device="cpu"))

    def test_options_besides_the_device(self):
        x = torch.zeros(2, 3, 4, 4, device="cuda", dtype=torch.half, requires_grad=True)
        self.assertEqual((x.dtype, x.requires_grad), (torch.half, True))
        self.assertTrue(torch.empty(2, 3, 4, 4, device="cuda", memory_format=torch.channels_last).is_contiguous(memory_format=torch.channels_last))
        self.assert_cuda(torch.zeros_like(X.cuda()), torch.zeros(2, out=torch.empty(2, device="cuda")))
        self.assertFalse(torch.zeros_like(X.cuda(), device="cpu").is_cuda)
        self.assertIs(torch.as_tensor(cuda := X.cuda(), device="cuda"), cuda)

    def test_operators_called_by_name_and_scripted(self):
        self.assert_same(torch.ops.aten.full([2], 3.0, device="cuda"), torch.full([2], 3.0))
        self.assert_same(torch.ops.aten._to_copy(X, device=torch.device("cuda")), X)


class Moves(CudaTest):
    def test_to_and_cuda(self):
        for way in WAYS:
            moved = X.to(way)
            self.assert_same(moved, X)
            self.assertIs(moved.to(way), moved)
            self.assertIs(moved.cuda(), moved)
            self.assert_same(X.cuda(way), X)
            self.assertEqual(X.to(way, torch.half, non_blocking=True).dtype, torch.half)
        self.assert_same(X.to(torch.ones(1, device="cuda")), X)
        self.assert_same(X.to(device="cuda", copy=True), X)
        self.assertEqual(moved.get_device(), 0)
        self.assertEqual(X.get_device(), -1)
        with self.assertRaisesRegex(ValueError, "Invalid device"):
            X.cuda("cpu")

    def test_memory_formats_travel(self):
        x = torch.randn(2, 3, 4, 4).to(memory_format=torch.channels_last)
        self.assertEqual(x.cuda().stride(), x.stride())
        self.assertEqual(x.to("cuda", memory_format=torch.contiguous_format).stride(), (48, 16, 4, 1))
        self.assertEqual(torch.randn(2, 3, 4, 4).cuda().to(memory_format=torch.channels_last).stride(), x.stride())

    def test_pinned_memory(self):
        for pinned in (X.pin_memory(), torch.empty(3, pin_memory=True), X.pin_memory("cuda"), torch.zeros_like(X, pin_memory=True)):
            self.assertTrue(pinned.is_pinned())
            self.assertTrue(pinned.is_pinned("cuda"))
            self.assert_same(pinned.cuda(non_blocking=True), pinned)
        self.assertFalse(X.is_pinned())
        self.assertFalse(X.cuda().is_pinned())
        with self.assertRaisesRegex(RuntimeError, "[Oo]nly dense CPU tensors can be pinned"):
            X.cuda().pin_memory()
        with self.assertRaisesRegex(RuntimeError, "[Oo]nly dense CPU tensors can be pinned"):
            torch.zeros(2, device="cuda", pin_memory=True)


if __name__ == "__main__":
    unittest.main()
