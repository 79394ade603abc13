"""Every module of torch.nn that takes a device: made on cuda and moved there, beside the same module on the CPU; and models as programs handle them."""
import copy
import inspect
import pickle
import unittest

import torch
import torch.nn as nn

from cuda_case import CudaTest

NORM = torch.randn(2, 4, 3)
IMAGE = torch.randn(2, 4, 8, 8)
# How each module is made, and what it is called with.
MODULES = {
    "AdaptiveLogSoftmaxWithLoss": ((8, 10, [3, 6]), (torch.randn(5, 8), torch.tensor([0, 4, 7, 9, 1]))), "BatchNorm1d": ((4,), (NORM,)),
    "BatchNorm2d": ((4,), (IMAGE,)), "BatchNorm3d": ((4,), (torch.randn(2, 4, 3, 3, 3),)), "Bilinear": ((3, 4, 2), (torch.randn(5, 3), torch.randn(5, 4))),
    "Conv1d": ((4, 2, 3), (NORM,)), "Conv2d": ((4, 2, 3), (IMAGE,)), "Conv3d": ((4, 2, 2), (torch.randn(2, 4, 3, 3, 3),)),
    "ConvTranspose1d": ((4, 2, 3), (NORM,)), "ConvTranspose2d": ((4, 2, 3), (IMAGE,)), "ConvTranspose3d": ((4, 2, 2), (torch.randn(2, 4, 3, 3, 3),)),
    "Embedding": ((6, 3), (torch.tensor([[0, 5], [2, 1]]),)), "EmbeddingBag": ((6, 3), (torch.tensor([[0, 5], [2, 1]]),)),
    "GRU": ((4, 3, 2), (torch.randn(5, 2, 4),)), "GRUCell": ((4, 3), (torch.randn(2, 4),)), "GroupNorm": ((2, 4), (IMAGE,)),
    "InstanceNorm1d": ((4, 1e-5, 0.1, True), (NORM,)), "InstanceNorm2d": ((4, 1e-5, 0.1, True), (IMAGE,)),
    "InstanceNorm3d": ((4, 1e-5, 0.1, True), (torch.randn(2, 4, 3, 3, 3),)), "LSTM": ((4, 3, 2), (torch.randn(5, 2, 4),)), "LSTMCell": ((4, 3), (torch.randn(2, 4),)),
    "LayerNorm": ((3,), (NORM,)), "Linear": ((3, 2), (NORM,)), "MultiheadAttention": ((4, 2), (torch.randn(5, 2, 4),) * 3),
    "NonDynamicallyQuantizableLinear": ((3, 2), (NORM,)), "PReLU": ((4,), (NORM,)), "RMSNorm": ((3,), (NORM,)), "RNN": ((4, 3, 2), (torch.randn(5, 2, 4),)),
    "RNNCell": ((4, 3), (torch.randn(2, 4),)), "Transformer": ((4, 2, 1, 1, 8, 0.0), (torch.randn(5, 2, 4), torch.randn(3, 2, 4))),
    "TransformerDecoderLayer": ((4, 2, 8, 0.0), (torch.randn(5, 2, 4), torch.randn(3, 2, 4))), "TransformerEncoderLayer": ((4, 2, 8, 0.0), (torch.randn(5, 2, 4),)),
    "SyncBatchNorm": ((4,), (IMAGE,)),
}
# Bases, and modules that take their sizes from the first input.
WITHOUT_FORWARD = {"RNNBase", "RNNCellBase"}
LAZY = {name: (kind, value) for name, kind, value in [
    ("LazyBatchNorm1d", (), NORM), ("LazyBatchNorm2d", (), IMAGE), ("LazyBatchNorm3d", (), torch.randn(2, 4, 3, 3, 3)), ("LazyConv1d", (2, 3), NORM),
    ("LazyConv2d", (2, 3), IMAGE), ("LazyConv3d", (2, 2), torch.randn(2, 4, 3, 3, 3)), ("LazyConvTranspose1d", (2, 3), NORM),
    ("LazyConvTranspose2d", (2, 3), IMAGE), ("LazyConvTranspose3d", (2, 2), torch.randn(2, 4, 3, 3, 3)), ("LazyInstanceNorm1d", (), NORM),
    ("LazyInstanceNorm2d", (), IMAGE), ("LazyInstanceNorm3d", (), torch.randn(2, 4, 3, 3, 3)), ("LazyLinear", (2,), NORM)]}


def modules_that_take_a_device():
    classes = {**dict(inspect.getmembers(nn, inspect.isclass)), **dict(inspect.getmembers(nn.modules.linear, inspect.isclass))}
    return {name for name, kind in classes.items() if issubclass(kind, nn.Module) and name[0] != "_"
            and "device" in inspect.signature(kind.__init__).parameters | inspect.signature(kind).parameters}


def find(name):
    return getattr(nn, name, None) or getattr(nn.modules.linear, name)


def flat(value):
    if isinstance(value, torch.Tensor):
        return [value]
    return [item for element in value for item in flat(element)] if isinstance(value, (tuple, list)) else []


def on_cuda(value):
    return tuple(item.cuda() for item in value)


class EveryModule(CudaTest):
    def test_the_table_is_complete(self):
        self.assertEqual(modules_that_take_a_device() - MODULES.keys() - LAZY.keys() - WITHOUT_FORWARD, set())

    def test_made_on_cuda(self):
        for name, (arguments, inputs) in MODULES.items():
            with self.subTest(name):
                torch.manual_seed(3)
                on_cpu = find(name)(*arguments)
                for device in ("cuda", torch.device("cuda:0")):
                    torch.manual_seed(3)
                    made = find(name)(*arguments, device=device)
                    for parameter, expected in zip(flat(list(made.parameters()) + list(made.buffers())), flat(list(on_cpu.parameters()) + list(on_cpu.buffers()))):
                        self.assert_same(parameter.detach(), expected.detach())

    def test_forward_and_backward(self):
        for name, (arguments, inputs) in MODULES.items():
            with self.subTest(name):
                torch.manual_seed(3)
                on_cpu = find(name)(*arguments)
                moved = copy.deepcopy(on_cpu).cuda()
                expected, got = flat(on_cpu(*inputs)), flat(moved(*on_cuda(inputs)))
                self.assertEqual(len(got), len(expected))
                for result, reference in zip(got, expected):
                    self.assert_same(result.detach(), reference.detach(), atol=1e-5, rtol=1e-4)
                sum(value.sum() for value in expected if value.requires_grad).backward()
                sum(value.sum() for value in got if value.requires_grad).backward()
                for parameter, reference in zip(moved.parameters(), on_cpu.parameters()):
                    if reference.grad is not None:
                        self.assert_same(parameter.grad, reference.grad, atol=1e-4, rtol=1e-4)

    def test_lazy_modules(self):
        for name, (arguments, value) in LAZY.items():
            with self.subTest(name):
                module = getattr(nn, name)(*arguments, device="cuda")
                self.assert_cuda(module(value.cuda()), *module.parameters())


class Models(CudaTest):
    def model(self):
        return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 2))

    def test_every_way_to_move(self):
        for move in (lambda m: m.cuda(), lambda m: m.cuda(0), lambda m: m.to("cuda"), lambda m: m.to(torch.device("cuda", 0)), lambda m: m.to(0),
                     lambda m: m.to("cuda", torch.float64), lambda m: m.to(device="cuda", non_blocking=True), lambda m: m.to(torch.ones(1, device="cuda")),
                     lambda m: m.to_empty(device="cuda"), lambda m: m.half().cuda(), lambda m: m.type("torch.cuda.DoubleTensor"),
                     lambda m: m.to(memory_format=torch.channels_last).cuda(), lambda m: nn.utils.skip_init(nn.Linear, 2, 2, device="cuda")):
            moved = move(self.model())
            self.assert_cuda(*moved.parameters(), *moved.buffers())
        self.assertFalse(any(p.is_cuda for p in moved.cpu().parameters()))

    def test_made_under_a_default_device(self):
        with torch.device("cuda"):
            self.assert_cuda(*self.model().parameters(), *nn.TransformerEncoderLayer(4, 2).parameters())
        with torch.device("meta"):
            meta = self.model()
        self.assert_cuda(*meta.to_empty(device="cuda").parameters())

    def test_copies_and_pickles(self):
        model = self.model().cuda()
        for copied in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), copy.copy(model)):
            self.assert_cuda(*copied.parameters())
            for a, b in zip(copied.state_dict().values(), model.state_dict().values()):
                self.assert_same(a, b.cpu())
        self.assertNotEqual(copy.deepcopy(model)[0].weight.data_ptr(), model[0].weight.data_ptr())

    def test_state_dicts_cross_devices(self):
        a, b = self.model().cuda(), self.model()
        b.load_state_dict(a.state_dict())
        self.assertFalse(b[0].weight.is_cuda)
        self.assert_same(a[0].weight.detach(), b[0].weight.detach())
        a.load_state_dict(b.state_dict(), assign=False)
        self.assert_cuda(*a.parameters())

    def test_hooks(self):
        model, x, seen = self.model().cuda(), torch.randn(5, 3, device="cuda", requires_grad=True), []
        model[0].register_forward_pre_hook(lambda module, inputs: seen.append(inputs[0]))
        model[0].register_forward_hook(lambda module, inputs, output: seen.append(output))
        model[3].register_full_backward_hook(lambda module, grad_in, grad_out: seen.append(grad_out[0]))
        x.register_hook(seen.append)
        model[0].weight.register_post_accumulate_grad_hook(lambda parameter: seen.append(parameter.grad))
        model(x).sum().backward()
        self.assertEqual(len(seen), 5)
        self.assert_cuda(*seen)

    def test_utilities(self):
        model, x = self.model().cuda(), torch.randn(5, 3, device="cuda")
        model(x).sum().backward()
        self.assert_cuda(nn.utils.clip_grad_norm_(model.parameters(), 1.0), nn.utils.parameters_to_vector(model.parameters()))
        nn.utils.clip_grad_value_(model.parameters(), 0.1)
        wrapped = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2).cuda())
        self.assert_cuda(wrapped(x), nn.utils.parametrizations.spectral_norm(nn.Linear(3, 2).cuda())(x),
                         nn.utils.parametrizations.orthogonal(nn.Linear(3, 2).cuda())(x))
        nn.init.kaiming_normal_(model[0].weight)
        nn.init.orthogonal_(model[0].weight)
        nn.init.trunc_normal_(model[0].weight)
        packed = nn.utils.rnn.pack_padded_sequence(torch.randn(4, 2, 3, device="cuda"), torch.tensor([4, 2]))
        self.assertTrue(packed.is_cuda)
        out, _ = nn.LSTM(3, 5, device="cuda")(packed)
        padded, lengths = nn.utils.rnn.pad_packed_sequence(out)
        self.assert_cuda(padded)
        self.assertEqual(lengths.tolist(), [4, 2])
        self.assert_cuda(nn.utils.rnn.pad_sequence([torch.ones(2, device="cuda"), torch.ones(3, device="cuda")]))


if __name__ == "__main__":
    unittest.main()
