# What the recorder adds to an operator call, beside what PyTorch's ExecutionTraceObserver and a Python TorchDispatchMode add, the bytes that the two files hold for
# the same calls, and what a training step costs more. Each figure is the median of pairs measured one right after the other, with and without.
set -euo pipefail
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
bench=$PWD/tests/bench/record_bench.py
export OMP_NUM_THREADS=1 MKL_NUM_THREADS=1
"$TORCH_PYTHON" "$bench" others "$out/others.json" 2>"$out/log" || { cat "$out/log" >&2; exit 1; }
recorded() {
  build/minrepro record -o "$out/$1.trace" -- "$TORCH_PYTHON" "$bench" "$1" "$out/$1.json" >"$out/log" 2>&1 || { cat "$out/log" >&2; exit 1; }
}
recorded timed
recorded calls
recorded train
exec "$TORCH_PYTHON" "$bench" table "$out"
