"""The simulated device, loaded into this process without the mapping of "cuda" to it, and what its library says of its health."""
import ctypes
import json

import torch

import minrepro_sim_device
import minrepro_simulate

_api = ctypes.CDLL(minrepro_simulate.library_path(), mode=ctypes.RTLD_GLOBAL)
_api.minrepro_sim_violation.restype = ctypes.c_bool
torch._register_device_module("sim", minrepro_sim_device.make_module())

SIM = torch.device("sim", 0)
CPU = torch.device("cpu")


def reset():
    _api.minrepro_sim_reset()


def violation():
    """What poisoned the device, as a dictionary; None if it is healthy."""
    buffer = ctypes.create_string_buffer(4096)
    return json.loads(buffer.value) if _api.minrepro_sim_violation(buffer, ctypes.c_size_t(len(buffer))) else None
