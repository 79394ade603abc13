"""The measured program of sim.sh, and its table. The last line is with as many threads as torch takes by itself; one thread stands beside it."""

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

VOCABULARY, WIDTH, LENGTH, BATCH = 1000, 128, 64, 8


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


def seconds(context, work, calls, clock):
    with context():
        start = clock()
        for _ in range(calls):
            work()
        return clock() - start


def by_turns(works, rounds, calls=1, clock=time.perf_counter):
    """For each (context, work) the seconds that it took in each round."""
    taken = [[] for _ in works]
    for number in range(WARM_UP + rounds):
        for turn in range(len(works)):
            which = (turn + number) % len(works)    # whoever comes later may find warmer caches
            spent = seconds(*works[which], calls, clock)
            if number >= WARM_UP:
                taken[which].append(spent)
    return taken


def step_ratio():
    """Of two steps that follow each other, the median. On a busy machine no step runs undisturbed: one thread's are measured in processor time."""
    clock = time.process_time if torch.get_num_threads() == 1 else time.perf_counter
    cpu, sim = by_turns([(unmapped, make_step("cpu")), (mapped, make_step("cuda"))], STEP_ROUNDS, clock=clock)
    low, ratio, high = statistics.quantiles([b / a for a, b in zip(cpu, sim)], n=4)
    print(f"{'training step':<16} cpu {min(cpu) * 1e3:.1f} ms, sim {min(sim) * 1e3:.1f} ms; ratio {ratio:.3f} (half of all: {low:.3f} to {high:.3f})")
    return ratio


def extra_of_small_ops():
    """Microseconds, with the mapping; the median of the operators. Each is a difference of minima: what disturbs a round only ever adds to it."""
    print(f"{'':<16} {'cpu us':>8} {'adds us':>8} {'mapped adds us':>15}")
    extras = []
    on_cpu, on_sim = make_ops("cpu"), make_ops("cuda")
    for name in on_cpu:
        works = [(unmapped, on_cpu[name]), (unmapped, on_sim[name]), (mapped, on_sim[name])]
        plain, bare, full = (min(taken) / CALLS_IN_ROUND * 1e6 for taken in by_turns(works, OP_ROUNDS, CALLS_IN_ROUND))
        extras.append(full - plain)
        print(f"{name:<16} {plain:>8.2f} {bare - plain:>8.2f} {full - plain:>15.2f}")
    return statistics.median(extras)


def measure():
    print(f"threads: {torch.get_num_threads()}")
    return step_ratio(), extra_of_small_ops()


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
