"""Turns "cuda" into the simulated device where a program hands a device to torch, and back where torch hands one out.

Only functions that take or give a device are replaced: all other calls go the way they always go, and cost nothing more. What no replacement sees
(TorchScript, torch.ops, C++ extensions) is caught by the device's library, which answers for the dispatch keys of CUDA.
"""
import functools

import torch
import torch.jit._builtins
import torch.nested
import torch.overrides
import torch.utils._device
from torch.overrides import handle_torch_function, has_torch_function, has_torch_function_unary

import minrepro_sim_forks

SIM = torch.device("sim", 0)
CUDA = torch.device("cuda", 0)
_Device = torch.device
_Tensor = torch.Tensor
_Base = torch._C.TensorBase


def invalid_ordinal():
    return torch.AcceleratorError("CUDA error: invalid device ordinal\nGPU device may be out of range, do you have enough GPUs? "
                                  "(minrepro: the simulated device has index 0 only)")


def to_sim(device):
    """The simulated device for every way to say cuda; anything else as it is. Raises as CUDA does for a second device."""
    kind = type(device)
    if kind is str:
        if not device.startswith("cuda"):
            return device
        device = _Device(device)
    elif kind is int:
        device = _Device("cuda", device)
    elif kind is not _Device or device.type != "cuda":
        return device
    if device.index:
        raise invalid_ordinal()
    minrepro_sim_forks.check()
    return SIM


def to_cuda(device):
    return CUDA if type(device) is _Device and device.type == "sim" else device


class StandIn(type):
    """The class of a class that takes the place of one of torch's, of which torch goes on to make objects itself: they are its instances, too."""

    def __new__(mcs, name, bases, members, stands_for=None):
        if stands_for is not None:
            members.update(_stands_for=stands_for, __doc__=stands_for.__doc__, __module__="torch", __qualname__=stands_for.__name__)
        return super().__new__(mcs, name if stands_for is None else stands_for.__name__, bases, members)

    def __instancecheck__(cls, instance):
        return isinstance(instance, cls._stands_for) if "_stands_for" in vars(cls) else super().__instancecheck__(instance)


_DEVICE_KINDS = frozenset((str, _Device))


def _names_cuda(value):
    kind = type(value)
    return (kind is _Device and value.type == "cuda") or (kind is str and (value == "cuda" or value.startswith("cuda:")))


def _take_place(stand_in, function, owner):
    """Programs and torch itself look functions up in tables, compare and pickle them: `stand_in` has the name of `function` in all of that."""
    functools.update_wrapper(stand_in, function)
    stand_in.__name__ = function.__name__
    stand_in.__module__, stand_in.__qualname__ = owner.__name__, function.__name__
    if isinstance(owner, type):
        stand_in.__module__, stand_in.__qualname__ = owner.__module__, owner.__name__ + "." + function.__name__
    op = torch.jit._builtins._get_builtin_table().get(id(function))
    if op is not None:
        torch.jit._builtins._register_builtin(stand_in, op)


def _call_on_sim(function, args, kwargs):
    """function(*args, **kwargs), where cuda may stand at a position or as the keyword device."""
    for value in args:
        if type(value) in _DEVICE_KINDS:
            args = tuple(to_sim(value) if _names_cuda(value) else value for value in args)
            break
    device = kwargs.get("device")
    if device is not None:
        kwargs["device"] = to_sim(device)
    return function(*args, **kwargs)


def _mapped(function, owner):
    def on_sim(*args, **kwargs):
        if has_torch_function(args):
            return handle_torch_function(on_sim, args, *args, **kwargs)
        return _call_on_sim(function, args, kwargs)

    _take_place(on_sim, function, owner)
    return on_sim


def _by_schema():
    """The names of aten's operators that take a device."""
    return sorted({schema.name[len("aten::"):] for schema in torch._C._jit_get_all_schemas()
                   if schema.name.startswith("aten::") and any(argument.name == "device" for argument in schema.arguments)})


def _map_functions():
    # What has a binding of its own has no schema.
    names = _by_schema() + ["as_tensor", "asarray", "new_tensor", "nested_tensor", "as_nested_tensor", "sparse_coo_tensor",
                            "sparse_compressed_tensor", "sparse_csr_tensor", "sparse_csc_tensor", "sparse_bsr_tensor", "sparse_bsc_tensor", "tensor"]
    for owner in (torch, _Tensor, torch._C._fft, torch._C._nn, torch.nested):
        for name in names:
            function = getattr(owner, name, None)
            if function is not None and not isinstance(function, type) and not hasattr(function, "__wrapped__"):
                setattr(owner, name, _mapped(function, owner))
    torch.fft.fftfreq = _mapped(torch.fft.fftfreq, torch.fft)
    torch.fft.rfftfreq = _mapped(torch.fft.rfftfreq, torch.fft)
    make = _Tensor._make_wrapper_subclass
    _Tensor._make_wrapper_subclass = staticmethod(lambda *args, **kwargs: _call_on_sim(make, args, kwargs))


def _cuda(self, device=None, non_blocking=False, memory_format=torch.preserve_format):
    if has_torch_function_unary(self):
        return handle_torch_function(_Tensor.cuda, (self,), self, device=device, non_blocking=non_blocking, memory_format=memory_format)
    if to_sim(CUDA if device is None else device) is not SIM:
        raise ValueError(f"Invalid device, must be cuda device, but got {device}")
    return _Base.to(self, SIM, non_blocking=non_blocking, memory_format=memory_format)


def _type(self, dtype=None, non_blocking=False, **kwargs):
    """x.type() names the type; x.type(T) converts, and T may be a CUDA type."""
    if has_torch_function_unary(self):
        return handle_torch_function(_Tensor.type, (self,), self, dtype, non_blocking, **kwargs)
    if dtype is None:
        return _Base.type(self).replace("torch.sim.", "torch.cuda.").replace("torch.sparse.sim.", "torch.cuda.sparse.")
    name = dtype if type(dtype) is str else getattr(dtype, "cuda_name", None)
    if name is not None and name.startswith("torch.cuda."):
        return _Base.to(self, device=SIM, dtype=getattr(torch, name.rsplit(".", 1)[1]).dtype, non_blocking=non_blocking)
    return _Base.type(self, dtype, non_blocking, **kwargs)


def _new(self, *args, **kwargs):
    """Legacy constructor: x.new(sizes) is on the device of x. torch's own knows no third-party backend."""
    if has_torch_function_unary(self):
        return handle_torch_function(_Tensor.new, (self,), self, *args, **kwargs)
    if _Base.device.__get__(self).type != "sim" or kwargs:
        return _Base.new(self, *args, **kwargs)
    if len(args) == 1 and isinstance(args[0], (list, tuple)) and not isinstance(args[0], torch.Size):
        return torch.tensor(args[0], dtype=self.dtype, device=SIM)
    if len(args) == 1 and isinstance(args[0], torch.Size):
        return torch.empty(args[0], dtype=self.dtype, device=SIM)
    if all(isinstance(size, int) for size in args):
        return torch.empty(args or (0,), dtype=self.dtype, device=SIM)
    return _Base.new(self, *args, **kwargs)


def _map_tensor():
    for name, function in {"cuda": _cuda, "type": _type, "new": _new}.items():
        _take_place(function, getattr(_Base, name), _Tensor)
        setattr(_Tensor, name, function)

    device_of = _Base.device.__get__

    @property
    def device(self):
        if has_torch_function_unary(self):
            return handle_torch_function(_Tensor.device.__get__, (self,), self)
        return to_cuda(device_of(self))

    @property
    def is_cuda(self):
        if has_torch_function_unary(self):
            return handle_torch_function(_Tensor.is_cuda.__get__, (self,), self)
        return device_of(self).type == "sim"

    def numpy(self, *, force=False):
        if has_torch_function_unary(self):
            return handle_torch_function(_Tensor.numpy, (self,), self, force=force)
        if not force and device_of(self).type == "sim":
            raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.")
        return _Base.numpy(self, force=force)

    _take_place(numpy, _Base.numpy, _Tensor)
    _Tensor.device, _Tensor.is_cuda, _Tensor.numpy = device, is_cuda, numpy


def apply():
    _map_functions()
    _map_tensor()
    # Tables made of torch's functions when first asked for.
    torch.utils._device._device_constructors.cache_clear()
    for table in ("_get_overridable_functions", "get_ignored_functions", "get_testing_overrides", "get_default_nowrap_functions"):
        getattr(torch.overrides, table).cache_clear()
