"""What a TorchFunctionMode does not see of a program that says "cuda": autocast, generators, checkpoints, default devices, storages, DataParallel."""
import functools
import sys

import torch
import torch.utils._device
import torch.utils.dlpack

import minrepro_sim_streams
from minrepro_sim_mapping import SIM, StandIn, to_cuda, to_sim


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


class Generator(torch._C.Generator, metaclass=StandIn, stands_for=torch._C.Generator):
    def __new__(cls, device="cpu"):
        return super().__new__(cls, device=to_sim(device))

    @property
    def device(self):
        return to_cuda(super().device)


def _patch_storages():
    """Storages are made on a device and say where they are. Moving them and checkpoints need no more than that."""
    storage = torch.UntypedStorage
    make = storage.__new__
    device_of = storage.device.__get__

    def __new__(cls, *arguments, device=None, **kwargs):
        return make(cls, *arguments, **kwargs) if device is None else make(cls, *arguments, device=to_sim(device), **kwargs)

    storage.__new__ = __new__
    storage.device = property(lambda self: to_cuda(device_of(self)))


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
            set_type(kind)
            if torch.get_default_device().type == "cuda":
                torch.set_default_device(None)
            return
        torch.set_default_dtype(getattr(torch, name.rsplit(".", 1)[1]).dtype)
        torch.set_default_device("cuda")

    torch.set_default_tensor_type = set_default_tensor_type


def _patch_fake_tensors():
    """torch.compile traces with tensors that only know their device: Python sees cuda, the dispatcher the simulated device."""
    from torch._subclasses.fake_tensor import FakeTensor
    make, device_of = FakeTensor.__new__, FakeTensor.device.fget

    @functools.wraps(make)
    def make_on_sim(cls, fake_mode, elem, device, *arguments, **kwargs):
        return make(cls, fake_mode, elem, to_sim(device), *arguments, **kwargs)

    FakeTensor.__new__ = make_on_sim
    FakeTensor.device = property(lambda self: to_cuda(device_of(self)), FakeTensor.device.fset)


def _patch_compile():
    """Inductor writes kernels for a GPU; here the graphs that it would compile run as they are."""
    compile_with = torch.compile

    @functools.wraps(compile_with)
    def compile_on_sim(model=None, *, backend="inductor", mode=None, options=None, **kwargs):
        if backend != "inductor":
            return compile_with(model, backend=backend, mode=mode, options=options, **kwargs)
        if not noted:
            noted.append(True)
            print("minrepro-sim: note: torch.compile traces, but compiles nothing on the simulated device (backend eager instead of inductor)", file=sys.stderr)
        return compile_with(model, backend="eager", **kwargs)

    noted = []
    torch.compile = compile_on_sim


def _patch_profiler():
    """Work is done when a call returns: the times of the CPU are all there is to see."""
    profile = torch.autograd.profiler.profile
    init = profile.__init__

    @functools.wraps(init)
    def init_on_sim(self, enabled=True, *, use_cuda=False, use_device=None, **kwargs):
        init(self, enabled, use_device=None if use_device == "cuda" else use_device, **kwargs)

    profile.__init__ = init_on_sim


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


def _patch_data_parallel():
    """torch.device(0), of which torch makes streams here, has the name of torch's accelerator."""
    functions = torch.nn.parallel._functions
    get_stream = functions._get_stream
    functions._get_stream = functools.wraps(get_stream)(lambda device: get_stream(to_cuda(device)))


def apply():
    torch.Generator, torch.Stream, torch.Event = Generator, minrepro_sim_streams.GenericStream, minrepro_sim_streams.GenericEvent
    _patch_dlpack()
    _patch_autocast()
    _patch_storages()
    _patch_default_device()
    _patch_fake_tensors()
    _patch_compile()
    _patch_profiler()
    _patch_data_parallel()
