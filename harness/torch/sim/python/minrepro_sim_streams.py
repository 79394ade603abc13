"""torch.cuda's streams and events on the simulated device. Work is done when a call returns, so streams only have an identity, and events a time."""
import ctypes
import time

import torch

from minrepro_sim_mapping import SIM, StandIn, to_cuda, to_sim
from minrepro_sim_refusals import refuse

_StreamBase, _EventBase = torch.Stream, torch.Event


class GenericStream(_StreamBase, metaclass=StandIn, stands_for=_StreamBase):
    """torch.Stream, of the device that it is asked for."""

    def __new__(cls, device=None, **kwargs):
        return super().__new__(cls, **kwargs) if device is None else super().__new__(cls, to_sim(device), **kwargs)

    @property
    def device(self):
        return to_cuda(super().device)


class Stream(GenericStream):
    """torch.cuda.Stream."""

    def __new__(cls, device=None, priority=0, **kwargs):
        if kwargs:
            return super().__new__(cls, **kwargs)
        if device is not None:
            to_sim(device)
        return super().__new__(cls, SIM, priority=priority)

    @property
    def cuda_stream(self):
        return self.stream_id

    @property
    def _as_parameter_(self):
        return ctypes.c_void_p(self.cuda_stream)

    @staticmethod
    def priority_range():
        return (0, -5)

    def wait_event(self, event):
        event.wait(self)

    def wait_stream(self, stream):
        self.wait_event(stream.record_event())

    def record_event(self, event=None):
        event = Event() if event is None else event
        event.record(self)
        return event

    def __repr__(self):
        return f"<torch.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"

    __hash__ = _StreamBase.__hash__


class ExternalStream(Stream):
    def __new__(cls, stream_ptr, device=None, **kwargs):
        refuse("streams of other libraries")


class GenericEvent(_EventBase, metaclass=StandIn, stands_for=_EventBase):
    """torch.Event, of the device that it is asked for. It keeps its own time: the method of torch's own class takes no event of a subclass."""

    def __new__(cls, device=None, *, enable_timing=False, blocking=False, interprocess=False):
        event = super().__new__(cls, SIM if device is None else to_sim(device), enable_timing=enable_timing)
        event._timed, event._recorded_at = enable_timing, None
        return event

    @property
    def device(self):
        return to_cuda(super().device)

    def record(self, stream=None):
        super().record(stream if stream is not None else torch.cuda.current_stream())
        self._recorded_at = time.perf_counter()

    def wait(self, stream=None):
        super().wait(stream if stream is not None else torch.cuda.current_stream())

    def elapsed_time(self, end_event):
        if not (self._timed and end_event._timed):
            raise RuntimeError("Both events must be created with argument 'enable_timing=True'.")
        if self._recorded_at is None or end_event._recorded_at is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        self.synchronize()
        return (end_event._recorded_at - self._recorded_at) * 1e3


class Event(GenericEvent):
    """torch.cuda.Event."""

    def __new__(cls, enable_timing=False, blocking=False, interprocess=False, external=False):
        return super().__new__(cls, SIM, enable_timing=enable_timing)

    @property
    def cuda_event(self):
        return self.event_id

    @property
    def _as_parameter_(self):
        return ctypes.c_void_p(self.cuda_event)

    def ipc_handle(self):
        refuse("events shared between processes")

    @classmethod
    def from_ipc_handle(cls, device, handle):
        refuse("events shared between processes")

    def __repr__(self):
        return f"<torch.cuda.Event {self.cuda_event:#x}>" if self._recorded_at is not None else "<torch.cuda.Event uninitialized>"


def _parts(stream):
    return (stream.stream_id, stream.device_index, stream.device_type)


def current_parts(device=None):
    return _parts(torch._C._accelerator_getStream(0))


def default_parts(device=None):
    return (0,) + current_parts()[1:]


def set_current(stream_id, device_index, device_type):
    torch._C._accelerator_setStream(_StreamBase(stream_id=stream_id, device_index=device_index, device_type=device_type))
