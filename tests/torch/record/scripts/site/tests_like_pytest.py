"""A module run by `python -m`: catches what its tests raise and exits with 1, as pytest does. Its data come from
forked workers, and a spawned child computes too."""
import multiprocessing
import os
import sys

import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.full((2,), index)  # in a worker


def spawned(number):
    torch.full((number,), 7)  # in a spawned child


def test_loader():
    batches = list(DataLoader(Numbers(), batch_size=2, num_workers=2))
    assert sorted(int(row[0]) for batch in batches for row in batch) == list(range(8))


def test_spawn():
    child = multiprocessing.get_context("spawn").Process(target=spawned, args=(5,))
    child.start()
    child.join()
    assert child.exitcode == 0


def test_fails():
    torch.zeros(4).gather(0, torch.tensor([9]))  # fails


def main():
    print(os.environ.get("USERS_SITECUSTOMIZE"), getattr(sys, "users_sitecustomize", False), sys.argv[1:])
    failed = 0
    for test in (test_loader, test_spawn, test_fails):
        try:
            test()
        except RuntimeError as error:
            failed += 1
            print("FAILED", test.__name__, error)
    return failed


if __name__ == "__main__":
    sys.exit(main())
