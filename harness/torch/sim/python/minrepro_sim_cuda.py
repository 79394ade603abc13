"""The entry points of torch.cuda that are made of classes or of other libraries; all else runs on what minrepro_sim_runtime answers."""
import torch

import minrepro_sim_streams as streams
from minrepro_sim_mapping import SIM
from minrepro_sim_refusals import refusing, refusing_class


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


def _memory_usage(device=None):
    free, total = torch.cuda.mem_get_info()
    return round(100 * (total - free) / total)


def replace_entry_points():
    cuda = torch.cuda
    for name in ("Stream", "Event", "ExternalStream"):
        setattr(cuda, name, getattr(streams, name))
        setattr(cuda.streams, name, getattr(streams, name))
    for module, name, what in ((cuda.graphs, "CUDAGraph", "CUDA graphs"), (cuda.memory, "MemPool", "memory pools"),
                               (cuda.memory, "CUDAPluggableAllocator", "other allocators"), (cuda, "GreenContext", "green contexts")):
        refused = refusing_class(getattr(module, name), what)
        setattr(module, name, refused)
        setattr(cuda, name, refused)
    # Sensors and other processes, which CUDA programs see through NVML.
    cuda._get_pynvml_handler = refusing("sensors (NVML)")
    cuda.list_gpu_processes = cuda.memory.list_gpu_processes = refusing("list of processes (NVML)")
    cuda.utilization = lambda device=None: 0
    cuda.memory_usage = _memory_usage
    cuda.device_memory_used = lambda device=None: cuda.memory_reserved()
    torch.backends.cudnn.is_acceptable = lambda tensor: False  # recurrent layers are not flattened for cuDNN
    for name in ("FloatTensor", "DoubleTensor", "HalfTensor", "BFloat16Tensor", "LongTensor", "IntTensor", "ShortTensor", "CharTensor",
                 "ByteTensor", "BoolTensor"):
        setattr(cuda, name, _tensor_type(name))
