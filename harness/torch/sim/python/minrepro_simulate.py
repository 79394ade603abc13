"""Makes an unchanged program that says "cuda" run on the simulated device.

install() is called in the program's process right after torch was imported. It needs libminrepro_sim.so, named by the environment variable
MINREPRO_SIM_LIBRARY or lying in the folder above this one.
"""
import ctypes
import os
import threading

_installed = False


def library_path():
    named = os.environ.get("MINREPRO_SIM_LIBRARY")
    if named:
        return named
    here = os.path.dirname(os.path.abspath(__file__))
    return os.path.join(os.path.dirname(here), "libminrepro_sim.so")


def _enter_in_new_threads(make_mode):
    """A TorchFunctionMode is its thread's own: every thread that the program starts gets one."""
    bootstrap = threading.Thread._bootstrap_inner

    def bootstrap_with_mode(self):
        with make_mode():
            bootstrap(self)

    threading.Thread._bootstrap_inner = bootstrap_with_mode


def install():
    """Loads the simulated device and maps cuda to it, in this thread and in all that start later. Does nothing the second time."""
    global _installed
    if _installed:
        return
    _installed = True
    # By ctypes, with global symbols: torch.ops.load_library would hide them from the recorder.
    ctypes.CDLL(library_path(), mode=ctypes.RTLD_GLOBAL)

    import torch

    import minrepro_sim_cuda
    import minrepro_sim_device
    import minrepro_sim_mapping
    import minrepro_sim_patches

    torch._register_device_module("sim", minrepro_sim_device.make_module())
    minrepro_sim_cuda.replace_entry_points()
    minrepro_sim_patches.apply()
    minrepro_sim_mapping.CudaToSim().__enter__()
    _enter_in_new_threads(minrepro_sim_mapping.CudaToSim)
