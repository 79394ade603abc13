"""The measured program of sim.sh, and its table. The last line is measured with as many threads as torch takes by itself; one thread stands beside it."""

import contextlib
import statistics
import time

import torch
import torch.nn.functional as F
from torch import nn

import minrepro_simulate

STEP_ROUNDS = 40
OP_ROUNDS = 100
CALLS_IN_ROUND = 200                    # short enough that some rounds run undisturbed on a busy machine
WARM_UP = 3
mapped = contextlib.nullcontext         # as install() leaves it
unmapped = torch._C.DisableTorchFunction

VOCABULARY, WIDTH, LENGTH, BATCH = 1000, 128, 64, 16


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.token, self.position = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(LENGTH, WIDTH)
        layer = nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, dropout=0.1, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, ids):
        positions = torch.arange(ids.shape[1], device=ids.device)
        return self.head(self.layers(self.token(ids) + self.position(positions)))


def make_step(device):
    torch.manual_seed(0)
    model = Transformer().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    ids = torch.randint(0, VOCABULARY, (BATCH, LENGTH)).to(device)
    labels = torch.randint(0, VOCABULARY, (BATCH, LENGTH)).to(device)

    def step():
        optimizer.zero_grad()
        F.cross_entropy(model(ids).flatten(0, 1), labels.flatten()).backward()
        optimizer.step()

    return step


def make_ops(device):
    """Name and call of each small operator; the rules check the indices and labels among their arguments."""
    torch.manual_seed(0)
    a, b = torch.randn(4, 4).to(device), torch.randn(4, 4).to(device)
    table, index = torch.randn(16, 8).to(device), torch.tensor([3, 0, 15, 7]).to(device)
    positions = torch.randint(0, 4, (4, 4)).to(device)
    logits, labels = torch.randn(4, 10).to(device), torch.tensor([1, 9, 0, 4]).to(device)
    return {
        "add": lambda: torch.add(a, b),
        "relu": lambda: torch.relu(a),
        "index_select": lambda: torch.index_select(table, 0, index),
        "embedding": lambda: F.embedding(index, table),
        "gather": lambda: torch.gather(a, 1, positions),
        "cross_entropy": lambda: F.cross_entropy(logits, labels),
    }


def seconds(context, work, calls):
    with context():
        start = time.perf_counter()
        for _ in range(calls):
            work()
        return time.perf_counter() - start


def least_by_turns(works, rounds, calls=1):
    """The least seconds of each (context, work): what disturbs a measurement only ever adds to it."""
    least = [float("inf")] * len(works)
    for number in range(WARM_UP + rounds):
        for turn in range(len(works)):
            which = (turn + number) % len(works)    # whoever comes later may find warmer caches
            spent = seconds(*works[which], calls)
            if number >= WARM_UP:
                least[which] = min(least[which], spent)
    return least


def measure():
    """The ratio of the steps and the median of what the mapped operators cost more. Prints the table on the way."""
    print(f"threads: {torch.get_num_threads()}")
    cpu, sim = least_by_turns([(unmapped, make_step("cpu")), (mapped, make_step("cuda"))], STEP_ROUNDS)
    print(f"{'training step':<16} cpu {cpu * 1e3:8.2f} ms   sim {sim * 1e3:8.2f} ms   ratio {sim / cpu:.3f}")
    print(f"{'':<16} {'cpu us':>8} {'adds us':>8} {'mapped adds us':>15}")
    extras = []
    on_cpu, on_sim = make_ops("cpu"), make_ops("cuda")
    for name in on_cpu:
        works = [(unmapped, on_cpu[name]), (unmapped, on_sim[name]), (mapped, on_sim[name])]
        plain, bare, full = (least / CALLS_IN_ROUND * 1e6 for least in least_by_turns(works, OP_ROUNDS, CALLS_IN_ROUND))
        extras.append(full - plain)
        print(f"{name:<16} {plain:>8.2f} {bare - plain:>8.2f} {full - plain:>15.2f}")
    return sim / cpu, statistics.median(extras)


def main():
    minrepro_simulate.install()
    usual = torch.get_num_threads()
    if usual > 1:
        torch.set_num_threads(1)
        measure()
        torch.set_num_threads(usual)
    ratio, extra = measure()
    print(f"sim step_ratio={ratio:.2f} small_op_extra_us={extra:.1f}")


if __name__ == "__main__":
    main()
