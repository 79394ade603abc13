"""Makes an unchanged program that says "cuda" run on the simulated device.

install() is called in the program's process right after torch was imported. It needs libminrepro_sim.so, named by the environment variable
MINREPRO_SIM_LIBRARY or lying in the folder above this one.
"""
import ctypes
import os

_installed = False


def library_path():
    named = os.environ.get("MINREPRO_SIM_LIBRARY")
    if named:
        return named
    here = os.path.dirname(os.path.abspath(__file__))
    return os.path.join(os.path.dirname(here), "libminrepro_sim.so")


def install():
    """Loads the simulated device and maps cuda to it. Does nothing the second time."""
    global _installed
    if _installed:
        return
    _installed = True
    import torch

    # By ctypes, with global symbols: torch.ops.load_library would hide them from the recorder.
    library = ctypes.CDLL(library_path(), mode=ctypes.RTLD_GLOBAL)
    library.minrepro_sim_take_cuda()

    import minrepro_sim_cuda
    import minrepro_sim_device
    import minrepro_sim_distributed
    import minrepro_sim_forks
    import minrepro_sim_mapping
    import minrepro_sim_patches
    import minrepro_sim_runtime
    import minrepro_sim_sharing

    minrepro_sim_forks.watch(library)
    torch._register_device_module("sim", minrepro_sim_device.make_module())
    minrepro_sim_runtime.apply(library)
    minrepro_sim_cuda.replace_entry_points()
    minrepro_sim_patches.apply()
    minrepro_sim_mapping.apply()
    minrepro_sim_distributed.apply()
    minrepro_sim_sharing.apply()
