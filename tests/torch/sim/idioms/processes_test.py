"""CUDA and other processes: what a forked one cannot do, and tensors that are sent to one."""
import unittest

import torch
import torch.multiprocessing as multiprocessing
import torch.nn as nn
from torch.utils.data import DataLoader

from cuda_case import CudaTest

WAIT_S = 120


def outcome(function):
    try:
        return str(function())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def use_device_in_child(answers, tensor):
    for use in (lambda: torch.ones(2, device="cuda"), lambda: torch.ones(2).cuda(), torch.cuda.current_device, torch.cuda.get_rng_state,
                lambda: tensor + 1, lambda: torch.empty_like(tensor), tensor.tolist, tensor.cpu):
        answers.put(outcome(use))
    answers.put(outcome(lambda: torch.cuda.is_available() and int(torch.ones(2).sum())))


def first_use_in_child(answers):
    answers.put(outcome(lambda: torch.ones(2, device="cuda").tolist()))


def receive(sent, answers):
    for _ in range(3):
        x = sent.get(timeout=WAIT_S)
        answers.put((type(x).__name__, str(x.device), x.requires_grad, x.to_dense().tolist()))


class OnDevice(torch.utils.data.Dataset):
    def __init__(self):
        self.values = torch.arange(4.0)

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return self.values[i].cuda()


class Forked(CudaTest):
    def run_forked(self, function, count, *arguments):
        context = multiprocessing.get_context("fork")
        answers = context.Queue()
        child = context.Process(target=function, args=(answers, *arguments))
        child.start()
        got = [answers.get(timeout=WAIT_S) for _ in range(count)]
        child.join()
        return got

    def test_a_child_of_a_user_of_cuda_cannot_use_it(self):
        got = self.run_forked(use_device_in_child, 9, torch.ones(2, device="cuda"))
        for text in got[:4]:
            self.assertRegex(text, "^RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' start")
        for text in got[4:8]:
            self.assertRegex(text, "^AcceleratorError: CUDA error: initialization error\n.*cudaErrorInitializationError")
        self.assertEqual(got[8], "2")

    def test_the_first_user_may_be_a_child(self):
        self.assertEqual(self.run_forked(first_use_in_child, 1), ["[1.0, 1.0]"])

    def test_is_available_is_a_use(self):
        self.assertTrue(torch.cuda.is_available())
        self.assertRegex(self.run_forked(first_use_in_child, 1)[0], "Cannot re-initialize CUDA in forked subprocess")

    def test_workers_of_a_loader(self):
        torch.ones(1).cuda()
        with self.assertRaisesRegex(RuntimeError, "Cannot re-initialize CUDA in forked subprocess"):
            list(DataLoader(OnDevice(), num_workers=1))


class Sent(CudaTest):
    def test_by_a_queue(self):
        context = multiprocessing.get_context("spawn")
        sent, answers = context.Queue(), context.Queue()
        child = context.Process(target=receive, args=(sent, answers))
        child.start()
        for x in (torch.arange(6).cuda().view(2, 3).t(), nn.Parameter(torch.ones(1, device="cuda")), torch.eye(2, device="cuda").to_sparse()):
            sent.put(x)
            self.assertEqual(answers.get(timeout=WAIT_S), (type(x).__name__, "cuda:0", x.requires_grad, x.to_dense().tolist()))
        child.join()

    def test_by_a_spawned_loader(self):
        loaded = list(DataLoader(OnDevice(), num_workers=1, batch_size=2, multiprocessing_context="spawn"))
        self.assert_cuda(*loaded)
        self.assertEqual(torch.cat(loaded).tolist(), [0, 1, 2, 3])

    def test_what_has_a_history_is_refused(self):
        x = torch.ones(1, device="cuda", requires_grad=True) * 2
        with self.assertRaisesRegex(RuntimeError, "Cowardly refusing to serialize non-leaf tensor"):
            multiprocessing.reductions.reduce_tensor(x)


if __name__ == "__main__":
    unittest.main()
