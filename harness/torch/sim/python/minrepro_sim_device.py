"""The module torch.sim: what torch looks for in the module of a device."""
import types

import torch

import minrepro_sim_forks


class DeviceContext:
    """`with device(d):` makes d current; there is one device, and it always is."""

    def __init__(self, device=None):
        self.idx = 0
        self.prev_idx = 0

    def __enter__(self):
        return None

    def __exit__(self, *exception):
        return False


def make_module():
    module = types.ModuleType("torch.sim")
    module.is_available = lambda: True
    module.is_initialized = lambda: True
    module.init = lambda: None
    module._lazy_init = lambda: None
    module._is_in_bad_fork = minrepro_sim_forks.is_in_bad_fork
    module.device_count = lambda: 1
    module.current_device = lambda: 0
    module.set_device = lambda device: None
    module.device = DeviceContext
    module.synchronize = lambda device=None: torch._C._accelerator_synchronizeDevice(0)
    module.get_amp_supported_dtype = lambda: [torch.float16, torch.bfloat16, torch.float32]
    module.is_bf16_supported = lambda including_emulation=True: True
    # Random numbers come from the default CPU generator, which torch.manual_seed seeds itself.
    module.manual_seed = lambda seed: None
    module.manual_seed_all = lambda seed: None
    module.get_rng_state = lambda device=None: torch.default_generator.get_state()
    module.set_rng_state = lambda state, device=None: torch.default_generator.set_state(state)
    for name in ("memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved", "memory_stats", "reset_peak_memory_stats", "empty_cache"):
        setattr(module, name, getattr(torch.accelerator.memory, name))
    module.Stream = torch.Stream
    module.Event = torch.Event
    return module
