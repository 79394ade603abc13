"""Values that CUDA's kernels accept and the CPU's refuse, or read in another way. What is expected is what the sources of CUDA's kernels say."""
import unittest

import torch
import torch.nn.functional as F

from cuda_case import CudaTest

FAR = 1 << 32  # nothing of it is left in 32 bits


def cuda(values, dtype=None):
    return torch.tensor(values, dtype=dtype, device="cuda")


class Division(CudaTest):
    def test_integers_by_0_go_on(self):
        numbers, divisors, nonzero = torch.tensor([7, -7, 5]), torch.tensor([2, 0, -3]), torch.tensor([True, False, True])
        for call in (torch.floor_divide, torch.remainder, torch.fmod, lambda a, b: torch.div(a, b, rounding_mode="floor"),
                     lambda a, b: torch.div(a, b, rounding_mode="trunc"), lambda a, b: a.clone().floor_divide_(b),
                     lambda a, b: torch.remainder(a, b, out=torch.empty_like(a))):
            for dtype in (torch.int64, torch.int32, torch.int8):
                got = call(numbers.to("cuda", dtype), divisors.to("cuda", dtype))
                self.assert_same(got[nonzero.cuda()], call(numbers.to(dtype)[nonzero], divisors.to(dtype)[nonzero]))
        for call in (lambda a: a // 0, lambda a: a % 0, lambda a: 5 % (a - a), lambda a: 5 // (a - a), lambda a: torch.fmod(a, 0),
                     lambda a: a // torch.tensor(0), lambda a: a // torch.zeros(3, dtype=torch.bool, device="cuda"),
                     lambda a: a.unsqueeze(0) % torch.zeros(2, 1, dtype=torch.int32, device="cuda")):
            self.assertEqual(call(cuda([7, -7, 5])).dtype, torch.int64)
        torch.cuda.synchronize()

    def test_true_division_and_floats_are_as_ever(self):
        self.assert_same(cuda([1, 0]) / cuda([0, 5]), torch.tensor([float("inf"), 0.0]))
        self.assert_same(cuda([1.0, -1.0]) // cuda([0, 0]), torch.tensor([1.0, -1.0]) // torch.tensor([0, 0]))


class CutIndices(CudaTest):
    def test_what_is_left_of_an_index_counts(self):
        table = torch.arange(12.0).view(4, 3)
        for call in (lambda ids: table.cuda().index_select(0, ids), lambda ids: F.embedding(ids, table.cuda())):
            self.assert_same(call(cuda([FAR + 1, 2])), table[[1, 2]])
        self.assert_same(cuda([0.0, 0.0]).index_add(0, cuda([FAR + 1]), cuda([5.0])), torch.tensor([0.0, 5.0]))
        scores = torch.tensor([[0.1, 0.2, 0.7]])
        self.assert_same(F.multi_margin_loss(scores.cuda(), cuda([FAR + 1])), F.multi_margin_loss(scores, torch.tensor([1])))
        pixels = torch.randn(1, 3, 1, 3)
        self.assert_same(F.nll_loss(pixels.cuda(), cuda([[[FAR + 1, FAR - 100, 2]]])), F.nll_loss(pixels, torch.tensor([[[1, -100, 2]]])))
        self.assert_same(F.max_unpool2d(torch.ones(1, 1, 1, 1, device="cuda"), cuda([[[[FAR + 3]]]]), 2), torch.tensor([[[[0.0, 0.0], [0.0, 1.0]]]]))

    def test_kernels_that_cut_nothing_assert(self):
        pixels = torch.randn(1, 3, 1, 1, device="cuda")
        for call in (lambda: torch.zeros(4, 3, device="cuda").index_select(0, cuda([FAR + 1] * 17)),  # more than 16
                     lambda: F.nll_loss(pixels, cuda([[[FAR + 1]]]), reduction="none"), lambda: torch.zeros(2, 2, device="cuda")[cuda([FAR + 1])]):
            self.setUp()
            call()
            with self.assertRaisesRegex(RuntimeError, "device-side assert triggered"):
                torch.cuda.synchronize()


class Grids(CudaTest):
    def gradients(self, device, grid, padding):
        image = torch.arange(16.0, device=device).view(1, 1, 4, 4).requires_grad_()
        grid = grid.detach().clone().to(device).requires_grad_()
        F.grid_sample(image, grid, padding_mode=padding, align_corners=False).sum().backward()
        return image.grad, grid.grad

    def test_nothing_comes_of_what_is_no_number(self):
        bad, one_bad = torch.full((1, 4, 4, 2), float("nan")), torch.zeros(1, 9, 9, 2, dtype=torch.float32)
        one_bad[0, 4, 4, 0] = float("nan")
        infinite = torch.full((1, 4, 4, 2), float("inf"))
        for grid, padding in ((bad, "border"), (bad, "reflection"), (infinite, "reflection")):
            for got in self.gradients("cuda", grid, padding):
                self.assert_same(got, torch.zeros_like(got.cpu()))
        image, _ = self.gradients("cuda", one_bad, "border")
        self.assertAlmostEqual(image.sum().item(), 80, places=3)     # each of the others gives 1 away

    def test_numbers_are_as_ever(self):
        grid = torch.rand(1, 5, 5, 2, generator=torch.Generator().manual_seed(1)) * 6 - 3
        for padding in ("border", "reflection", "zeros"):
            for got, expected in zip(self.gradients("cuda", grid, padding), self.gradients("cpu", grid, padding)):
                self.assert_same(got, expected)


class Labels(CudaTest):
    def test_the_first_negative_one_ends_a_row(self):
        scores = torch.tensor([[0.1, 0.2, 0.7], [0.3, 0.2, 0.1]])
        target = torch.tensor([[1, -7, 77], [FAR + 2, -FAR, -1]])
        as_read = torch.tensor([[1, -1, -1], [2, 0, -1]])
        on_cuda, on_cpu = scores.cuda().requires_grad_(), scores.clone().requires_grad_()
        F.multilabel_margin_loss(on_cuda, target.cuda()).backward()
        F.multilabel_margin_loss(on_cpu, as_read).backward()
        self.assert_same(on_cuda.grad, on_cpu.grad)
        self.assert_same(F.multilabel_margin_loss(scores[0].cuda(), target[0].cuda()), F.multilabel_margin_loss(scores[0], as_read[0]))
        self.assert_same(F.multilabel_margin_loss(scores[0, 0].cuda(), cuda(-7)), torch.tensor(0.0))


class StridedIndices(CudaTest):
    def test_of_adaptive_pooling(self):
        image = torch.randn(2, 3, 4, 4, 4)
        output, indices = F.adaptive_max_pool3d(image, 2, return_indices=True)
        strided = indices.transpose(2, 4).contiguous().transpose(2, 4)
        self.assert_same(torch.ops.aten.adaptive_max_pool3d_backward(output.cuda(), image.cuda(), strided.cuda()),
                         torch.ops.aten.adaptive_max_pool3d_backward(output, image, indices))


class Bags(CudaTest):
    def bags(self, device, offsets, **options):
        weight = torch.arange(15.0).view(5, 3).to(device).requires_grad_()
        output = F.embedding_bag(torch.tensor([0, 1, 2, 3], device=device), weight, torch.tensor(offsets, dtype=torch.long, device=device), **options)
        output.square().sum().backward()
        return output.detach(), weight.grad

    def test_the_first_offset_is_0_and_the_last_is_the_end(self):
        for mode in ("sum", "mean", "max"):
            expected = self.bags("cpu", [0, 2], mode=mode)
            for got in (self.bags("cuda", [-10**12, 2], mode=mode), self.bags("cuda", [3, 2, 99], mode=mode, include_last_offset=True),
                        self.bags("cuda", [3, 2, -1], mode=mode, include_last_offset=True)):
                for on_cuda, on_cpu in zip(got, expected):
                    self.assert_same(on_cuda, on_cpu)

    def test_weights(self):
        expected = self.bags("cpu", [0, 2], mode="sum", per_sample_weights=torch.arange(4.0))
        for on_cuda, on_cpu in zip(self.bags("cuda", [7, 2], mode="sum", per_sample_weights=torch.arange(4.0).cuda().requires_grad_()), expected):
            self.assert_same(on_cuda, on_cpu)
        output = torch._embedding_bag(torch.ones(5, 3, device="cuda"), cuda([0, 1]), cuda([0]), per_sample_weights=cuda([2.0, 3.0, 4.0]))[0]
        self.assert_same(output, torch.full((1, 3), 5.0))

    def test_no_bags(self):
        for mode in ("sum", "mean", "max"):
            for offsets, options in (([], {}), ([9], {"include_last_offset": True})):
                output, grad = self.bags("cuda", offsets, mode=mode, **options)
                self.assertEqual(output.shape, (0, 3))
                self.assert_same(grad, torch.zeros(5, 3))


class Tables(CudaTest):
    def test_nothing_is_selected_from_a_table_without_elements(self):
        self.assertEqual(torch.zeros(3, 0, device="cuda").index_select(0, cuda([7])).shape, (1, 0))
        self.assertEqual(torch.zeros(2, 0, 0, device="cuda").index_select(-1, cuda([7, 8])).shape, (2, 0, 2))
        self.assertEqual(F.embedding(cuda([7, 8]), torch.zeros(3, 0, device="cuda")).shape, (2, 0))
        with self.assertRaisesRegex(RuntimeError, "device-side assert triggered"):
            torch.zeros(0, 3, device="cuda").index_select(0, cuda([0]))


class Numbers(CudaTest):
    def test_probabilities_are_rounded(self):
        p = cuda([1 + 1e-12, -1e-60], torch.double)
        self.assert_same(torch.zeros(2, device="cuda").bernoulli_(p), torch.tensor([1.0, 0.0]))
        torch.zeros(2, dtype=torch.double, device="cuda").bernoulli_(p)
        with self.assertRaisesRegex(RuntimeError, "device-side assert triggered"):
            torch.cuda.synchronize()

    def test_the_smallest_integer_divided_by_minus_1(self):
        for dtype in (torch.int8, torch.int16, torch.int32, torch.int64):
            lowest = torch.iinfo(dtype).min
            numbers, quotients = cuda([lowest, 8], dtype), torch.tensor([lowest, -8], dtype=dtype)
            for other in (-1, cuda(-1, dtype), cuda([-1, -1], dtype)):
                self.assert_same(torch.div(numbers, other, rounding_mode="trunc"), quotients)
                self.assert_same(numbers.clone().div_(other, rounding_mode="trunc"), quotients)
                self.assert_same(numbers // other, quotients)
                self.assert_same(numbers % other, torch.zeros(2, dtype=dtype))
        self.assert_same(torch.div(cuda([-2**31], torch.int32), cuda([-1]), rounding_mode="trunc"), torch.tensor([2**31]))

    def test_common_multiples_of_the_smallest_integer(self):
        lowest = -2**31
        numbers, others = cuda([lowest, 4, lowest], torch.int32), cuda([5, 6, 7], torch.int32)
        expected = torch.tensor([lowest, 12, lowest], dtype=torch.int32)
        self.assert_same(torch.lcm(numbers, others), expected)
        self.assert_same(numbers.clone().lcm_(others), expected)


if __name__ == "__main__":
    unittest.main()
