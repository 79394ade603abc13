"""What torch's Python code asks of torch._C for CUDA, answered for the simulated device. Whatever has no answer here refuses, with its name."""
import ctypes
import sys

import torch
import torch.cuda.graphs
import torch.cuda.memory

import minrepro_sim_streams as streams
from minrepro_sim_forks import is_in_bad_fork
from minrepro_sim_mapping import SIM, invalid_ordinal
from minrepro_sim_refusals import refusing

NAME = "minrepro simulated CUDA device"


class DeviceProperties:
    """Of a device of compute capability 9.0 with the memory of this machine."""

    def __init__(self):
        self.name, self.major, self.minor = NAME, 9, 0
        self.total_memory = torch._C._accelerator_getMemoryInfo(0)[1]
        self.multi_processor_count, self.warp_size, self.clock_rate, self.L2_cache_size = 1, 32, 1410000, 40 << 20
        self.max_threads_per_multi_processor, self.max_threads_per_block, self.regs_per_multiprocessor = 2048, 1024, 65536
        self.shared_memory_per_block, self.shared_memory_per_block_optin, self.shared_memory_per_multiprocessor = 49152, 166912, 167936
        self.is_integrated = self.is_multi_gpu_board = 0
        self.gcnArchName, self.uuid = "", "00000000-0000-0000-0000-000000000000"
        self.pci_bus_id = self.pci_device_id = self.pci_domain_id = 0

    def __repr__(self):
        return (f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, total_memory={self.total_memory >> 20}MB, "
                f"multi_processor_count={self.multi_processor_count})")


def _check(index):
    if index > 0:
        raise invalid_ordinal()


def _exchange_device(index):
    _check(index)
    return 0 if index >= 0 else -1


def _nothing(*args, **kwargs):
    return None


def _zero(*args, **kwargs):
    return 0


_state = {"sync_debug_mode": 0}
_raw_memory = {}


def _raw_alloc(size, stream):
    memory = torch.empty(size, dtype=torch.uint8, device=SIM)
    _raw_memory[memory.data_ptr()] = memory
    return memory.data_ptr()


def _on_one(devices):
    """What DataParallel and its kin spread over devices stays on the one that is there."""
    for device in devices:
        _check(device if device is not None else 0)


def _scatter(tensor, devices, chunk_sizes=None, dim=0, streams=None):
    _on_one(devices)
    return (tensor.to(SIM),)


def _gather(tensors, dim, destination=None):
    return torch.cat([tensor.to("cpu" if destination == -1 else SIM) for tensor in tensors], dim)


def _broadcast(tensor, devices):
    _on_one(devices)
    return [tensor]


def _broadcast_coalesced(tensors, devices, buffer_size):
    _on_one(devices)
    return [list(tensors)]


# Functions of torch._C for CUDA with names of their own.
_NAMED = {"_scatter": _scatter, "_gather": _gather, "_broadcast": _broadcast, "_broadcast_coalesced": _broadcast_coalesced}


def _answers(library):
    library.minrepro_sim_memory_fraction.restype = ctypes.c_double

    def device_count():
        library.minrepro_sim_begin_context()  # so torch.cuda.is_available() is a use of CUDA that forked processes do not survive
        return 1

    return {
        # the device
        "init": lambda: library.minrepro_sim_begin_context(), "getDeviceCount": device_count, "isInBadFork": is_in_bad_fork, "getDevice": _zero, "setDevice": _check,
        "exchangeDevice": _exchange_device, "maybeExchangeDevice": _exchange_device, "hasPrimaryContext": lambda device: True,
        "synchronize": lambda: torch._C._accelerator_synchronizeDevice(0), "canDeviceAccessPeer": lambda device, peer: False,
        "getArchFlags": lambda: "sm_90", "sleep": _nothing, "ipc_collect": _nothing, "isCurrentStreamCapturing": lambda: False,
        "get_sync_debug_mode": lambda: _state["sync_debug_mode"], "set_sync_debug_mode": lambda mode: _state.update(sync_debug_mode=mode),
        "lock_mutex": _nothing, "unlock_mutex": _nothing, "clearCublasWorkspaces": _nothing,
        # work and its order
        "getCurrentStream": streams.current_parts, "getDefaultStream": streams.default_parts, "setStream": streams.set_current,
        "getCurrentRawStream": lambda device: streams.current_parts()[0],
        # memory
        "getAllocatorBackend": lambda: "native", "memoryStats": lambda device: torch._C._accelerator_getDeviceStats(0),
        "resetAccumulatedMemoryStats": lambda device: torch._C._accelerator_resetAccumulatedStats(0),
        "resetPeakMemoryStats": lambda device: torch._C._accelerator_resetPeakStats(0), "emptyCache": torch._C._accelerator_emptyCache,
        "setMemoryFraction": lambda fraction, device: library.minrepro_sim_set_memory_fraction(ctypes.c_double(fraction)),
        "getMemoryFraction": lambda device: library.minrepro_sim_memory_fraction(), "isHistoryEnabled": lambda: False,
        "cudaCachingAllocator_raw_alloc": _raw_alloc, "cudaCachingAllocator_raw_delete": _raw_memory.pop, "cudaCachingAllocator_enable": _nothing,
    }


# What torch keeps on the host, without a device.
_KEPT = ("_cuda_getCompiledVersion", "_nccl_version", "_cuda_tunableop_", "_cuda_record_untuned_", "_cuda_get_cudnn", "_cuda_set_cudnn",
         "_cuda_get_conv_benchmark")
_WORDS = {"_cuda_getCurrentBlasHandle": "cuBLAS handles", "_cuda_jiterator_compile_and_launch_kernel": "kernels compiled at run time",
          "_cuda_memorySnapshot": "snapshots of the caching allocator", "_cuda_hostMemoryStats": "count of pinned memory",
          "_cuda_getStreamFromExternal": "streams of other libraries", "_graph_pool_handle": "CUDA graphs",
          "_cuda_customAllocator": "other allocators", "_cuda_changeCurrentAllocator": "other allocators",
          "_cuda_record_memory_history": "history of the caching allocator",
          "_cuda_record_memory_history_legacy": "history of the caching allocator"}


def _refusing_function(name):
    return refusing("NCCL" if name.startswith("_nccl_") else _WORDS.get(name, f"torch._C.{name}"))


def _missing(name):
    """A build of torch without CUDA lacks these functions."""
    if name.startswith("_cuda_"):
        return _refusing_function(name)
    raise AttributeError(f"module 'torch._C' has no attribute '{name}'")


def _replace_functions(library):
    answers = {**{"_cuda_" + name: function for name, function in _answers(library).items()}, **_NAMED}
    names = [name for name in dir(torch._C) if name.startswith(("_cuda_", "_nccl_")) or name == "_graph_pool_handle"]
    replaced = {}
    for name in set(names) | set(answers):
        original = getattr(torch._C, name, None)
        if isinstance(original, type) or (name.startswith(_KEPT) and original is not None):
            continue
        stand_in = answers.get(name) or _refusing_function(name)
        if original is not None:
            replaced[id(original)] = stand_in
        setattr(torch._C, name, stand_in)
    torch._C.__getattr__ = _missing
    # Modules that took a function by name.
    for module in [module for name, module in sys.modules.items() if name.startswith("torch.cuda") and module is not None]:
        for name, value in list(vars(module).items()):
            if id(value) in replaced:
                setattr(module, name, replaced[id(value)])


class CudaRuntime:
    """torch.cuda.cudart(): the calls of the runtime that training scripts make."""

    class cudaError(int):
        success = 0

    @staticmethod
    def cudaGetErrorString(code):
        return f"error {code} of the simulated device"

    def __getattr__(self, name):
        if name.startswith("cuda"):
            return refusing(f"torch.cuda.cudart().{name}")
        raise AttributeError(name)


for _name in ("cudaProfilerStart", "cudaProfilerStop", "cudaHostRegister", "cudaHostUnregister"):
    setattr(CudaRuntime, _name, staticmethod(_zero))
CudaRuntime.cudaMemGetInfo = staticmethod(lambda device=0: torch._C._accelerator_getMemoryInfo(0))


class _Nvtx:
    """Ranges that nobody looks at; a push gives its depth, as NVTX does."""

    def __init__(self):
        self.depth = 0

    def rangePushA(self, message):
        self.depth += 1
        return self.depth - 1

    def rangePop(self):
        self.depth -= 1
        return self.depth

    rangeStartA = staticmethod(_zero)
    rangeEnd = markA = deviceRangeStart = deviceRangeEnd = staticmethod(_nothing)


def _replace_fft_plans():
    """torch.backends.cuda.cufft_plan_cache: there are no plans; how many there may be is kept."""
    most = [4096]

    def set_most(device, count):
        most[0] = count

    members = vars(torch.backends.cuda.cuFFTPlanCache)
    members["size"].getter = lambda device: 0
    members["max_size"].getter, members["max_size"].setter = (lambda device: most[0]), set_most
    torch._cufft_clear_plan_cache = _nothing


def apply(library):
    _replace_functions(library)
    _replace_fft_plans()
    cuda = torch.cuda
    runtime, properties = CudaRuntime(), DeviceProperties()
    cuda._cudart = runtime
    cuda.cudart = lambda: runtime
    cuda._get_device_properties = torch._C._cuda_getDeviceProperties = lambda device=0: properties
    cuda._is_compiled, cuda._device_count_nvml, cuda._cached_device_count = (lambda: True), (lambda: 1), 1
    cuda._initialized, cuda._queued_calls, cuda._is_in_bad_fork = True, [], is_in_bad_fork
    torch._C._get_accelerator = torch._C._accelerator_getAccelerator = lambda: torch.device("cuda")
    torch.get_device_module.cache_clear()
    # Random numbers come from the CPU's default generator, which torch.manual_seed seeds, too.
    cuda.default_generators = (torch.default_generator,)
    cuda.nvtx._nvtx = _Nvtx()
