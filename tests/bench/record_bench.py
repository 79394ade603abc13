"""The measured program of record.sh, and its table.

    record_bench.py others OUT.json      without the recorder: a plain loop, ExecutionTraceObserver, TorchDispatchMode, and the observer's bytes
    record_bench.py timed OUT.json       under `minrepro record`: the same loop and a training step, each with the recorder on and off by turns
    record_bench.py calls|train OUT.json under `minrepro record`: the loop or the training alone, whose bytes count
    record_bench.py table FOLDER         the figures from those files
"""

import json
import os
import sys
import time

PAIRS = 100
ROUNDS = 1000                           # short enough that some pairs run undisturbed on a busy machine
CALLS_IN_ROUND = 5
WRITTEN_ROUNDS = 4000                   # of the loop whose bytes count
STEP_PAIRS = 60
TRAINING = 20                           # steps of the training whose bytes count


def loop(rounds):
    import torch

    a, b = loop.operands
    for _ in range(rounds):
        c = torch.add(a, b)
        c = torch.mul(c, b)
        c = torch.sub(c, a)
        c = c.view(2, 2)
        c = c.neg()


def make_step():
    """One step of training a small image classifier."""
    import torch
    from torch import nn

    torch.manual_seed(0)
    layers = []
    for inputs, outputs in ((3, 16), (16, 32), (32, 64)):
        layers += [nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(), nn.MaxPool2d(2)]
    model = nn.Sequential(*layers, nn.Flatten(), nn.Linear(64 * 4 * 4, 128), nn.ReLU(), nn.Dropout(0.1), nn.Linear(128, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    images, labels = torch.randn(32, 3, 32, 32), torch.randint(0, 10, (32,))

    def step():
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()

    return step


def train():
    step = make_step()
    for _ in range(TRAINING):
        step()


def seconds(work, *arguments):
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start


class Recorder:
    """On inside, off outside: with record functions disabled LibTorch calls no observer, as if none had been added."""

    def __enter__(self):
        import torch

        torch.autograd._enable_record_function(True)

    def __exit__(self, *_):
        import torch

        torch.autograd._enable_record_function(False)


class Observer:
    def __init__(self, path):
        self.path = path

    def __enter__(self):
        from torch.profiler import ExecutionTraceObserver

        self.observer = ExecutionTraceObserver().register_callback(self.path)
        self.observer.start()

    def __exit__(self, *_):
        self.observer.stop()
        self.observer.unregister_callback()


def dispatch_mode():
    from torch.utils._python_dispatch import TorchDispatchMode

    class Watching(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            return function(*args, **(kwargs or {}))

    return Watching()


def best_of(context, work, *arguments, pairs=PAIRS):
    """(seconds inside the context, seconds without it): the least of many taken by turns, since what disturbs a measurement only ever adds to it."""
    inside, without = [], []

    def measure_inside():
        with context:
            inside.append(seconds(work, *arguments))

    def measure_without():
        without.append(seconds(work, *arguments))

    for number in range(pairs):
        turns = (measure_inside, measure_without)
        for measure in turns if number % 2 == 0 else reversed(turns):   # whoever comes second may find warmer caches
            measure()
    return min(inside), min(without)


def added_us(best, calls):
    return (best[0] - best[1]) / calls * 1e6


def prepare():
    import torch

    torch.set_num_threads(1)
    loop.operands = (torch.ones(4), torch.ones(4))
    loop(ROUNDS)


def others(folder):
    path = os.path.join(folder, "observer.json")
    prepare()
    calls = ROUNDS * CALLS_IN_ROUND
    mode = best_of(dispatch_mode(), loop, ROUNDS)
    observer = best_of(Observer(path), loop, ROUNDS // 5, pairs=PAIRS // 2)
    with Observer(path):
        loop(WRITTEN_ROUNDS)
    loop_bytes = os.path.getsize(path)
    with Observer(path):
        train()
    return {"plain_us": mode[1] / calls * 1e6, "mode_us": added_us(mode, calls), "observer_us": added_us(observer, calls // 5),
            "loop_bytes": loop_bytes, "step_bytes": os.path.getsize(path)}


def timed():
    import torch

    torch.autograd._enable_record_function(False)
    prepare()
    calls = ROUNDS * CALLS_IN_ROUND
    recorder = best_of(Recorder(), loop, ROUNDS)
    step = make_step()
    for _ in range(3):
        step()
    steps = best_of(Recorder(), step, pairs=STEP_PAIRS)
    return {"plain_us": recorder[1] / calls * 1e6, "recorder_us": added_us(recorder, calls), "step_ms": steps[1] * 1000,
            "step_percent": 100 * (steps[0] / steps[1] - 1)}


def alone(work):
    import torch

    torch.autograd._enable_record_function(False)
    prepare()
    with Recorder():
        if work == "calls":
            loop(WRITTEN_ROUNDS)
        else:
            train()
    return {}


def bytes_in(folder):
    return sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder) if name.startswith(("calls.", "data.")))


def table(folder):
    def read(name):
        with open(os.path.join(folder, name + ".json"), encoding="utf-8") as file:
            return json.load(file)

    other, ours = read("others"), read("timed")
    calls = WRITTEN_ROUNDS * CALLS_IN_ROUND
    loop_bytes, step_bytes = (bytes_in(os.path.join(folder, name + ".trace")) for name in ("calls", "train"))
    ratios = {"loop": loop_bytes / other["loop_bytes"], "step": step_bytes / other["step_bytes"]}

    print(f"{'a small operator call':<34} {'adds us':>9} {'bytes':>9}")
    print(f"{'unobserved (takes ' + format(other['plain_us'], '.2f') + ' us)':<34} {0:>9} {0:>9}")
    print(f"{'recorder (on ' + format(ours['plain_us'], '.2f') + ' us)':<34} {ours['recorder_us']:>9.2f} {loop_bytes / calls:>9.1f}")
    print(f"{'ExecutionTraceObserver':<34} {other['observer_us']:>9.2f} {other['loop_bytes'] / calls:>9.1f}")
    print(f"{'TorchDispatchMode':<34} {other['mode_us']:>9.2f} {'-':>9}")
    print(f"{'a training step of ' + format(ours['step_ms'], '.1f') + ' ms':<34} {ours['step_percent']:>8.1f}% {step_bytes / TRAINING:>9.0f}  "
          f"(ExecutionTraceObserver {other['step_bytes'] / TRAINING:.0f} bytes)")
    print(f"record us_per_call={ours['recorder_us']:.2f} observer_us_per_call={other['observer_us']:.2f} dispatchmode_us_per_call={other['mode_us']:.2f} "
          f"bytes_ratio={max(ratios.values()):.3f} step_overhead_percent={ours['step_percent']:.1f}")


def main():
    what, path = sys.argv[1:]
    if what == "table":
        return table(path)
    if what == "others":
        result = others(os.path.dirname(path))
    elif what == "timed":
        result = timed()
    else:
        result = alone(what)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(result, file)


if __name__ == "__main__":
    main()
