"""Tensors of all sorts, and calls that nest, throw and come from several threads. tensors_test.cpp finds a call by the mark at the end of its line."""
import threading

import torch


def metadata():
    base = torch.arange(24.0).reshape(2, 3, 4)
    view = base[1].t()
    torch.neg(view)  # strided view
    torch.neg(base)  # its base
    leaf = torch.zeros(2, 3, dtype=torch.float64, requires_grad=True)
    torch.neg(leaf)  # leaf
    torch.neg(torch.zeros(2, 0, 3, dtype=torch.complex64))  # empty
    torch.neg(torch.zeros((), dtype=torch.int8))  # scalar
    torch.neg(torch.ones(1, 3).expand(4, 3))  # expanded
    torch.neg(torch.empty(2, 3, 4, 5).to(memory_format=torch.channels_last))  # channels last
    torch.empty(5, device="meta")  # meta
    for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64,
                  torch.complex64, torch.complex128, torch.bool, torch.uint16, torch.uint32, torch.uint64, torch.float8_e4m3fn, torch.float8_e5m2):
        torch.empty(1, dtype=dtype)  # dtype
    torch.sparse_coo_tensor(torch.tensor([[0, 2]]), torch.tensor([1.0, 2.0]), (5,)).mul(2)  # sparse


def identities():
    kept = []
    for number in range(9000):
        one = torch.zeros(1)  # made
        if number % 3 == 0:
            kept.append(one)
    for one in kept:
        one.neg_()  # kept
    x = torch.ones(3)  # x is made
    x.add_(1)  # x is written
    x.detach()  # x is detached
    x[1:].neg()  # x is sliced
    torch.add(x, 1, out=torch.empty(3))  # out
    x.data = torch.ones(4)
    torch.neg(x)  # x has another storage


def nesting():
    weight, bias, data = torch.randn(4, 3, requires_grad=True), torch.randn(4, requires_grad=True), torch.randn(2, 3)
    out = torch.nn.functional.linear(data, weight, bias)  # linear
    out = torch.einsum("ij,kj->ik", out, out)  # einsum
    out.sum().backward()  # backward
    torch.nn.LSTM(3, 4)(data.unsqueeze(0))  # lstm


def order():
    a = torch.ones(2)  # order 1
    b = a * 2; c = b - a; c.sum()  # order 2


def throwing():
    try:
        torch.zeros(2).view(3)  # throws
    except RuntimeError:
        pass
    try:
        torch.zeros(2, 3) @ torch.zeros(2, 3)  # throws inside
    except RuntimeError:
        pass
    torch.ones(2)  # goes on


def threads():
    def work(number):
        for _ in range(300):
            torch.full((number + 1,), number)  # in a thread

    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return x * 2  # forward of a function

    @staticmethod
    def backward(context, gradient):
        return gradient * 2  # backward of a function


def custom_function():
    Doubled.apply(torch.ones(3, requires_grad=True)).sum().backward()  # apply


for part in (metadata, identities, nesting, order, throwing, threads, custom_function):
    part()
