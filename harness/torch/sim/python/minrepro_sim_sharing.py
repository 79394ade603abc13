"""CUDA tensors on their way to another process (queues, pipes, spawned workers). CUDA shares the memory; the simulated device sends a copy."""
import sys
from multiprocessing import reduction

import torch
from torch.multiprocessing import reductions

import minrepro_sim_forks
from minrepro_sim_mapping import SIM

_noted = []


def _rebuild(kind, copy, requires_grad):
    minrepro_sim_forks.check()
    tensor = copy.to(SIM)
    return kind(tensor, requires_grad) if issubclass(kind, torch.nn.Parameter) else tensor.requires_grad_(requires_grad)


def apply():
    reduce_tensor = reductions.reduce_tensor

    def reduce_on_sim(tensor):
        left_to_torch = not tensor.is_cuda or tensor.layout != torch.strided or tensor.is_nested or (tensor.requires_grad and not tensor.is_leaf)
        if left_to_torch:  # which takes sparse and nested tensors apart, and refuses what has a history
            return reduce_tensor(tensor)
        if not _noted:
            _noted.append(True)
            print("minrepro-sim: note: a CUDA tensor sent to another process is a copy on the simulated device, not shared memory", file=sys.stderr)
        return _rebuild, (type(tensor), tensor.detach().cpu(), tensor.requires_grad)

    reductions.reduce_tensor = reduce_on_sim
    for kind in (torch.Tensor, torch.nn.Parameter):
        reduction.register(kind, reduce_on_sim)
