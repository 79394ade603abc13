"""What a TorchFunctionMode does not see of a program that says "cuda": autocast, generators, checkpoints, default devices, storages, DataParallel."""
import functools

import torch
import torch.utils._device
import torch.utils.dlpack

from minrepro_sim_mapping import SIM, to_cuda, to_sim


def _name(device_type):
    return "sim" if device_type == "cuda" else device_type


def _patch_autocast():
    autocast = torch.amp.autocast_mode.autocast
    init = autocast.__init__

    @functools.wraps(init)
    def init_on_sim(self, device_type, *arguments, **kwargs):
        init(self, _name(device_type), *arguments, **kwargs)

    autocast.__init__ = init_on_sim

    def by_device_type(function):
        """For functions whose optional first argument is a device type, cuda by default."""
        @functools.wraps(function)
        def on_sim(device_type="cuda", *arguments):
            return function(_name(device_type), *arguments)
        return on_sim

    def is_autocast_enabled(device_type="cuda"):
        return enabled(_name(device_type))

    enabled = torch.is_autocast_enabled
    torch.is_autocast_enabled = is_autocast_enabled
    torch.get_autocast_dtype = by_device_type(torch.get_autocast_dtype)
    set_enabled, set_dtype = torch.set_autocast_enabled, torch.set_autocast_dtype

    def set_autocast_enabled(*arguments):
        return set_enabled("sim", arguments[0]) if len(arguments) == 1 else set_enabled(_name(arguments[0]), arguments[1])

    torch.set_autocast_enabled = set_autocast_enabled
    torch.set_autocast_dtype = by_device_type(set_dtype)
    torch.get_autocast_gpu_dtype = lambda: torch.get_autocast_dtype("cuda")
    torch.set_autocast_gpu_dtype = lambda dtype: torch.set_autocast_dtype("cuda", dtype)


def _patch_generator():
    base = torch._C.Generator

    class GeneratorMeta(type):
        def __instancecheck__(cls, instance):
            return isinstance(instance, base)

    class Generator(metaclass=GeneratorMeta):
        __doc__ = base.__doc__

        def __new__(cls, device="cpu"):
            return base(device=to_sim(device))

    torch.Generator = Generator


def _map_location(location):
    if location is None or callable(location):
        return location
    if isinstance(location, dict):
        return {source: _map_location(target) for source, target in location.items()}
    return to_sim(location)


def _patch_serialization():
    load = torch.load

    @functools.wraps(load)
    def load_on_sim(f, map_location=None, *arguments, **kwargs):
        return load(f, _map_location(map_location), *arguments, **kwargs)

    torch.load = torch.serialization.load = load_on_sim

    def tag(storage):
        return "cuda:0" if storage.device.type == "sim" else None

    def deserialize(storage, location):
        if not location.startswith(("cuda", "sim")):
            return None
        return torch.empty(0, dtype=torch.uint8).set_(_untyped(storage)).to(SIM).untyped_storage()

    # Checkpoints written here name cuda, as they would on a GPU. Asked before torch's own rows for cuda and privateuse1.
    torch.serialization.register_package(1, tag, deserialize)


def _untyped(storage):
    return storage if isinstance(storage, torch.UntypedStorage) else storage._untyped_storage


def _patch_storages():
    def cuda(self, device=None, non_blocking=False):
        return self.to(device=SIM, non_blocking=non_blocking)

    torch.UntypedStorage.cuda = cuda
    torch.TypedStorage.cuda = cuda


def _patch_default_device():
    context = torch.utils._device.DeviceContext
    init = context.__init__

    @functools.wraps(init)
    def init_on_sim(self, device):
        init(self, to_sim(device))

    context.__init__ = init_on_sim
    get_default_device = torch.get_default_device
    torch.get_default_device = functools.wraps(get_default_device)(lambda: to_cuda(get_default_device()))

    set_type = torch.set_default_tensor_type

    @functools.wraps(set_type)
    def set_default_tensor_type(kind):
        name = kind if isinstance(kind, str) else getattr(kind, "cuda_name", "")
        if not name.startswith("torch.cuda."):
            return set_type(kind)
        torch.set_default_dtype(getattr(torch, name.rsplit(".", 1)[1]).dtype)
        torch.set_default_device("cuda")

    torch.set_default_tensor_type = set_default_tensor_type


def _patch_data_parallel():
    """There is one device, so DataParallel is its module, with the inputs moved there."""
    def move(value):
        if isinstance(value, torch.Tensor):
            return value.to(SIM)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*map(move, value))
        if isinstance(value, (list, tuple)):
            return type(value)(map(move, value))
        if isinstance(value, dict):
            return type(value)((key, move(item)) for key, item in value.items())
        return value

    def forward(self, *inputs, **kwargs):
        return self.module(*move(inputs), **move(kwargs))

    torch.nn.DataParallel.forward = forward


def _patch_dlpack():
    """A second tensor on the same memory that autograd does not know of, as an exchange through DLPack gives."""
    from_dlpack = torch.from_dlpack

    @functools.wraps(from_dlpack)
    def from_dlpack_on_sim(ext_tensor, *arguments, **kwargs):
        if not (isinstance(ext_tensor, torch.Tensor) and ext_tensor.is_cuda):
            return from_dlpack(ext_tensor, *arguments, **kwargs)
        if ext_tensor.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        shared = torch.empty(0, dtype=ext_tensor.dtype, device=SIM)
        return shared.set_(ext_tensor.untyped_storage(), ext_tensor.storage_offset(), ext_tensor.size(), ext_tensor.stride())

    torch.from_dlpack = torch.utils.dlpack.from_dlpack = from_dlpack_on_sim


def apply():
    _patch_dlpack()
    _patch_autocast()
    _patch_generator()
    _patch_serialization()
    _patch_storages()
    _patch_default_device()
    _patch_data_parallel()
