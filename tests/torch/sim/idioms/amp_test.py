"""Mixed precision as programs write it: autocast by every name, GradScaler with an overflow, custom_fwd and custom_bwd."""
import unittest
import warnings

import torch
import torch.nn as nn

from cuda_case import CudaTest


class Autocast(CudaTest):
    def test_every_spelling(self):
        model, x = nn.Linear(4, 3).cuda(), torch.randn(2, 4, device="cuda")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            contexts = [(torch.autocast("cuda"), torch.float16), (torch.autocast("cuda", torch.bfloat16), torch.bfloat16),
                        (torch.autocast(device_type="cuda", dtype=torch.float16), torch.float16), (torch.amp.autocast("cuda"), torch.float16),
                        (torch.cuda.amp.autocast(), torch.float16), (torch.cuda.amp.autocast(dtype=torch.bfloat16), torch.bfloat16),
                        (torch.autocast("cuda", enabled=False), torch.float32), (torch.cuda.amp.autocast(False), torch.float32),
                        (torch.autocast(x.device.type), torch.float16), (torch.autocast("cpu", torch.bfloat16), torch.float32)]
        for context, dtype in contexts:
            with context:
                self.assertEqual(model(x).dtype, dtype)
        self.assertEqual(model(x).dtype, torch.float32)

        @torch.autocast("cuda")
        def decorated():
            return model(x)

        self.assertEqual(decorated().dtype, torch.float16)

    def test_state(self):
        self.assertFalse(torch.is_autocast_enabled())
        self.assertTrue(torch.amp.is_autocast_available("cuda"))
        with torch.autocast("cuda", torch.bfloat16):
            self.assertTrue(torch.is_autocast_enabled())
            self.assertTrue(torch.is_autocast_enabled("cuda"))
            self.assertFalse(torch.is_autocast_enabled("cpu"))
            self.assertEqual(torch.get_autocast_dtype("cuda"), torch.bfloat16)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.assertEqual(torch.get_autocast_gpu_dtype(), torch.bfloat16)
            with torch.autocast("cuda", enabled=False):
                self.assertFalse(torch.is_autocast_enabled())
        self.assertFalse(torch.is_autocast_enabled("cuda"))

    def test_which_operators_run_in_which_precision(self):
        a, b = torch.randn(3, 3, device="cuda"), torch.randn(3, 3, device="cuda")
        image = torch.randn(1, 2, 8, 8, device="cuda")
        with torch.autocast("cuda"):
            for half in (a @ b, nn.functional.linear(a, b), torch.bmm(a[None], b[None]), nn.functional.conv2d(image, torch.randn(2, 2, 3, 3, device="cuda")),
                         nn.LSTM(3, 3, device="cuda")(a)[0]):
                self.assertEqual(half.dtype, torch.float16)
            product = a @ b
            for full in (product.softmax(0), product.exp(), product.sum(), product.norm(), nn.functional.layer_norm(product, (3,)),
                         nn.functional.cross_entropy(product, torch.tensor([0, 1, 2], device="cuda")), nn.functional.mse_loss(product, b)):
                self.assertEqual(full.dtype, torch.float32)
            self.assertEqual((product + a).dtype, torch.float32)
            with self.assertRaisesRegex(RuntimeError, "unsafe to autocast"):
                nn.functional.binary_cross_entropy(torch.rand(3, device="cuda"), torch.rand(3, device="cuda"))

    def test_custom_functions(self):
        seen = []

        class Mul(torch.autograd.Function):
            @staticmethod
            @torch.amp.custom_fwd(device_type="cuda", cast_inputs=torch.float32)
            def forward(ctx, a, b):
                ctx.save_for_backward(a, b)
                seen.append((a.dtype, torch.is_autocast_enabled("cuda")))
                return a * b

            @staticmethod
            @torch.amp.custom_bwd(device_type="cuda")
            def backward(ctx, grad):
                a, b = ctx.saved_tensors
                seen.append((grad.dtype, torch.is_autocast_enabled("cuda")))
                return grad * b, grad * a

        a = torch.randn(3, device="cuda", dtype=torch.half, requires_grad=True)
        with torch.autocast("cuda"):
            Mul.apply(a, a).sum().backward()
        self.assertEqual(seen, [(torch.float32, False)] * 2)
        self.assertEqual(a.grad.dtype, torch.half)


class Scaler(CudaTest):
    def test_an_infinite_gradient_skips_the_step(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scalers = [torch.amp.GradScaler("cuda", init_scale=1024.0), torch.cuda.amp.GradScaler(init_scale=1024.0), torch.amp.GradScaler(init_scale=1024.0)]
        for scaler in scalers:
            model = nn.Linear(2, 1).cuda()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            self.assertTrue(scaler.is_enabled())
            for value, stepped in ((1.0, True), (float("inf"), False), (float("nan"), False), (2.0, True)):
                before, scale = model.weight.detach().clone(), scaler.get_scale()
                optimizer.zero_grad()
                with torch.autocast("cuda"):
                    loss = (model(torch.ones(3, 2, device="cuda")).float() * value).mean()
                scaler.scale(loss).backward()
                scaler.unscale_(optimizer)
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                scaler.step(optimizer)
                scaler.update()
                self.assertEqual(not torch.equal(before, model.weight), stepped)
                self.assertEqual(scaler.get_scale(), scale if stepped else scale / 2)

    def test_state(self):
        scaler = torch.amp.GradScaler("cuda", init_scale=8.0)
        scaled = scaler.scale(torch.ones(1, device="cuda"))
        self.assert_same(scaled, torch.full((1,), 8.0))
        other = torch.amp.GradScaler("cuda")
        other.load_state_dict(scaler.state_dict())
        self.assertEqual(other.get_scale(), 8.0)
        self.assertEqual(torch.amp.GradScaler("cuda", enabled=False).scale(3.0), 3.0)

    def test_fused_and_foreach_optimizers(self):
        plain = [(kind, {}) for kind in (torch.optim.Adadelta, torch.optim.Adamax, torch.optim.ASGD, torch.optim.NAdam, torch.optim.RAdam, torch.optim.Rprop,
                                         torch.optim.LBFGS, torch.optim.Adafactor)]
        fused = [(torch.optim.Adam, {"fused": True}), (torch.optim.AdamW, {"fused": True}), (torch.optim.SGD, {"fused": True, "momentum": 0.9})]
        foreach = [(torch.optim.Adagrad, {"foreach": True}), (torch.optim.Adam, {"foreach": True, "amsgrad": True}), (torch.optim.RMSprop, {"foreach": True})]
        for kind, options in plain + fused + foreach + [(torch.optim.AdamW, {"capturable": True})]:
            with self.subTest(f"{kind.__name__} {options}"):
                results = []
                for device in ("cpu", "cuda"):
                    torch.manual_seed(0)
                    model, x = nn.Linear(4, 3).to(device), torch.randn(5, 4).to(device)
                    ours = {name: value for name, value in options.items() if device == "cuda" or name != "capturable"}
                    optimizer = kind(model.parameters(), lr=0.1, **ours)

                    def closure():
                        optimizer.zero_grad()
                        loss = model(x).pow(2).mean()
                        loss.backward()
                        return loss

                    for _ in range(3):
                        optimizer.step(closure)
                    reloaded = kind(model.parameters(), lr=0.1, **ours)
                    reloaded.load_state_dict(optimizer.state_dict())
                    reloaded.step(closure)
                    results.append(model.weight.detach())
                self.assert_same(results[1], results[0], atol=1e-5, rtol=1e-4)


if __name__ == "__main__":
    unittest.main()
