"""What programs wrap around their model: data loaders, parallel wrappers, compilers, profilers, backend switches; and mixed devices."""
import io
import unittest
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from cuda_case import CudaTest


class Data(CudaTest):
    def test_loaders(self):
        data = TensorDataset(torch.arange(12.0).view(12, 1), torch.arange(12))
        for options in ({"pin_memory": True}, {"num_workers": 2}, {"num_workers": 2, "pin_memory": True, "persistent_workers": True},
                        {"num_workers": 1, "pin_memory": True, "pin_memory_device": "cuda"}, {"shuffle": True, "generator": torch.Generator()}):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                loader = DataLoader(data, batch_size=4, **options)
                seen = 0
                for x, y in loader:
                    self.assertEqual(x.is_pinned(), options.get("pin_memory", False))
                    self.assert_cuda(x.cuda(non_blocking=True), y.to("cuda", non_blocking=True))
                    seen += int(y.cuda().sum())
            self.assertEqual(seen, 66)


class Parallel(CudaTest):
    def test_data_parallel(self):
        module = nn.Linear(2, 2)
        for options in ({}, {"device_ids": [0]}, {"device_ids": [torch.device("cuda:0")], "output_device": 0}):
            wrapped = nn.DataParallel(module.cuda(), **options)
            out = wrapped(torch.ones(3, 2))
            self.assert_same(out.detach(), module.cpu()(torch.ones(3, 2)).detach())
            module.cuda()
            wrapped(torch.ones(3, 2, device="cuda")).sum().backward()
            self.assert_cuda(module.weight.grad)
            self.assertIn("module.weight", wrapped.state_dict())
        with self.assertRaisesRegex((RuntimeError, AssertionError), "[Ii]nvalid device"):
            nn.DataParallel(module, device_ids=[0, 1])

    def test_distributed_data_parallel_in_one_process(self):
        import torch.distributed as dist
        for backend in ("gloo", "nccl", "cpu:gloo,cuda:nccl", None):
            dist.init_process_group(backend, store=dist.HashStore(), rank=0, world_size=1)
            try:
                module = nn.Linear(2, 2).cuda()
                wrapped = nn.parallel.DistributedDataParallel(module, device_ids=[0])
                wrapped(torch.ones(3, 2, device="cuda")).sum().backward()
                self.assert_same(module.weight.grad, torch.full((2, 2), 3.0))
                value = torch.ones(2, device="cuda")
                dist.all_reduce(value)
                dist.broadcast(value, 0)
                gathered = [torch.zeros(2, device="cuda")]
                dist.all_gather(gathered, value)
                dist.barrier()
                self.assert_same(value, torch.ones(2))
                self.assert_same(gathered[0], torch.ones(2))
                on_cpu = torch.ones(2)
                dist.all_reduce(on_cpu, group=dist.new_group([0]))
                self.assertEqual(on_cpu.tolist(), [1, 1])
            finally:
                dist.destroy_process_group()

    def test_more_than_one_device_is_refused(self):
        import torch.distributed as dist
        self.assert_refused(torch.cuda.nccl.all_reduce, [torch.ones(1, device="cuda")])
        store = dist.HashStore()
        with self.assertRaisesRegex(RuntimeError, "minrepro: the simulated device has no collectives over 2 processes"):
            dist.Backend._plugins["MINREPRO"].creator_fn(store, 0, 2, None)
        x = torch.ones(4, 2, device="cuda")
        self.assert_cuda(*nn.parallel.scatter(x, [0]), *nn.parallel.comm.broadcast(x, [0]), nn.parallel.gather([x, x], 0))
        with self.assertRaisesRegex(RuntimeError, "invalid device ordinal"):
            nn.parallel.scatter(x, [0, 1])


class Compilers(CudaTest):
    def test_script_and_trace(self):
        @torch.jit.script
        def scripted(x: torch.Tensor):
            made = torch.zeros(2, device="cuda") + torch.ones_like(x) + x.new_zeros(2)
            return x.cuda() + made + x.to("cuda") + torch.rand(2, device=x.device) * 0

        x = torch.ones(2, device="cuda")
        self.assert_same(scripted(x), torch.full((2,), 3.0))
        model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Dropout(0.1)).cuda().eval()
        for compiled in (torch.jit.trace(model, torch.ones(1, 2, device="cuda")), torch.jit.script(model), torch.jit.freeze(torch.jit.script(model))):
            for _ in range(3):
                self.assert_same(compiled(torch.ones(1, 2, device="cuda")).detach(), model(torch.ones(1, 2, device="cuda")).detach().cpu())
            file = io.BytesIO()
            torch.jit.save(compiled, file)
            file.seek(0)
            self.assert_cuda(torch.jit.load(file, map_location="cuda")(torch.ones(1, 2, device="cuda")))

        def made(n):
            return torch.arange(4, device="cuda") + torch.tensor([n.shape[0]], device=n.device)

        self.assert_same(torch.jit.trace(made, torch.ones(3, device="cuda"))(torch.ones(3, device="cuda")), torch.tensor([3, 4, 5, 6]))

    def test_fx(self):
        class Model(nn.Module):
            def forward(self, x):
                return x.to("cuda") + torch.zeros(2, device="cuda") + torch.ones_like(x) + x.new_ones(2)

        graph = torch.fx.symbolic_trace(Model())
        self.assert_same(graph(torch.ones(2, device="cuda")), torch.full((2,), 3.0))

    def test_compile(self):
        model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.BatchNorm1d(3)).cuda()

        def made(x):
            return x.to("cuda") * 2 + torch.ones(2, device="cuda") + torch.zeros_like(x) + torch.full((2,), 1.0, device=x.device) if x.is_cuda else x

        for backend in ("eager", "aot_eager", "inductor"):
            torch._dynamo.reset()
            x = torch.randn(4, 2, device="cuda", requires_grad=True)
            out = torch.compile(model, backend=backend)(x)
            out.sum().backward()
            self.assert_cuda(out, x.grad)
            self.assert_same(torch.compile(made, backend=backend)(torch.ones(2, device="cuda")), torch.full((2,), 4.0))

        self.assert_cuda(torch.compile(nn.Linear(2, 2).cuda(), mode="reduce-overhead", dynamic=False)(x))
        self.assertEqual(torch.compile(lambda a: a + 1)(torch.ones(2)).tolist(), [2, 2])

    def test_profiler(self):
        from torch.profiler import profile, ProfilerActivity, record_function, schedule
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True, profile_memory=True) as seen, record_function("mine"):
            torch.ones(20, 20, device="cuda").mm(torch.ones(20, 20, device="cuda"))
        self.assertTrue({"mine", "aten::mm"} <= {event.key for event in seen.key_averages()})
        seen.key_averages().table(sort_by="cuda_time_total")
        with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU], schedule=schedule(wait=0, warmup=1, active=1)) as stepped:
            for _ in range(3):
                torch.ones(2, device="cuda").sum()
                stepped.step()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with torch.autograd.profiler.profile(use_device="cuda") as old:
                torch.ones(2, device="cuda").sum()
        self.assertTrue(old.key_averages())


class Backends(CudaTest):
    def test_switches(self):
        cudnn, cuda = torch.backends.cudnn, torch.backends.cuda
        self.assertTrue(cuda.is_built() and cudnn.is_available())
        self.assertGreater(cudnn.version(), 0)
        for name, value in (("benchmark", True), ("deterministic", True), ("enabled", False), ("allow_tf32", False)):
            before = getattr(cudnn, name)
            setattr(cudnn, name, value)
            self.assertEqual(getattr(cudnn, name), value)
            setattr(cudnn, name, before)
        with cudnn.flags(enabled=False, benchmark=True, deterministic=True):
            self.assert_cuda(F.conv2d(torch.ones(1, 1, 4, 4, device="cuda"), torch.ones(1, 1, 2, 2, device="cuda")))
        cuda.matmul.allow_tf32 = True
        cuda.matmul.allow_fp16_reduced_precision_reduction = False
        torch.set_float32_matmul_precision("high")
        torch.set_float32_matmul_precision("highest")
        cuda.preferred_linalg_library("default")
        self.assertGreaterEqual(cuda.cufft_plan_cache.size, 0)
        cuda.cufft_plan_cache[0].max_size = 10
        cuda.cufft_plan_cache.clear()
        self.assertTrue(cuda.flash_sdp_enabled() and cuda.math_sdp_enabled())
        torch.use_deterministic_algorithms(True)
        try:
            self.assert_cuda(torch.ones(2, 2, device="cuda").mm(torch.ones(2, 2, device="cuda")))
        finally:
            torch.use_deterministic_algorithms(False)

    def test_attention_kernels(self):
        from torch.nn.attention import sdpa_kernel, SDPBackend
        q, k, v = (torch.randn(2, 2, 5, 8) for _ in range(3))
        expected = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        for backend in (SDPBackend.MATH, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, [SDPBackend.MATH, SDPBackend.CUDNN_ATTENTION]):
            with sdpa_kernel(backend):
                self.assert_same(F.scaled_dot_product_attention(q.cuda(), k.cuda(), v.cuda(), is_causal=True), expected, atol=1e-5, rtol=1e-4)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with torch.backends.cuda.sdp_kernel(enable_flash=False):
                self.assert_cuda(F.scaled_dot_product_attention(q.cuda(), k.cuda(), v.cuda()))
        encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2).eval()
        x, mask = torch.randn(2, 5, 8), torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
        expected = encoder(x, src_key_padding_mask=mask)
        self.assert_same(encoder.cuda()(x.cuda(), src_key_padding_mask=mask.cuda())[0].detach(), expected[0].detach(), atol=1e-5, rtol=1e-4)
        with torch.no_grad():
            self.assert_cuda(encoder(x.cuda()), encoder(x.cuda(), src_key_padding_mask=mask.cuda()))


class MixedDevices(CudaTest):
    def test_operators_want_one_device(self):
        on_cuda, on_cpu = torch.ones(2, 2, device="cuda"), torch.ones(2, 2)
        calls = [lambda: on_cuda + on_cpu, lambda: on_cpu @ on_cuda, lambda: torch.cat([on_cuda, on_cpu]), lambda: torch.where(on_cuda > 0, on_cuda, on_cpu),
                 lambda: nn.Linear(2, 2).cuda()(on_cpu), lambda: nn.Linear(2, 2)(on_cuda), lambda: F.cross_entropy(on_cuda, torch.tensor([0, 1])),
                 lambda: on_cuda.add_(on_cpu), lambda: torch.add(on_cuda, on_cuda, out=on_cpu), lambda: F.conv2d(on_cuda[None, None], on_cpu[None, None]),
                 lambda: F.embedding(torch.tensor([0]), on_cuda), lambda: torch.gather(on_cuda, 0, torch.zeros(1, 1, dtype=torch.long))]
        for call in calls:
            with self.assertRaisesRegex(RuntimeError, "Expected all tensors to be on the same device, but .*cuda:0.*"):
                call()

    def test_what_may_be_mixed(self):
        x = torch.arange(4.0, device="cuda")
        self.assert_cuda(x + torch.tensor(1.0), x * 2, x[torch.tensor([0, 1])], x.masked_fill(x > 1, torch.tensor(3.0)), x.clone().copy_(torch.ones(4)))
        x[torch.tensor([0])] = 7.0
        x[1] = torch.tensor(5.0)
        self.assertEqual(x.tolist(), [7, 5, 2, 3])
        with self.assertRaisesRegex(RuntimeError, "Expected all tensors to be on the same device"):
            x[torch.tensor([0, 1])] = torch.ones(2)
        with self.assertRaisesRegex(RuntimeError, "indices should be either on cpu or on the same device as the indexed tensor"):
            torch.ones(3)[torch.tensor([0], device="cuda")]


if __name__ == "__main__":
    unittest.main()
