"""Forks children that end in all sorts of ways right after, or in, a call; then lets an exception end itself. endings_test.cpp tells them by their marks."""
import ctypes
import os
import signal
import time

import torch


def crash(x, how):
    if how == "segv":
        ctypes.string_at(0)
    getattr(os, how)() if how == "abort" else os.kill(os.getpid(), signal.SIGKILL)


library = torch.library.Library("endings", "DEF")
library.define("inside(Tensor x, str how) -> ()")
library.impl("inside", crash, "CompositeExplicitAutograd")

x = torch.ones(3)


def in_child(work):
    child = os.fork()
    if child == 0:
        work()
        os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def after_a_call():
    torch.neg(x)  # killed right after
    os.kill(os.getpid(), signal.SIGKILL)


ends = [in_child(after_a_call)]
for how in ("abort", "segv", "kill"):
    ends.append(in_child(lambda: torch.ops.endings.inside(x, how)))
print(*ends)


def fail():
    try:
        torch.zeros(3).view(4)  # fails
    finally:
        torch.ones(1)  # while unwinding


fail()
