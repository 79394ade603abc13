"""Tensors that are not plain rows of numbers: sparse, nested, quantized, complex, channels last; and what is made of NumPy arrays and subclasses."""
import unittest
import warnings

import torch
import torch.nn.functional as F

from cuda_case import CudaTest

warnings.filterwarnings("ignore", category=UserWarning)


class Sparse(CudaTest):
    def test_coo(self):
        dense = torch.tensor([[0.0, 2.0, 0.0], [3.0, 0.0, 4.0]])
        x = dense.to_sparse().cuda()
        self.assert_cuda(x, x.indices(), x.values(), x.coalesce(), x.t(), dense.cuda().to_sparse())
        self.assertTrue(x.is_sparse)
        self.assert_same(x.to_dense(), dense)
        self.assertFalse(x.cpu().is_cuda)
        self.assert_same(torch.sparse.mm(x, torch.ones(3, 2, device="cuda")), dense @ torch.ones(3, 2))
        self.assert_same((x + x).to_dense(), dense * 2)
        made = torch.sparse_coo_tensor(torch.tensor([[0, 0], [1, 1]]).cuda(), torch.ones(2).cuda(), (2, 2), device="cuda")
        self.assert_same(made.coalesce().values(), torch.tensor([2.0]))
        leaf = dense.clone().cuda().to_sparse().requires_grad_()
        torch.sparse.sum(leaf * 2).backward()
        self.assert_cuda(leaf.grad)
        with self.assertRaises(RuntimeError):
            torch.sparse_coo_tensor(torch.tensor([[5]]).cuda(), torch.ones(1).cuda(), (2,), check_invariants=True)

    def test_compressed(self):
        dense = torch.tensor([[0.0, 2.0, 0.0, 1.0], [3.0, 0.0, 4.0, 0.0]])
        for layout, options in ((torch.sparse_csr, {}), (torch.sparse_csc, {}), (torch.sparse_bsr, {"blocksize": (2, 2)}), (torch.sparse_bsc, {"blocksize": (2, 2)})):
            x = dense.to_sparse(layout=layout, **options)
            moved = x.cuda()
            self.assert_cuda(moved, moved.values(), dense.cuda().to_sparse(layout=layout, **options))
            self.assertEqual(moved.layout, layout)
            self.assert_same(moved.to_dense(), dense)
            self.assertFalse(moved.cpu().is_cuda)
        csr = dense.to_sparse_csr().cuda()
        self.assert_same(csr @ torch.ones(4, 2, device="cuda"), dense @ torch.ones(4, 2))
        self.assert_same(csr.crow_indices(), torch.tensor([0, 2, 4]))

    def test_embeddings_with_sparse_gradients(self):
        layer = torch.nn.Embedding(5, 3, sparse=True, device="cuda")
        optimizer = torch.optim.SparseAdam(layer.parameters())
        layer(torch.tensor([1, 1, 4], device="cuda")).sum().backward()
        self.assertTrue(layer.weight.grad.is_sparse)
        before = layer.weight.detach().clone()
        optimizer.step()
        self.assertEqual((before != layer.weight).any(1).tolist(), [False, True, False, False, True])

    def test_mixed_devices(self):
        x = torch.eye(2).to_sparse().cuda()
        for call in (lambda: x @ torch.ones(2, 2), lambda: x + torch.eye(2).to_sparse(), lambda: torch.eye(2).to_sparse() @ torch.ones(2, 2, device="cuda")):
            with self.assertRaisesRegex(RuntimeError, "[Ee]xpected .*(same device|CUDA|cuda)"):
                call()


class Nested(CudaTest):
    def test_strided(self):
        parts = [torch.randn(2, 3), torch.randn(4, 3)]
        expected = torch.nested.nested_tensor(parts)
        for x in (torch.nested.nested_tensor(parts, device="cuda"), expected.cuda(), torch.nested.as_nested_tensor([part.cuda() for part in parts]),
                  torch.nested.nested_tensor([part.cuda() for part in parts])):
            self.assert_cuda(x, *x.unbind())
            self.assertTrue(x.is_nested)
            self.assert_same((x * 2).to_padded_tensor(0.0), (expected * 2).to_padded_tensor(0.0))
            self.assert_same(x.cpu().to_padded_tensor(0.0).cuda(), expected.to_padded_tensor(0.0))
            self.assertFalse(x.cpu().is_cuda or x.to("cpu", torch.double).is_cuda)
            self.assertIn("device='cuda:0'", repr(x))
        leaf = torch.nested.nested_tensor(parts, device="cuda", requires_grad=True)
        F.linear(leaf, torch.ones(2, 3, device="cuda")).to_padded_tensor(0.0).sum().backward()
        self.assert_same(leaf.grad.to_padded_tensor(0.0)[0], torch.tensor([[2.0] * 3] * 2 + [[0.0] * 3] * 2))

    def test_jagged(self):
        parts = [torch.randn(2, 3), torch.randn(4, 3)]
        x = torch.nested.nested_tensor(parts, layout=torch.jagged, device="cuda", requires_grad=True)
        self.assert_cuda(x, x.values(), x.offsets(), *(x * 2).unbind(), torch.nested.nested_tensor(parts, layout=torch.jagged).cuda())
        (x * 3).values().sum().backward()
        self.assert_same(x.grad.values(), torch.full((6, 3), 3.0))


class Others(CudaTest):
    def test_quantized_tensors_are_refused(self):
        for call in (lambda: torch.quantize_per_tensor(torch.ones(2, device="cuda"), 0.1, 0, torch.qint8),
                     lambda: torch.quantize_per_channel(torch.ones(2, 2, device="cuda"), torch.ones(2).cuda(), torch.zeros(2).cuda(), 0, torch.qint8),
                     lambda: torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8).cuda()):
            with self.assertRaisesRegex(RuntimeError, "minrepro: the simulated device has no quantized tensors"):
                call()
        self.assert_same(torch.fake_quantize_per_tensor_affine(torch.ones(2, device="cuda"), 0.3, 0, 0, 255),
                         torch.fake_quantize_per_tensor_affine(torch.ones(2), 0.3, 0, 0, 255))

    def test_complex(self):
        x = torch.randn(3, 3, dtype=torch.cfloat)
        for function in (torch.conj, torch.real, torch.imag, torch.angle, torch.view_as_real, lambda a: a @ a.mH, lambda a: a.conj().imag, lambda a: a.conj() * 2,
                         torch.fft.fft2, lambda a: torch.fft.ifft(a).abs(), torch.linalg.inv, lambda a: torch.complex(a.real, a.imag), lambda a: a.conj().resolve_conj()):
            self.assert_same(function(x.cuda()).resolve_conj(), function(x).resolve_conj(), atol=1e-4, rtol=1e-4)
        self.assertTrue(x.cuda().conj().is_conj())
        self.assertTrue(x.conj().cuda().is_conj() in (True, False))
        self.assert_same(x.conj().cuda().resolve_conj(), x.conj().resolve_conj())

    def test_channels_last(self):
        image, model = torch.randn(2, 3, 8, 8), torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.MaxPool2d(2))
        expected = model(image.to(memory_format=torch.channels_last))
        out = model.cuda().to(memory_format=torch.channels_last)(image.cuda(memory_format=torch.channels_last))
        self.assertTrue(out.is_contiguous(memory_format=torch.channels_last))
        self.assert_same(out.detach(), expected.detach(), atol=1e-4, rtol=1e-4)

    def test_dtypes(self):
        for dtype in (torch.float64, torch.half, torch.bfloat16, torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.bool, torch.cfloat,
                      torch.float8_e4m3fn, torch.float8_e5m2, torch.uint16, torch.uint32, torch.uint64):
            x = torch.tensor([0, 1], dtype=torch.int64).to(dtype)
            moved = x.cuda()
            self.assertEqual(moved.dtype, dtype)
            self.assertEqual(moved.cpu().view(torch.uint8).tolist(), x.view(torch.uint8).tolist())

    def test_numpy(self):
        import numpy
        array = numpy.arange(3.0)
        self.assert_same(torch.from_numpy(array).cuda(), torch.from_numpy(array))
        self.assert_same(torch.tensor(array, device="cuda"), torch.tensor(array))
        self.assert_same(torch.as_tensor(array, device="cuda"), torch.tensor(array))
        self.assert_same(torch.asarray(array, device="cuda"), torch.tensor(array))
        x = torch.tensor(array, device="cuda")
        for convert in (lambda: x.numpy(), lambda: numpy.array(x), lambda: numpy.sin(x)):
            with self.assertRaisesRegex(TypeError, "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu"):
                convert()
        self.assertEqual(x.numpy(force=True).tolist(), [0, 1, 2])
        self.assertEqual([x[1].item(), float(x[2]), int(x[1]), bool(x[0]), list(x)[2].item(), len(x)], [1, 2, 1, False, 2, 3])

    def test_subclasses_and_modes(self):
        class Tagged(torch.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                seen.append(func)
                return super().__torch_function__(func, types, args, kwargs or {})

        class Watch(torch.overrides.TorchFunctionMode):
            def __torch_function__(self, func, types, args=(), kwargs=None):
                seen.append(func)
                return func(*args, **(kwargs or {}))

        seen = []
        x = torch.ones(2, device="cuda").as_subclass(Tagged)
        self.assertIsInstance(x + 1, Tagged)
        x.to("cpu")
        self.assertFalse(x.cpu().is_cuda)
        self.assertEqual(x.device, torch.device("cuda:0"))
        self.assertIn(torch.Tensor.to, seen)
        seen.clear()
        with Watch():
            made = torch.zeros(2, device="cuda").to("cpu").cuda()
        self.assert_cuda(made)
        self.assertTrue({torch.zeros, torch.Tensor.to, torch.Tensor.cuda} <= set(seen))
        self.assertEqual(torch.overrides.resolve_name(torch.zeros), "torch.zeros")

    def test_fake_and_meta_tensors(self):
        from torch._subclasses import FakeTensorMode
        with FakeTensorMode() as mode:
            fake = torch.ones(2, 3, device="cuda") @ torch.ones(3, 4, device="cuda:0")
            self.assertEqual((fake.device, fake.shape), (torch.device("cuda:0"), (2, 4)))
            self.assertTrue(fake.is_cuda)
        self.assertEqual(mode.from_tensor(torch.ones(2, device="cuda")).device, torch.device("cuda:0"))
        self.assert_cuda(torch.empty_like(torch.empty(2, device="meta"), device="cuda"))


if __name__ == "__main__":
    unittest.main()
