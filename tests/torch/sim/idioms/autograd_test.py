"""Autograd and what is built on it: views and in-place calls, Function, hooks, anomaly mode, checkpoint, torch.func, threads."""
import threading
import unittest
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

from cuda_case import CudaTest


class Gradients(CudaTest):
    def both(self, function, *shapes):
        """function of leaves on each device: the value and the gradients agree."""
        values = [torch.randn(shape) for shape in shapes]
        leaves = [[value.to(device, copy=True).requires_grad_() for value in values] for device in ("cpu", "cuda")]
        results = [function(*inputs) for inputs in leaves]
        for result in results:
            result.sum().backward()
        self.assert_same(results[1].detach(), results[0].detach())
        for ours, expected in zip(leaves[1], leaves[0]):
            self.assert_same(ours.grad, expected.grad)

    def test_views_and_in_place_calls(self):
        def rows(x):
            y = x * 2
            y[0].mul_(3)
            y[:, 1] = 5
            y.t()[2].add_(y[0, 0])
            return y

        def accumulate(x):
            out = torch.zeros(3, 3, device=x.device)
            out.index_add_(0, torch.tensor([0, 2], device=x.device), x[:2])
            out[1] += x[0]
            return F.relu_(out)

        def chunks(x):
            a, b = (x * 1).split(2, 1)
            return torch.cat([a.exp(), b.sigmoid()], 1).permute(1, 0).reshape(-1).unfold(0, 2, 1)

        self.both(rows, (3, 3))
        self.both(accumulate, (3, 3))
        self.both(chunks, (3, 4))
        self.both(lambda x: torch.view_as_complex(x).abs(), (3, 2))
        self.both(lambda x: x.as_strided((2, 2), (1, 2)) * x.diagonal()[:2], (3, 3))
        self.both(lambda x, y: torch.where(x > 0, x, y).masked_fill(y > 1, 0), (3, 3), (3, 3))

    def test_errors_of_autograd(self):
        x = torch.ones(2, device="cuda", requires_grad=True)
        with self.assertRaisesRegex(RuntimeError, "a leaf Variable that requires grad is being used in an in-place operation"):
            x.add_(1)
        y = x.exp()
        y.add_(1)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            y.sum().backward()
        z = (x * x).sum()
        z.backward()
        with self.assertRaisesRegex(RuntimeError, "backward through the graph a second time"):
            z.backward()

    def test_grad_modes(self):
        x = torch.ones(2, device="cuda", requires_grad=True)
        with torch.no_grad():
            self.assertFalse((x * 2).requires_grad)
        with torch.inference_mode():
            self.assertTrue((x * 2).is_inference())
        first, = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)
        second, = torch.autograd.grad(first.sum(), x)
        self.assert_same(second, torch.full((2,), 6.0))
        self.assertTrue(torch.autograd.gradcheck(lambda a: (a * a).sin(), torch.randn(3, device="cuda", dtype=torch.double, requires_grad=True)))
        self.assert_cuda(torch.autograd.functional.hessian(lambda a: (a ** 3).sum(), x.detach()), torch.autograd.functional.jacobian(torch.exp, x.detach()))

    def test_function(self):
        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, scale):
                ctx.save_for_backward(x)
                ctx.scale = scale
                return x * x * scale

            @staticmethod
            def backward(ctx, grad):
                x, = ctx.saved_tensors
                return grad * 2 * x * ctx.scale, None

        self.both(lambda x: Square.apply(x, 3), (4,))

    def test_saved_tensor_hooks(self):
        x = torch.ones(4, device="cuda", requires_grad=True)
        with torch.autograd.graph.save_on_cpu(pin_memory=True):
            y = (x * x).exp()
        y.sum().backward()
        self.assert_cuda(x.grad)
        seen = []
        with torch.autograd.graph.saved_tensors_hooks(lambda t: seen.append(t.device) or t, lambda t: t):
            x.exp().sum().backward()
        self.assertEqual(set(seen), {torch.device("cuda:0")})

    def test_anomaly_mode(self):
        x = torch.zeros(2, device="cuda", requires_grad=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with torch.autograd.detect_anomaly(), self.assertRaisesRegex(RuntimeError, "returned nan values"):
                (x.sqrt() * 0).sum().backward()


class Checkpoints(CudaTest):
    def test_dropout_repeats(self):
        for reentrant in (False, True):
            for preserve in (True, False):
                w = torch.ones(100, device="cuda", requires_grad=True)
                out = checkpoint(lambda a: F.dropout(a, 0.5), w, use_reentrant=reentrant, preserve_rng_state=preserve)
                out.sum().backward()
                if preserve:
                    self.assert_same(w.grad, out.detach().cpu())

    def test_models(self):
        model = nn.Sequential(*[nn.Linear(4, 4) for _ in range(4)]).cuda()
        x = torch.randn(2, 4, device="cuda", requires_grad=True)
        model(x).sum().backward()
        expected, x.grad = x.grad.cpu(), None
        with torch.autocast("cuda", enabled=False):
            checkpoint_sequential(model, 2, x, use_reentrant=False).sum().backward()
        self.assert_same(x.grad, expected)
        with torch.autocast("cuda", torch.bfloat16):
            self.assertEqual(checkpoint(model, x, use_reentrant=False).dtype, torch.bfloat16)


class Func(CudaTest):
    def test_transforms(self):
        from torch.func import functional_call, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp, vmap
        x = torch.randn(3, 4)
        model = nn.Linear(4, 2)
        functions = [lambda a: vmap(lambda r: r.dot(r))(a), lambda a: grad(lambda b: (b ** 3).sum())(a), lambda a: vmap(grad(lambda b: b.sin().sum()))(a),
                     lambda a: jvp(torch.exp, (a,), (torch.ones_like(a),))[1], lambda a: vjp(torch.exp, a)[1](torch.ones_like(a))[0],
                     lambda a: jacrev(torch.sin)(a), lambda a: jacfwd(torch.sin)(a), lambda a: hessian(lambda b: (b ** 3).sum())(a),
                     lambda a: grad_and_value(lambda b: b.pow(2).sum())(a)[1], lambda a: vmap(torch.mv, (None, 0))(torch.ones(2, 4, device=a.device), a),
                     lambda a: functional_call(model.to(a.device), dict(model.named_parameters()), (a,)).detach()]
        for function in functions:
            expected = function(x)
            self.assert_same(function(x.cuda()), expected)
        self.assert_cuda(vmap(lambda a: a + torch.rand(4, device="cuda"), randomness="different")(x.cuda()))

    def test_forward_mode(self):
        import torch.autograd.forward_ad as forward_ad
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(torch.ones(2, device="cuda"), torch.full((2,), 3.0, device="cuda"))
            self.assert_same(forward_ad.unpack_dual(dual * dual).tangent, torch.full((2,), 6.0))


class Threads(CudaTest):
    def test_many_threads(self):
        results, errors = {}, []

        def work(i):
            try:
                x = torch.full((50,), float(i), device="cuda", requires_grad=True)
                for _ in range(50):
                    (x * x).sum().backward()
                results[i] = x.grad
            except Exception as error:  # re-raised below, in the test's thread
                errors.append(error)

        before = torch.cuda.memory_allocated()
        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(errors, [])
        for i, gradient in results.items():
            self.assert_same(gradient, torch.full((50,), 100.0 * i))
        del gradient
        results.clear()
        self.assertEqual(torch.cuda.memory_allocated(), before)

    def test_futures(self):
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(4) as pool:
            made = list(pool.map(lambda i: torch.arange(i, device="cuda").sum(), range(20)))
        self.assertEqual([value.item() for value in made], [i * (i - 1) // 2 for i in range(20)])


if __name__ == "__main__":
    unittest.main()
