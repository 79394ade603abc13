"""CUDA does not survive fork: a process forked from one that had used CUDA cannot use it."""
import ctypes
import os

import torch

_bad_fork = [False]


def is_in_bad_fork():
    """Whether this process was forked from one that had used CUDA."""
    return _bad_fork[0]


def check():
    """Raises in such a process, as torch.cuda does."""
    if _bad_fork[0]:
        torch.cuda._lazy_init()


def watch(library):
    library.minrepro_sim_is_in_forked_child.restype = ctypes.c_bool

    def after_fork():
        _bad_fork[0] = library.minrepro_sim_is_in_forked_child()

    os.register_at_fork(after_in_child=after_fork)
