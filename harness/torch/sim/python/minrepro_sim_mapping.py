"""The TorchFunctionMode that turns "cuda" into the simulated device on the way in, and back on the way out.

It sees every call that a program makes into torch, so it looks only where a device can be: the keyword `device`, and the positions in `_HANDLERS`.
"""
import torch
from torch.overrides import TorchFunctionMode

SIM = torch.device("sim", 0)
CUDA = torch.device("cuda", 0)
_Device = torch.device


def to_sim(device):
    """The simulated device for every way to say cuda; anything else as it is. Raises as CUDA does for a second device."""
    kind = type(device)
    if kind is str:
        if not device.startswith("cuda"):
            return device
        device = _Device(device)
    elif kind is not _Device or device.type != "cuda":
        return device
    if device.index:
        raise torch.AcceleratorError(
            "CUDA error: invalid device ordinal\nGPU device may be out of range, do you have enough GPUs? (the simulated device has index 0 only)")
    return SIM


def to_cuda(device):
    return CUDA if type(device) is _Device and device.type == "sim" else device


def _is_device(value):
    return type(value) is str or type(value) is _Device


def _cuda(func, args, kwargs):
    tensor = args[0]
    device = args[1] if len(args) > 1 else kwargs.get("device")
    if not (device is None or isinstance(device, int)):
        to_sim(device)
    options = {name: value for name, value in kwargs.items() if name in ("non_blocking", "memory_format")}
    if len(args) > 2:
        options["non_blocking"] = args[2]
    return tensor.to(SIM, **options)


def _first_is_device(func, args, kwargs):
    if len(args) > 1 and _is_device(args[1]):
        args = (args[0], to_sim(args[1])) + args[2:]
    elif "device" in kwargs:
        kwargs = dict(kwargs, device=to_sim(kwargs["device"]))
    return func(*args, **kwargs)


def _get_device(func, args, kwargs):
    return to_cuda(func(*args, **kwargs))


def _is_cuda(func, args, kwargs):
    return args[0].device.type == "sim"


def _type(func, args, kwargs):
    """x.type() names the type; x.type(T) converts, and T may be a CUDA type."""
    dtype = args[1] if len(args) > 1 else kwargs.get("dtype")
    if dtype is None:
        return func(*args, **kwargs).replace("torch.sim.", "torch.cuda.")
    name = dtype if type(dtype) is str else getattr(dtype, "cuda_name", None)
    if name is not None and name.startswith("torch.cuda."):
        return args[0].to(device=SIM, dtype=getattr(torch, name.rsplit(".", 1)[1]).dtype)
    return func(*args, **kwargs)


def _text(func, args, kwargs):
    return func(*args, **kwargs).replace("device='sim:0'", "device='cuda:0'")


def _new(func, args, kwargs):
    # Legacy constructor: x.new(sizes) is on the device of x; it knows no third-party backend.
    if args[0].device.type != "sim" or kwargs:
        return func(*args, **kwargs)
    given = args[1:]
    if len(given) == 1 and isinstance(given[0], (list, tuple)) and not isinstance(given[0], torch.Size):
        return torch.tensor(given[0], dtype=args[0].dtype, device=SIM)
    if all(isinstance(size, int) for size in given):
        return torch.empty(given or (0,), dtype=args[0].dtype, device=SIM)
    if len(given) == 1 and isinstance(given[0], torch.Size):
        return torch.empty(given[0], dtype=args[0].dtype, device=SIM)
    return func(*args, **kwargs)


def _record_stream(func, args, kwargs):
    stream = args[1] if len(args) > 1 else kwargs["s"]
    return func(args[0], stream if isinstance(stream, torch.Stream) else torch.Stream(SIM))


_Tensor = torch.Tensor
_HANDLERS = {
    _Tensor.cuda: _cuda,
    _Tensor.to: _first_is_device,
    _Tensor.pin_memory: _first_is_device,
    _Tensor.is_pinned: _first_is_device,
    _Tensor.type: _type,
    _Tensor.new: _new,
    _Tensor.record_stream: _record_stream,
    _Tensor.__repr__: _text,
    _Tensor.device.__get__: _get_device,
    _Tensor.is_cuda.__get__: _is_cuda,
}


class CudaToSim(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        handler = _HANDLERS.get(func)
        if handler is not None:
            return handler(func, args, kwargs or {})
        if kwargs is None:
            return func(*args)
        device = kwargs.get("device")
        if device is not None and _is_device(device):
            mapped = to_sim(device)
            if mapped is not device:
                kwargs = dict(kwargs, device=mapped)
        return func(*args, **kwargs)
