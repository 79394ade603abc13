"""The entry points of torch.cuda that programs call, answered for the simulated device."""
import contextlib
import time
import types

import torch

from minrepro_sim_device import DeviceContext
from minrepro_sim_mapping import SIM, to_sim

NAME = "minrepro simulated CUDA device"
_TOTAL_MEMORY = 16 << 30


class Stream(torch.Stream):
    """torch.cuda.Stream on the simulated device: work is done when a call returns, so it only has an identity."""

    def __new__(cls, device=None, priority=0, **kwargs):
        return super().__new__(cls, SIM, priority=priority)


class Event(torch.Event):
    """torch.cuda.Event on the simulated device."""

    def __new__(cls, enable_timing=False, blocking=False, interprocess=False, external=False):
        return super().__new__(cls, device=SIM, enable_timing=enable_timing)

    def record(self, stream=None):
        super().record(stream if stream is not None else current_stream())
        self._recorded_at = time.perf_counter()

    def elapsed_time(self, end_event):
        # torch.Event's own method takes no subclass.
        return (end_event._recorded_at - self._recorded_at) * 1e3


def current_stream(device=None):
    return torch._C._accelerator_getStream(0)


class _StreamContext:
    def __init__(self, stream):
        self.stream = stream
        self.previous = None

    def __enter__(self):
        if self.stream is not None:
            self.previous = current_stream()
            torch._C._accelerator_setStream(self.stream)

    def __exit__(self, *exception):
        if self.previous is not None:
            torch._C._accelerator_setStream(self.previous)


class _DeviceContext(DeviceContext):
    def __init__(self, device=None):
        super().__init__()
        if isinstance(device, (str, torch.device)):
            to_sim(device)


class _TensorTypeMeta(type):
    def __instancecheck__(cls, instance):
        return isinstance(instance, torch.Tensor) and instance.is_cuda and instance.dtype == cls.dtype


def _tensor_type(name):
    """torch.cuda.FloatTensor and its kin: constructors, and types for isinstance and .type()."""
    cpu_type = getattr(torch, name)

    def make(cls, *arguments, **kwargs):
        return cpu_type(*arguments).to(SIM)

    return _TensorTypeMeta(name, (), {"__new__": make, "dtype": cpu_type.dtype, "cuda_name": "torch.cuda." + name,
                                      "__module__": "torch.cuda"})


def _synchronize(device=None):
    torch._C._accelerator_synchronizeDevice(0)


def _set_device(device):
    if isinstance(device, int):
        device = torch.device("cuda", max(device, 0))
    to_sim(device)


def _properties(device=None):
    return types.SimpleNamespace(name=NAME, major=8, minor=0, total_memory=_TOTAL_MEMORY, multi_processor_count=1, warp_size=32,
                                 max_threads_per_multi_processor=2048, is_integrated=False, is_multi_gpu_board=False, gcnArchName="",
                                 regs_per_multiprocessor=65536, shared_memory_per_block=49152)


def _memory_info(device=None):
    return (_TOTAL_MEMORY, _TOTAL_MEMORY)


def _zero(*arguments, **kwargs):
    return 0


def _nothing(*arguments, **kwargs):
    return None


def _default_state(device=None):
    return torch.default_generator.get_state()


def _set_default_state(state, device=None):
    torch.default_generator.set_state(state)


def _seed_default(seed):
    torch.default_generator.manual_seed(int(seed))


def replace_entry_points():
    cuda = torch.cuda
    for name, function in {
            # the device
            "is_available": lambda: True, "is_initialized": lambda: True, "init": _nothing, "_lazy_init": _nothing,
            "_is_in_bad_fork": lambda: False, "device_count": lambda: 1, "_device_count_nvml": lambda: 1, "current_device": lambda: 0,
            "set_device": _set_device, "_set_device": _nothing, "_exchange_device": _zero, "_maybe_exchange_device": _zero,
            "get_device_name": lambda device=None: NAME, "get_device_capability": lambda device=None: (8, 0),
            "get_device_properties": _properties, "_get_device_properties": _properties, "get_arch_list": lambda: ["sm_80"],
            "can_device_access_peer": lambda device, peer: False, "is_bf16_supported": lambda including_emulation=True: True,
            "device": _DeviceContext, "device_of": _DeviceContext, "utilization": _zero, "_sleep": _nothing, "ipc_collect": _nothing,
            "is_current_stream_capturing": lambda: False, "_is_compiled": lambda: True,
            # work and its order
            "synchronize": _synchronize, "Stream": Stream, "Event": Event, "current_stream": current_stream,
            "default_stream": lambda device=None: torch.Stream(stream_id=0, device_index=0, device_type=torch.Stream(SIM).device_type),
            "stream": _StreamContext, "StreamContext": _StreamContext,
            "set_stream": lambda stream: stream is None or torch._C._accelerator_setStream(stream),
            # random numbers: the CPU's default generator
            "manual_seed": _seed_default, "manual_seed_all": _seed_default, "seed": torch.default_generator.seed,
            "seed_all": torch.default_generator.seed, "initial_seed": torch.default_generator.initial_seed,
            "get_rng_state": _default_state, "set_rng_state": _set_default_state,
            "get_rng_state_all": lambda: [_default_state()], "set_rng_state_all": lambda states: _set_default_state(states[0]),
            # memory: not counted
            "empty_cache": _nothing, "mem_get_info": _memory_info, "memory_stats": lambda device=None: {}, "memory_snapshot": lambda *a: [],
            "memory_summary": lambda *a, **k: "", "set_per_process_memory_fraction": _nothing,
    }.items():
        setattr(cuda, name, function)
    for name in ("memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved", "memory_cached", "max_memory_cached"):
        setattr(cuda, name, _zero)
        setattr(cuda.memory, name, _zero)
    for name in ("reset_peak_memory_stats", "reset_accumulated_memory_stats", "reset_max_memory_allocated", "reset_max_memory_cached"):
        setattr(cuda, name, _nothing)
        setattr(cuda.memory, name, _nothing)
    for name in ("range_push", "range_pop", "mark", "range_start", "range_end"):
        setattr(cuda.nvtx, name, _zero)
    cuda.nvtx.range = lambda *arguments, **kwargs: contextlib.nullcontext()
    torch.backends.cudnn.is_acceptable = lambda tensor: False  # recurrent layers are not flattened for cuDNN
    cuda.streams.Stream, cuda.streams.Event = Stream, Event
    cuda.random.manual_seed_all = cuda.random.manual_seed = _seed_default
    cuda.default_generators = (torch.default_generator,)
    for name in ("FloatTensor", "DoubleTensor", "HalfTensor", "BFloat16Tensor", "LongTensor", "IntTensor", "ShortTensor", "CharTensor",
                 "ByteTensor", "BoolTensor"):
        setattr(cuda, name, _tensor_type(name))
