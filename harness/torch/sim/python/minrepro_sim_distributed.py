"""torch.distributed for tensors of the simulated device: a group of one process, in which each collective gives what it was
given. More processes are refused."""
import functools

import torch
import torch.distributed as dist

from minrepro_sim_refusals import refusal

_BACKEND = "minrepro"


def _make_group(store, rank, size, timeout):
    from torch._C._distributed_c10d import FakeProcessGroup
    if size > 1:
        raise refusal(f"collectives over {size} processes")
    return FakeProcessGroup._create_internal(rank, size)


def _on_sim(backend):
    """The backends that an unchanged program gets: the one it names for the CPU, ours for cuda."""
    names = backend.lower()
    if ":" in names:
        return ",".join([part for part in names.split(",") if not part.startswith("cuda")] + ["sim:" + _BACKEND])
    return f"cpu:gloo,sim:{_BACKEND}" if names in ("nccl", "gloo") else backend


def _mapped(start, default):
    @functools.wraps(start)
    def start_on_sim(*args, **kwargs):
        kwargs.pop("device_id", None)
        if start.__name__ == "init_process_group" and args:
            args = (_on_sim(args[0] or default),) + args[1:]
        elif kwargs.get("backend", default):
            kwargs["backend"] = _on_sim(kwargs.get("backend") or default)
        return start(*args, **kwargs)

    return start_on_sim


def _same_bucket(state, bucket):
    """What DistributedDataParallel gets for a bucket of gradients from one process."""
    future = torch.futures.Future()
    future.set_result(bucket.buffer())
    return future


def _patch_data_parallel():
    data_parallel = torch.nn.parallel.DistributedDataParallel
    init = data_parallel.__init__

    @functools.wraps(init)
    def init_on_sim(self, module, *args, **kwargs):
        init(self, module, *args, **kwargs)
        if any(parameter.is_cuda for parameter in module.parameters()):
            self.register_comm_hook(None, _same_bucket)

    data_parallel.__init__ = init_on_sim


def apply():
    if not dist.is_available():
        return
    import torch.distributed.distributed_c10d as c10d

    dist.Backend.register_backend(_BACKEND, _make_group, devices=["sim"])
    for name, default in (("init_process_group", "nccl"), ("new_group", None)):
        start = _mapped(getattr(c10d, name), default)
        setattr(c10d, name, start)
        setattr(dist, name, start)
    _patch_data_parallel()
