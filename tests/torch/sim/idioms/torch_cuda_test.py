"""torch.cuda: every public name works or refuses in one line that names minrepro."""
import threading
import time
import unittest
import warnings

import torch

from cuda_case import CudaTest


def _graph():
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        pass


# How a program calls what needs arguments.
CALLS = {
    "caching_allocator_alloc": lambda: torch.cuda.caching_allocator_delete(torch.cuda.caching_allocator_alloc(64)),
    "caching_allocator_delete": lambda: torch.cuda.caching_allocator_delete(torch.cuda.caching_allocator_alloc(64)),
    "can_device_access_peer": lambda: torch.cuda.can_device_access_peer(0, 0),
    "change_current_allocator": lambda: torch.cuda.change_current_allocator(torch.cuda.CUDAPluggableAllocator("a.so", "malloc", "free")),
    "check_error": lambda: torch.cuda.check_error(0), "CUDAPluggableAllocator": lambda: torch.cuda.CUDAPluggableAllocator("a.so", "malloc", "free"),
    "CudaError": lambda: torch.cuda.CudaError(0), "device": lambda: torch.cuda.device(0), "device_of": lambda: torch.cuda.device_of(torch.ones(1).cuda()),
    "ExternalStream": lambda: torch.cuda.ExternalStream(1), "get_stream_from_external": lambda: torch.cuda.get_stream_from_external(1),
    "graph": _graph, "make_graphed_callables": lambda: torch.cuda.make_graphed_callables(torch.nn.Linear(1, 1).cuda(), (torch.ones(1, 1).cuda(),)),
    "manual_seed": lambda: torch.cuda.manual_seed(1), "manual_seed_all": lambda: torch.cuda.manual_seed_all(1),
    "set_device": lambda: torch.cuda.set_device("cuda:0"), "set_per_process_memory_fraction": lambda: torch.cuda.set_per_process_memory_fraction(1.0),
    "set_rng_state": lambda: torch.cuda.set_rng_state(torch.cuda.get_rng_state()),
    "set_rng_state_all": lambda: torch.cuda.set_rng_state_all(torch.cuda.get_rng_state_all()),
    "set_stream": lambda: torch.cuda.set_stream(torch.cuda.default_stream()), "set_sync_debug_mode": lambda: torch.cuda.set_sync_debug_mode("default"),
    "stream": lambda: torch.cuda.stream(torch.cuda.Stream()), "StreamContext": lambda: torch.cuda.StreamContext(torch.cuda.Stream()),
    "use_mem_pool": lambda: torch.cuda.use_mem_pool(torch.cuda.MemPool()).__enter__(),
    "jiterator": lambda: torch.cuda.jiterator._create_jit_fn("template <typename T> T f(T x) { return x; }")(torch.ones(1).cuda()),
}
NOT_CALLED = {"cudaStatus", "DeferredCudaCallError", "default_generators", "has_half", "has_magma", "jiterator"}
REFUSED = {"CUDAGraph", "CUDAPluggableAllocator", "ExternalStream", "GreenContext", "MemPool", "change_current_allocator", "clock_rate", "current_blas_handle",
           "get_stream_from_external", "graph", "graph_pool_handle", "host_memory_stats", "host_memory_stats_as_nested_dict", "jiterator",
           "list_gpu_processes", "make_graphed_callables", "memory_snapshot", "power_draw", "reset_accumulated_host_memory_stats",
           "reset_peak_host_memory_stats", "temperature", "use_mem_pool"}


class EveryName(CudaTest):
    def test_every_public_name_works_or_refuses(self):
        for name in torch.cuda.__all__:
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = getattr(torch.cuda, name)
                call = CALLS.get(name, value)
                if name in REFUSED:
                    self.assert_refused(call)
                elif callable(call) and name not in NOT_CALLED:
                    call()

    def test_functions_of_the_binding_refuse(self):
        # The second is what a build of torch without CUDA lacks.
        for name in ("_cuda_cudaHostAllocator", "_cuda_noSuchName"):
            self.assert_refused(getattr(torch._C, name))
        with self.assertRaises(AttributeError):
            torch._C.no_such_name

    def test_sub_modules(self):
        torch.cuda.nvtx.mark("a")
        depth = torch.cuda.nvtx.range_push("outer")
        self.assertEqual(torch.cuda.nvtx.range_push("inner"), depth + 1)
        torch.cuda.nvtx.range_pop()
        torch.cuda.nvtx.range_pop()
        torch.cuda.nvtx.range_end(torch.cuda.nvtx.range_start("a"))
        with torch.cuda.nvtx.range("r {}", 1), torch.cuda.profiler.profile():
            pass
        with torch.autograd.profiler.emit_nvtx():
            torch.ones(1, device="cuda").add(1)
        self.assertEqual(torch.cuda.check_error(torch.cuda.cudart().cudaProfilerStart()), None)
        self.assert_refused(torch.cuda.cudart().cudaStreamCreate, 0)
        self.assertFalse(torch.cuda.tunable.is_enabled())


class Device(CudaTest):
    def test_what_it_says_of_itself(self):
        self.assertTrue(torch.cuda.is_available() and torch.cuda.is_initialized() and torch.cuda.is_bf16_supported() and torch.cuda.is_tf32_supported())
        self.assertEqual((torch.cuda.device_count(), torch.cuda.current_device()), (1, 0))
        properties = torch.cuda.get_device_properties("cuda:0")
        self.assertEqual(torch.cuda.get_device_capability(0), (properties.major, properties.minor))
        self.assertEqual(torch.cuda.get_device_name(torch.device("cuda")), properties.name)
        self.assertGreater(properties.multi_processor_count, 0)
        self.assertEqual(torch.cuda.mem_get_info()[1], properties.total_memory)
        self.assertIn(f"name='{properties.name}', major=9", repr(properties))
        self.assertIn(f"sm_{properties.major}{properties.minor}", torch.cuda.get_arch_list())
        self.assertFalse(torch.cuda.is_current_stream_capturing())

    def test_there_is_no_second_one(self):
        for use in (lambda: torch.cuda.set_device(1), lambda: torch.cuda.device(1).__enter__(), lambda: torch.ones(1).cuda(1), lambda: torch.ones(1).to(1),
                    lambda: torch.ones(1, device=1), lambda: torch.ones(1, device="cuda:1"), lambda: torch.ones(1).to("cuda:3"),
                    lambda: torch.nn.Linear(1, 1).cuda(2), lambda: torch.cuda.Stream(device=1), lambda: torch.ops.aten.zeros([1], device="cuda:1")):
            with self.assertRaisesRegex(RuntimeError, "CUDA error: invalid device ordinal"):
                use()
        for ask in (torch.cuda.get_device_properties, torch.cuda.get_device_name, torch.cuda.get_device_capability):
            with self.assertRaisesRegex((AssertionError, RuntimeError), "[Ii]nvalid device"):
                ask(1)

    def test_making_it_current(self):
        torch.cuda.set_device(0)
        torch.cuda.set_device("cuda:0")
        with torch.cuda.device(0), torch.cuda.device("cuda"), torch.cuda.device_of(torch.ones(1).cuda()):
            self.assertEqual(torch.cuda.current_device(), 0)
        self.assertEqual(torch.accelerator.current_accelerator().type in ("cuda", "sim"), True)


class StreamsAndEvents(CudaTest):
    def test_identity(self):
        stream, other = torch.cuda.Stream(), torch.cuda.Stream(device="cuda:0", priority=-1)
        self.assertNotEqual(stream, other)
        self.assertEqual(torch.cuda.current_stream(), torch.cuda.default_stream())
        with torch.cuda.stream(stream):
            self.assertEqual(torch.cuda.current_stream(), stream)
            self.assertIsInstance(torch.cuda.current_stream(), torch.cuda.Stream)
            with torch.cuda.stream(None), torch.cuda.stream(other):
                self.assertEqual(torch.cuda.current_stream().cuda_stream, other.cuda_stream)
            self.assertEqual(torch.cuda.current_stream(), stream)
        self.assertEqual(torch.cuda.current_stream(), torch.cuda.default_stream())
        torch.cuda.set_stream(other)
        self.assertEqual(torch.cuda.current_stream(), other)
        torch.cuda.set_stream(torch.cuda.default_stream())
        self.assertIn("torch.cuda.Stream device=cuda:0", repr(stream))
        self.assertEqual(len({stream, other, stream}), 2)

    def test_order(self):
        stream, event = torch.cuda.Stream(), torch.cuda.Event()
        with torch.cuda.stream(stream):
            x = torch.ones(2, device="cuda")
            event.record()
        x.record_stream(torch.cuda.current_stream())
        event.wait()
        torch.cuda.current_stream().wait_event(event)
        torch.cuda.current_stream().wait_stream(stream)
        stream.record_event().synchronize()
        stream.synchronize()
        self.assertTrue(stream.query() and event.query())
        self.assertIsInstance(stream, torch.Stream)
        self.assertIsInstance(event, torch.Event)

    def test_times(self):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        with self.assertRaisesRegex(RuntimeError, "recorded"):
            start.elapsed_time(end)
        start.record()
        time.sleep(0.01)
        end.record()
        torch.cuda.synchronize()
        self.assertGreaterEqual(start.elapsed_time(end), 10)
        untimed = torch.cuda.Event()
        untimed.record()
        with self.assertRaisesRegex(RuntimeError, "enable_timing=True"):
            start.elapsed_time(untimed)

    def test_generic_names(self):
        stream = torch.Stream(device="cuda")
        self.assertIsInstance(stream, torch.Stream)
        with stream:
            torch.ones(1, device="cuda")
        event = torch.Event(device="cuda")
        event.record(stream)
        event.synchronize()

    def test_threads_have_their_own_current_stream(self):
        seen = []
        with torch.cuda.stream(torch.cuda.Stream()):
            thread = threading.Thread(target=lambda: seen.append(torch.cuda.current_stream()))
            thread.start()
            thread.join()
        self.assertEqual(seen, [torch.cuda.default_stream()])


if __name__ == "__main__":
    unittest.main()
