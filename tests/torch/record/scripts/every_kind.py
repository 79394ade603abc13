"""Calls operators with values of every kind that a schema can ask for. values_test.cpp finds a call by the mark at the end of its line."""
import torch

library = torch.library.Library("kinds", "DEF")
library.define(
    "all(Tensor? tensor, Tensor[] tensors, Tensor?[] optional_tensors, int integer, float number, complex z, bool flag, str text, ScalarType? dtype, "
    "Layout? layout, MemoryFormat? memory_format, Device? device, Generator? generator, Scalar scalar, int[] integers, float[] numbers, bool[] flags, "
    "str[] texts, Scalar[] scalars, int[]? nothing, SymInt length, int[2] pair, ScalarType[] dtypes, Device[] devices) -> ()")
library.impl("all", lambda *args: None, "CompositeExplicitAutograd")

generator = torch.Generator().manual_seed(2**63 + 5)
x, y = torch.zeros(2), torch.ones(3)
every = torch.ops.kinds.all
everything = (
    x, [x, y], [x, None, y], 2**63 - 1, 1e-300, 1e-9 - 2j, True, "naïve \"text\"\n", torch.float16, torch.sparse_csr, torch.channels_last,
    torch.device("cuda", 3), generator, -2**63, [-2**63, 0, 2**63 - 1], [5e-324, float("inf"), -0.0, 1e-7], [True, False], ["", "µ"], [1, 2.5, True, 3j],
    None, 7, [4, 5], [torch.bool, torch.complex64], [torch.device("cpu"), torch.device("meta")])
every(*everything)  # all
nothing = (None, [], [], 0, float("nan"), 0j, False, "", None, None, None, None, None, float("-inf"), [], [], [], [], [], [], 0, [0, 0], [], [])
every(*nothing)  # none

torch.full((1,), 2**63 - 1, dtype=torch.int64)  # full largest
torch.full((1,), -2**63, dtype=torch.int64)  # full smallest
torch.full((1,), 1.2345678901234567e-8, dtype=torch.float64)  # full small
torch.full((1,), -1e-9 + 2e300j, dtype=torch.complex128)  # full complex
torch.full((1,), True)  # full bool
torch.div(x, 3, rounding_mode="trunc")  # str
torch.sum(y, 0, keepdim=True, dtype=torch.float64)  # sum
torch.empty((2, 3, 4, 5), dtype=torch.int16, device="cpu", memory_format=torch.channels_last)  # empty
x.to("meta")  # to
torch.cat([x, y])  # cat
torch.zeros(3, 4)[:, torch.tensor([1, 2])]  # index
torch.add(x, 2.5)  # wrapped number

torch.manual_seed(1234)
torch.rand(2)  # default generator
torch.rand(2, generator=generator)  # own generator
torch.rand(2, generator=generator)  # own generator again
