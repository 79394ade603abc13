"""Calls whose arguments do not fit together, which PyTorch's CPU kernels do not notice: the device refuses them with one clear line instead of leaving
its memory, and runs those whose arguments fit. A row is: operator, arguments that fit, position of one, what takes its place, what is said of it."""
import unittest

import torch
from torch import ones, zeros

from cuda_case import CudaTest

POOL_3D = ([2, 2, 2], [2, 2, 2], [0, 0, 0], False, True, None)
INT = dict(dtype=torch.int64)


def batch_norm_gradient():
    return (ones(2, 3, 4), ones(2, 3, 4), ones(3), ones(3), ones(3), ones(3), ones(3), True, 0.1, [True] * 3)


CALLS = [
    ("_adaptive_avg_pool2d_backward", (ones(2, 3, 1, 1), ones(2, 3, 4, 4)), 0, ones(4, 3, 1, 1),
     "grad_output is [4, 3, 1, 1], which does not fit self, [2, 3, 4, 4]"),
    ("_adaptive_avg_pool3d_backward", (ones(3, 1, 1, 1), ones(3, 2, 2, 2)), 1, ones(3, 0, 2, 2), "grad_output is"),
    ("avg_pool2d_backward", (ones(2, 1, 2, 2), ones(2, 1, 4, 4), [2, 2], [2, 2], [0, 0], False, True, None), 0, ones(1, 1, 2, 2), "grad_output is"),
    ("avg_pool3d_backward", (ones(2, 1, 2, 2, 2), ones(2, 1, 4, 4, 4), *POOL_3D), 0, ones(0, 1, 2, 2, 2), "grad_output is"),
    ("adaptive_max_pool2d_backward", (ones(1, 1, 1), ones(1, 2, 2), zeros(1, 1, 1, **INT)), 1, ones(2, 2, 2), "grad_output is [1, 1, 1]"),
    ("adaptive_max_pool3d_backward", (ones(1, 1, 1, 1), ones(1, 2, 2, 2), zeros(1, 1, 1, 1, **INT)), 1, ones(2, 2, 2, 2), "grad_output is [1, 1, 1, 1]"),
    ("max_pool2d_with_indices_backward", (ones(2, 1, 1, 1), ones(2, 1, 2, 2), [2, 2], [2, 2], [0, 0], [1, 1], False, zeros(2, 1, 1, 1, **INT)), 0,
     ones(1, 1, 1, 1), "grad_output is"),
    ("fractional_max_pool2d_backward", (ones(1, 1, 1, 1), ones(1, 1, 3, 3), [2, 2], [1, 1], zeros(1, 1, 1, 1, **INT)),
     3, [], "output_size has 0 numbers instead of 2"),
    ("fractional_max_pool3d_backward", (ones(1, 1, 1, 1, 1), ones(1, 1, 3, 3, 3), [2, 2, 2], [1, 1, 1], zeros(1, 1, 1, 1, 1, **INT)), 4,
     zeros(1, 1, 0, 1, 1, **INT), "indices is"),
    ("reflection_pad1d_backward", (ones(1, 1, 5), ones(1, 1, 3), [1, 1]), 2, [], "padding has 0 numbers instead of 2"),
    ("reflection_pad3d", (ones(1, 1, 3, 3, 3), [1] * 6), 1, [1, 1], "padding has 2 numbers instead of 6"),
    ("replication_pad2d_backward", (ones(2, 1, 4, 4), ones(2, 1, 2, 2), [1] * 4), 0, ones(1, 1, 4, 4), "grad_output is"),
    ("grid_sampler_2d_backward", (ones(2, 1, 2, 2), ones(2, 1, 3, 3), zeros(2, 2, 2, 2), 0, 0, False, [True, True]), 0, ones(1, 1, 2, 2),
     "grad_output is"),
    ("grid_sampler_3d_backward", (ones(1, 1, 1, 1, 1), ones(1, 1, 2, 2, 2), zeros(1, 1, 1, 1, 3), 0, 0, False, [True, True]), 0, ones(1, 1, 0, 1, 1),
     "which does not fit grid"),
    ("_upsample_bilinear2d_aa", (ones(1, 1, 4, 4), [6, 6], False, 1.5, 1.5), 1, [1000, 6], "scales_h is 1.5, which does not take 4 to 1000"),
    ("_log_softmax_backward_data", (ones(2, 3), ones(2, 3), 1, torch.float32), 0, ones(2, 0), "grad_output is"),
    ("native_batch_norm", (ones(2, 3, 4), ones(3), ones(3), zeros(3), ones(3), True, 0.1, 0.1), 3, zeros(0),
     "running_mean is [0], which does not fit input, [2, 3, 4]"),
    ("native_batch_norm_backward", batch_norm_gradient(), 0, ones(2, 3, 0), "grad_out is"),
    ("native_batch_norm_backward", batch_norm_gradient(), 5, ones(0), "save_mean is [0]"),
    ("native_layer_norm_backward", (ones(2, 3), ones(2, 3), [3], ones(2, 1), ones(2, 1), ones(3), ones(3), [True] * 3), 3, ones(1, 1), "mean is"),
    ("_cdist_backward", (ones(2, 3), ones(2, 4), ones(3, 4), 1.0, ones(2, 3)), 4, ones(0), "cdist is"),
    ("_pdist_backward", (ones(3), ones(3, 2), 2.0, ones(3)), 1, ones(0, 2), "self has no rows"),
    ("unfold_backward", (ones(2, 3), [4], 0, 3, 1), 0, ones(2, 1), "grad_in is [2, 1], which does not fit the windows, [2, 3]"),
    ("multi_margin_loss_backward", (ones(()), ones(2, 3), zeros(2, **INT), 1, 1.0), 0, ones(0), "grad_output is [0]"),
    ("multilabel_margin_loss_backward", (ones(()), ones(2, 3), zeros(2, 3, **INT), 1, zeros(2, 3)), 0, ones(0), "grad_output is [0]"),
    ("_cummax_helper", (ones(3), ones(3), zeros(3, **INT), 0), 1, ones(0), "values is"),
    ("_cholesky_solve_helper", (ones(2, 3, 1), torch.eye(3).expand(2, 3, 3).contiguous(), False), 0, ones(1, 3, 1), "self is"),
    ("lu_unpack", (torch.eye(3), torch.tensor([1, 2, 3], dtype=torch.int32)), 1, torch.tensor([], dtype=torch.int32), "LU_pivots is [0]"),
    ("linalg_ldl_solve", (torch.eye(2), torch.tensor([1, 2], dtype=torch.int32), ones(2, 1)), 1, torch.tensor([1, -1], dtype=torch.int32),
     "pivots holds -1 at 1"),
    ("_convert_indices_from_csr_to_coo", (torch.tensor([0, 1, 2]), torch.tensor([0, 1])), 0, torch.tensor([1, 2, 0]), "crow_indices decreases"),
    ("embedding_dense_backward", (ones(2, 3), torch.tensor([0, 1]), 2, -1, True), 1, torch.tensor([0, -1]), "indices holds -1"),
    ("linalg_eigvals", (torch.eye(2),), 0, torch.full((2, 2), float("nan")), "infinities or NaNs"),
    ("linalg_eigvals", (torch.eye(2, dtype=torch.complex128),), 0, torch.full((2, 2), complex(0, float("inf"))), "infinities or NaNs"),
    ("slow_conv_transpose2d", (ones(1, 1, 2, 2), ones(1, 1, 3, 3), [3, 3]), 2, [900, 900], "kernel_size is [900, 900], which does not fit weight, [1, 1, 3, 3]"),
    ("_weight_norm", (ones(4, 3), ones(4, 1), 0), 1, ones(1, 1), "g is [1, 1], which does not fit v, [4, 3]"),
    ("_weight_norm", (ones(4, 3), ones(1, 3), 1), 1, ones(1, 1), "g is [1, 1], which does not fit v, [4, 3]"),
    ("_weight_norm_interface_backward", (ones(4, 3), ones(4, 3), ones(4, 1), ones(4, 1), 0), 3, ones(1), "saved_norms is [1], which does not fit saved_v, [4, 3]"),
    ("_transform_bias_rescale_qkv", (ones(1, 2, 12), ones(12), 2), 2, 0, "num_heads is not above 0"),
    ("_transform_bias_rescale_qkv", (ones(1, 2, 12), ones(12), 2), 1, ones(24), "qkv_bias is [24], which does not fit qkv, [1, 2, 12]"),
    ("_fft_c2c", (ones(4, dtype=torch.complex64), [0], 0, True), 1, [2**31], "dim holds 2147483648"),
]


class Preconditions(CudaTest):
    def call(self, operator, arguments):
        self.setUp()
        return getattr(torch.ops.aten, operator)(*[value.cuda() if isinstance(value, torch.Tensor) else value for value in arguments])

    def test_what_fits_runs(self):
        for operator, arguments, *_ in CALLS:
            with self.subTest(operator):
                got = self.call(operator, arguments)
                expected = getattr(torch.ops.aten, operator)(*[value.clone() if isinstance(value, torch.Tensor) else value for value in arguments])
                for on_cuda, on_cpu in zip(*([x] if isinstance(x, torch.Tensor) else x or () for x in (got, expected))):
                    self.assert_same(on_cuda, on_cpu)

    def test_what_does_not_is_refused(self):
        for operator, arguments, position, misfit, said in CALLS:
            with self.subTest(operator, position=position):
                with self.assertRaises(RuntimeError) as raised:
                    self.call(operator, [*arguments[:position], misfit, *arguments[position + 1:]])
                self.assertRegex(str(raised.exception), r"^the simulated device cannot run aten::")
                self.assertIn(said, str(raised.exception))

    def test_optimizers_go_through_lists_that_fit(self):
        for optimizer in (torch.optim.Adam, torch.optim.AdamW, lambda p, fused: torch.optim.SGD(p, lr=0.1, momentum=0.9, fused=fused)):
            with self.subTest(optimizer):
                self.setUp()
                weights = [[ones(1000, 3, device=device).requires_grad_()] for device in ("cuda", "cpu")]
                steps = [optimizer(weight, fused=True) for weight in weights]
                for weight, step in zip(weights, steps):
                    (weight[0] ** 2).sum().backward()
                    step.step()
                self.assert_same(weights[0][0].detach(), weights[1][0].detach())
                for state in steps[0].state.values():
                    for name in state:
                        if name != "step":
                            state[name] = zeros(1, device="cuda")
                with self.assertRaisesRegex(RuntimeError, r"\[0\] is \[1\], which does not fit self\[0\], \[1000, 3\]"):
                    steps[0].step()
        with self.assertRaisesRegex(RuntimeError, "state_sums has 1 tensors, and self has 2"):
            two, one = [ones(2).cuda(), ones(2).cuda()], [ones(2).cuda()]
            torch._fused_adagrad_(two, two, one, two, lr=0.1, lr_decay=0, weight_decay=0, eps=1e-8, maximize=False)

    def test_what_cuda_fails_with_comes_first(self):
        with self.assertRaisesRegex(RuntimeError, "an illegal memory access was encountered"):
            self.call("adaptive_max_pool2d_backward", (ones(1, 1, 1), ones(1, 2, 2), zeros(1, 1, 0, **INT)))

    def test_a_storage_that_was_resized_under_a_tensor(self):
        for call in (lambda x: x * 2, lambda x: x.add_(1), lambda x: x.cpu(), lambda x: x.sum(), torch.bernoulli):
            freed = torch.ones(100, device="cuda")
            freed.untyped_storage().resize_(0)
            with self.assertRaisesRegex(RuntimeError, "whose storage was resized to 0; on CUDA that is an illegal memory access"):
                call(freed)
            freed.untyped_storage().resize_(400)
            self.assertEqual(freed.fill_(2).sum().item(), 200)

    def test_bags_whose_indices_were_overwritten(self):
        bags = torch.nn.EmbeddingBag(50, 3, mode="mean").cuda()
        indices = torch.arange(40, device="cuda")
        output = bags(indices, torch.tensor([0, 1], device="cuda"))
        indices.data.fill_(-1)
        with self.assertRaisesRegex(RuntimeError, "indices holds -1, and there are 50 rows to count"):
            output.sum().backward()

    def test_a_statistic_that_evaluation_does_not_need_may_be_empty(self):
        arguments = list(batch_norm_gradient())
        arguments[5:8] = [ones(0), ones(0), False]
        self.assert_cuda(*self.call("native_batch_norm_backward", arguments))

    @unittest.skipUnless(torch._C._dispatch_has_kernel_for_dispatch_key("aten::nonzero", "CUDA"), "this LibTorch does not know CUDA's kernels")
    def test_what_cuda_has_no_kernel_for(self):
        with self.assertRaisesRegex(NotImplementedError, "Could not run 'aten::slow_conv3d_forward' with arguments from the 'CUDA' backend"):
            torch.ops.aten.slow_conv3d(ones(1, 1, 2, 2, 2).cuda(), ones(1, 1, 1, 1, 1).cuda(), [1, 1, 1], None, [1, 1, 1], [0, 0, 0])


class SparseIndices(CudaTest):
    """Each tensor holds one bad number, of which no public function takes notice when it is made."""

    def tensors(self, bad):
        values = torch.ones(3, device="cuda")
        number = lambda numbers: torch.tensor(numbers, device="cuda")
        yield torch.sparse_coo_tensor(number([[0, 2, 1], [1, bad, 0]]), values, (4, 4))
        yield torch.sparse_coo_tensor(number([[0, bad, 1], [1, 0, 0]]), values, (4, 4))
        for make in (torch.sparse_csr_tensor, torch.sparse_csc_tensor):
            yield make(number([0, 1, 2, 2, 3]), number([0, bad, 1]), values, (4, 4))
            yield make(number([0, 1, bad, 2, 3]), number([0, 1, 2]), values, (4, 4))
            yield make(number([0, 1, 2, 2, bad]), number([0, 1, 2]), values, (4, 4))
        blocks = torch.ones(2, 2, 2, device="cuda")
        yield torch.sparse_bsr_tensor(number([0, 1, 2]), number([0, bad]), blocks, (4, 4))
        yield torch.sparse_bsr_tensor(number([0, bad, 2]), number([0, 1]), blocks, (4, 4))

    def test_no_kernel_trusts_them(self):
        dense = torch.ones(4, 4, device="cuda")
        calls = [lambda s: torch.sparse.mm(s, s), lambda s: s.to_sparse_bsr((2, 2)), lambda s: s.to_sparse_bsc((2, 2)), lambda s: s.to_sparse_csc(),
                 lambda s: s.to_sparse_csr(), lambda s: s.to_sparse_coo(), lambda s: s.select(1, 1), dense.sparse_mask,
                 lambda s: torch.triangular_solve(dense, s), lambda s: torch.sparse.sum(s, 1), lambda s: s.sum(1, keepdim=True),
                 lambda s: torch.smm(s, dense), lambda s: torch.sspaddmm(s, s, dense), lambda s: torch.sparse.mm(s, dense, "sum"),
                 lambda s: dense @ s, lambda s: s @ dense[0], lambda s: s.detach().requires_grad_().to_dense().sum().backward()]
        refused = 0
        for bad in (9, -1, 100_000_000):
            for index in range(10):
                for call in calls:
                    self.setUp()
                    tensor = list(self.tensors(bad))[index]
                    try:
                        call(tensor)  # a layout that it does not take is refused for that
                        torch.cuda.synchronize()
                    except RuntimeError as error:
                        refused += "would leave its memory" in str(error)
                    except (IndexError, ValueError):
                        pass
        self.assertGreater(refused, 100)

    def test_good_ones_pass(self):
        dense = torch.eye(4)
        for layout in (torch.sparse_coo, torch.sparse_csr, torch.sparse_csc):
            sparse = dense.to_sparse(layout=layout)
            self.assert_same(torch.sparse.mm(sparse.cuda(), dense.cuda()), dense)
            self.assert_same(sparse.cuda().to_sparse(layout=torch.sparse_bsr, blocksize=(2, 2)).to_dense(), dense)
        self.assert_same(torch.sparse.sum(dense.to_sparse().cuda(), 1).to_dense(), torch.ones(4))


if __name__ == "__main__":
    unittest.main()
