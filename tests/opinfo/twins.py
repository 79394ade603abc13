"""The same values on the CPU and on the simulated device, and whether two results are the same."""
import re

import torch
from torch.utils._pytree import tree_flatten, tree_map

from device import CPU, SIM


def _storage_on(storage, device):
    copied = torch.empty(0, dtype=torch.uint8).set_(storage).to(device, copy=True)
    return copied.untyped_storage()


class Mover:
    """Copies of the arguments of one call on `device`: the same sizes, strides, offset, lazy bits, and what shares memory still does."""

    def __init__(self, device):
        self.device = device
        self.storages = {}

    def __call__(self, value):
        return tree_map(self._leaf, value)

    def _leaf(self, value):
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if isinstance(value, torch.device) and value.type == "cpu" or isinstance(value, str) and value == "cpu":
            return self.device
        if isinstance(value, torch.Generator) and value.device != self.device:
            moved = torch.Generator(self.device)
            moved.set_state(value.get_state())
            return moved
        return value

    def _tensor(self, tensor):
        requires_grad, tensor = tensor.requires_grad, tensor.detach()
        if tensor.is_meta:
            return tensor
        if tensor.layout != torch.strided or tensor._is_zerotensor() or tensor.is_nested:
            return tensor.to(self.device, copy=True).requires_grad_(requires_grad)
        storage = tensor.untyped_storage()
        if storage._cdata not in self.storages:
            self.storages[storage._cdata] = (storage, _storage_on(storage, self.device))  # the first keeps its address taken
        moved = torch.empty(0, dtype=tensor.dtype, device=self.device)
        moved.set_(self.storages[storage._cdata][1], tensor.storage_offset(), tensor.size(), tensor.stride())
        if tensor.is_conj():
            moved = moved.conj()
        if tensor.is_neg():
            moved = torch._neg_view(moved)
        return moved.detach().requires_grad_(requires_grad)


class Different(Exception):
    """Two results differ: `check` and `kind` name where and how, for the table; `where` may say which result of the check."""

    def __init__(self, kind, where, text):
        super().__init__(f"{where}: {text}")
        self.kind = kind
        self.check = where.partition("[")[0]


def _same_values(on_sim, on_cpu, exactly):
    on_sim = on_sim.detach().to(CPU)
    on_cpu = on_cpu.detach()
    if on_cpu.dtype == torch.complex32:  # no kernel compares these
        on_sim, on_cpu = torch.view_as_real(on_sim.resolve_conj()), torch.view_as_real(on_cpu.resolve_conj())
    if on_cpu.layout == torch.strided and not on_cpu.is_quantized and torch.equal(on_sim, on_cpu):
        return
    tolerances = {"rtol": 0, "atol": 0} if exactly else {}
    torch.testing.assert_close(on_sim, on_cpu, equal_nan=True, check_stride=False, **tolerances)


def _compare_tensors(on_sim, on_cpu, where, compared):
    if on_sim.device != (on_cpu.device if on_cpu.is_meta else SIM):
        raise Different("device", where, f"on {on_sim.device}")
    for name in ("dtype", "layout", "shape", "requires_grad", "is_nested"):
        if getattr(on_sim, name) != getattr(on_cpu, name):
            raise Different(name, where, f"{name} is {getattr(on_sim, name)}, on the CPU {getattr(on_cpu, name)}")
    if on_cpu.layout == torch.strided and not on_cpu.is_nested:
        for name in ("stride", "storage_offset", "is_conj", "is_neg", "_is_view"):
            if getattr(on_sim, name)() != getattr(on_cpu, name)():
                raise Different(name, where, f"{name} is {getattr(on_sim, name)()}, on the CPU {getattr(on_cpu, name)()}")
    if on_cpu.is_meta or compared == "shape":
        return
    try:
        _same_values(on_sim, on_cpu, compared != "close")
    except AssertionError as error:
        raise Different("values", where, f"{error}") from None


def compare(on_sim, on_cpu, where, compared):
    """Raises Different unless both results have the same structure and metadata, and the same elements: to the last bit, but NaN is NaN; within
    torch.testing's tolerances if `compared` is "close"; unseen if it is "shape"."""
    sims, sim_spec = tree_flatten(on_sim)
    cpus, cpu_spec = tree_flatten(on_cpu)
    if sim_spec != cpu_spec:
        raise Different("structure", where, f"{sim_spec}, on the CPU {cpu_spec}")
    for position, (a, b) in enumerate(zip(sims, cpus)):
        place = where if len(cpus) == 1 else f"{where}[{position}]"
        if isinstance(b, torch.Tensor) and isinstance(a, torch.Tensor):
            _compare_tensors(a, b, place, compared)
        elif type(a) is not type(b):
            raise Different("structure", place, f"{type(a).__name__}, on the CPU {type(b).__name__}")
        elif isinstance(b, torch.device):
            if a.type not in (SIM.type, b.type):
                raise Different("device", place, f"{a}, on the CPU {b}")
        elif not isinstance(b, torch.Generator) and a != b and not (a != a and b != b):
            raise Different("values", place, f"{a}, on the CPU {b}")


_DEVICE_NAMES = (
    (re.compile(r",\s*device='[^']*'"), ""),  # of a tensor that is printed
    (re.compile(r"\b(?:sim|cuda|cpu)(?::0)?\b"), "DEVICE"),
    (re.compile(r"\bDEVICE and DEVICE\b"), "DEVICE"),
    (re.compile(r"\btorch\.DEVICE\."), "torch."),
    (re.compile(r"\b(?:CPU|CUDA|PrivateUse1)"), ""),
)


def normalised(error):
    """The type and the text of an exception, without the names of devices."""
    text = str(error)
    for pattern, name in _DEVICE_NAMES:
        text = pattern.sub(name, text)
    return type(error).__name__, text
