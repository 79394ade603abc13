"""Unchanged Python that says "cuda" on the simulated device: each test is what a training script does."""
import copy
import io
import os
import subprocess
import sys
import threading
import unittest

import torch
import torch.nn as nn
import torch.nn.functional as F

import minrepro_simulate

from cuda_case import CudaTest

minrepro_simulate.install()  # cuda_case did: the second time does nothing


class Devices(CudaTest):
    def test_every_way_to_say_cuda(self):
        x = torch.ones(2)
        self.assert_cuda(x.cuda(), x.cuda(0), x.to("cuda"), x.to("cuda:0"), x.to(device="cuda"), x.to(torch.device("cuda", 0)), x.to("cuda", torch.half),
                         torch.zeros(2, device="cuda"), torch.tensor([1, 2], device="cuda"), torch.zeros_like(x, device="cuda"), x.cuda().new_zeros(2),
                         torch.as_tensor([1.0], device="cuda"), torch.cuda.FloatTensor([1, 2]), x.type("torch.cuda.HalfTensor"), x.to(0), x.cuda().clone())
        self.assertFalse(x.is_cuda)
        self.assertFalse(x.cuda().cpu().is_cuda)

    def test_moving_to_where_it_is_gives_the_same_tensor(self):
        x = torch.ones(2, device="cuda")
        self.assertIs(x.to("cuda"), x)
        self.assertIs(x.cuda(), x)
        self.assertIs(x.to(x.device), x)

    def test_there_is_one_device(self):
        with self.assertRaisesRegex(RuntimeError, "invalid device ordinal"):
            torch.ones(2, device="cuda:1")
        self.assertEqual(torch.cuda.device_count(), 1)

    def test_texts_name_cuda(self):
        x = torch.ones(1, device="cuda")
        self.assertEqual(repr(x), "tensor([1.], device='cuda:0')")
        self.assertEqual(x.type(), "torch.cuda.FloatTensor")
        self.assertEqual(str(x.device), "cuda:0")

    def test_default_device(self):
        torch.set_default_device("cuda")
        try:
            self.assert_cuda(torch.ones(2), nn.Linear(2, 2).weight)
            self.assertEqual(torch.get_default_device(), torch.device("cuda:0"))
        finally:
            torch.set_default_device(None)
        with torch.device("cuda"):
            self.assert_cuda(torch.ones(2))
        self.assertFalse(torch.ones(2).is_cuda)

    def test_threads(self):
        seen = []
        thread = threading.Thread(target=lambda: seen.append(torch.ones(2, device="cuda")))
        thread.start()
        thread.join()
        self.assert_cuda(*seen)
        self.assertEqual(len(seen), 1)

    def test_mixed_devices_raise(self):
        with self.assertRaisesRegex(RuntimeError, "Expected all tensors to be on the same device"):
            torch.ones(2, device="cuda") + torch.ones(2)

    def test_a_number_on_the_cpu_is_read_only_by_element_wise_operators(self):
        row, one, total = torch.ones(3, device="cuda"), torch.tensor(1), torch.tensor(0.0)
        self.assert_cuda(row + one, row.clone().fill_(one), row.masked_fill(row > 0, one), torch.where(row > 0, row, one), row.clamp(max=one))
        row[0] = one
        if not torch._C._dispatch_has_kernel_for_dispatch_key("aten::nonzero", "CUDA"):
            self.skipTest("this LibTorch does not know CUDA's kernels")
        for call in (lambda: total.add_(row.sum()), lambda: row.take(one), lambda: row.gather(0, one), lambda: row.index_select(0, one),
                     lambda: torch.nn.functional.cross_entropy(row, one), lambda: torch.sum(row, dim=0, out=torch.tensor(0.0))):
            with self.assertRaisesRegex(RuntimeError, "Expected all tensors to be on the same device"):
                call()

    def test_memory_that_a_kernel_has_no_room_for(self):
        side = torch.ones(3_000_000, device="cuda")
        with self.assertRaisesRegex(torch.OutOfMemoryError, "CUDA out of memory"):
            side[:, None] + side[None]

    def test_random_numbers(self):
        generator = torch.Generator(device="cuda")
        generator.manual_seed(3)
        expected = torch.rand(4, generator=torch.Generator().manual_seed(3))
        got = torch.rand(4, device="cuda", generator=generator)
        self.assertTrue(torch.equal(got.cpu(), expected))
        self.assertIsInstance(generator, torch.Generator)
        torch.cuda.manual_seed_all(5)
        state = torch.cuda.get_rng_state()
        first = torch.rand(3, device="cuda")
        torch.cuda.set_rng_state(state)
        self.assertTrue(torch.equal(first, torch.rand(3, device="cuda")))


class Training(CudaTest):
    def step(self, model, x):
        optimizer = torch.optim.AdamW(model.parameters())
        before = [p.detach().clone() for p in model.parameters()]
        model(x).float().pow(2).mean().backward()
        optimizer.step()
        self.assertFalse(all(torch.equal(a, b) for a, b in zip(before, model.parameters())))

    def test_modules(self):
        for model in (nn.Linear(4, 3), nn.Sequential(nn.Conv1d(1, 2, 3), nn.BatchNorm1d(2), nn.ReLU(), nn.Dropout(0.5)),
                      nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)):
            shape = (5, 1, 4) if isinstance(model, nn.Sequential) else (5, 2, 4)
            model = model.cuda()
            self.assert_cuda(*model.parameters())
            self.step(model, torch.randn(shape, device="cuda"))

    def test_a_moved_module_keeps_its_parameters(self):
        model = nn.Linear(4, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=1.0)  # made before the model moves, as many scripts do
        model(torch.ones(1, 4)).sum().backward()
        weight, bias = model.weight, model.bias
        model.cuda()
        self.assertIs(model.weight, weight)
        self.assert_cuda(weight, weight.grad, bias)
        expected = (bias.detach().cpu() - 1).tolist()
        optimizer.zero_grad()
        model(torch.ones(1, 4, device="cuda")).sum().backward()
        optimizer.step()
        self.assertEqual(bias.tolist(), expected)
        model.cpu()
        self.assertIs(model.weight, weight)
        self.assertFalse(weight.is_cuda)
        weight.data = weight.data.cuda()
        self.assert_cuda(weight)

    def test_recurrent_layers(self):
        for kind in (nn.LSTM, nn.GRU, nn.RNN):
            model = kind(4, 3, 2)
            x = torch.randn(5, 2, 4)
            expected = model(x)[0]
            got = copy.deepcopy(model).cuda()(x.cuda())[0]
            self.assertTrue(torch.allclose(got.cpu(), expected, atol=1e-6))

    def test_autocast_and_scaler(self):
        model, x = nn.Linear(4, 3).cuda(), torch.randn(2, 4, device="cuda")
        scaler = torch.amp.GradScaler("cuda")
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        with torch.autocast("cuda"):
            self.assertTrue(torch.is_autocast_enabled("cuda"))
            out = model(x)
            self.assertEqual(out.dtype, torch.float16)
            self.assertEqual(out.softmax(1).dtype, torch.float32)
        scaler.scale(out.float().sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        self.assertTrue(scaler.is_enabled())
        with torch.autocast(device_type="cuda", dtype=torch.bfloat16):
            self.assertEqual(model(x).dtype, torch.bfloat16)
        self.assertEqual(model(x).dtype, torch.float32)

    def test_dtypes_that_only_cuda_has_kernels_for(self):
        x = torch.randn(1, 2, 4, 4, 4, device="cuda", dtype=torch.half, requires_grad=True)
        pooled = F.avg_pool3d(x, 2)
        pooled.sum().backward()
        self.assertEqual((pooled.dtype, x.grad.dtype), (torch.half, torch.half))
        self.assertTrue(torch.allclose(pooled.float(), F.avg_pool3d(x.detach().float(), 2), atol=1e-3))
        self.assertTrue(torch.all(x.grad == 0.125))
        out = torch.empty(0, device="cuda", dtype=torch.bfloat16)
        small = torch._C._nn._upsample_bilinear2d_aa(torch.ones(1, 1, 8, 8, device="cuda", dtype=torch.bfloat16), [4, 4], False, out=out)
        self.assertIs(small, out)
        self.assertTrue(torch.equal(out, torch.ones(1, 1, 4, 4, device="cuda", dtype=torch.bfloat16)))
        losses = [F.multi_margin_loss(torch.tensor([[1.0, 0.5]], device="cuda", dtype=dtype), torch.tensor([1], device="cuda")) for dtype in (torch.half, torch.float)]
        self.assertEqual(*(loss.item() for loss in losses))
        counts = torch.histc(torch.tensor([0, 3, 3, 1], device="cuda", dtype=torch.int), bins=4, min=0, max=3)
        self.assertEqual((counts.dtype, counts.tolist()), (torch.int, [1, 1, 0, 2]))

    def test_checkpointing_restores_random_numbers(self):
        from torch.utils.checkpoint import checkpoint
        for reentrant in (False, True):
            w = torch.ones(100, device="cuda", requires_grad=True)
            out = checkpoint(lambda a: F.dropout(a, 0.5), w, use_reentrant=reentrant)
            out.sum().backward()
            self.assertTrue(torch.equal(out.detach(), w.grad))

    def test_data_parallel_and_data_loader(self):
        from torch.utils.data import DataLoader, TensorDataset
        model = nn.DataParallel(nn.Linear(1, 1).cuda())
        seen = 0
        for (x,) in DataLoader(TensorDataset(torch.arange(8.0).view(8, 1)), batch_size=4, num_workers=2, pin_memory=True):
            self.assertTrue(x.is_pinned())
            self.assert_cuda(model(x.cuda(non_blocking=True)), model(x))
            seen += len(x)
        self.assertEqual(seen, 8)

    def test_checkpoints_on_disk(self):
        model = nn.Linear(2, 2).cuda()
        saved = io.BytesIO()
        torch.save(model.state_dict(), saved)
        for location, on_cuda in ((None, True), ("cuda", True), (torch.device("cuda:0"), True), ("cpu", False), ({"cuda:0": "cpu"}, False)):
            saved.seek(0)
            loaded = torch.load(saved, map_location=location)["weight"]
            self.assertEqual(loaded.is_cuda, on_cuda, location)
            self.assertTrue(torch.equal(loaded.cpu(), model.weight.detach().cpu()))
        self.assert_cuda(copy.deepcopy(model).weight)

    def test_streams_and_events(self):
        stream, start, end = torch.cuda.Stream(), torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        with torch.cuda.stream(stream):
            self.assertEqual(torch.cuda.current_stream(), stream)
            x = torch.ones(2, device="cuda")
        x.record_stream(stream)
        torch.cuda.current_stream().wait_stream(stream)
        end.record()
        torch.cuda.synchronize()
        self.assertTrue(end.query())
        self.assertGreaterEqual(start.elapsed_time(end), 0)

    def test_memory_shared_through_dlpack(self):
        x = torch.zeros(3, device="cuda")
        torch.from_dlpack(x).fill_(2)
        self.assertEqual(x.tolist(), [2, 2, 2])
        self.assertEqual(x._version, 0)


class Failures(CudaTest):
    def test_the_symptom_comes_later_than_the_culprit(self):
        logits = torch.randn(4, 3, device="cuda", requires_grad=True)
        loss = F.cross_entropy(logits, torch.tensor([0, 1, 2, 3], device="cuda"))
        self.assertEqual(loss.shape, ())
        loss.backward()
        with self.assertRaisesRegex(torch.AcceleratorError, "device-side assert triggered") as caught:
            loss.item()
        self.assertEqual(caught.exception.error_code, 710)
        with self.assertRaises(torch.AcceleratorError):
            torch.ones(2, device="cuda")

    def test_one_hot_asserts_on_the_device(self):
        encoded = F.one_hot(torch.tensor([0, 255], device="cuda"), num_classes=2)
        with self.assertRaises(torch.AcceleratorError):
            torch.cuda.synchronize()
        self.assertEqual(encoded.shape, (2, 2))

    def test_a_program_that_never_looks_ends_quietly(self):
        program = ("import torch, minrepro_simulate; minrepro_simulate.install();"
                   "torch.ones(2, device='cuda').gather(0, torch.zeros(1, dtype=torch.long, device='cuda') + 2); print('end')")
        ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=dict(os.environ), check=False)
        self.assertEqual((ran.returncode, ran.stdout), (0, "end\n"))
        self.assertIn("Assertion `", ran.stderr)
        self.assertEqual(len(ran.stderr.splitlines()), 2)

    def test_launch_blocking_blames_the_culprit(self):
        program = ("import torch, minrepro_simulate; minrepro_simulate.install();"
                   "i = torch.zeros(1, dtype=torch.long, device='cuda') + 2\n"
                   "try: torch.ones(2, device='cuda').gather(0, i)\n"
                   "except torch.AcceleratorError: print('at the call')")
        ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=dict(os.environ, CUDA_LAUNCH_BLOCKING="1"), check=False)
        self.assertEqual((ran.returncode, ran.stdout), (0, "at the call\n"))


if __name__ == "__main__":
    unittest.main()
