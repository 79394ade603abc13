# What the recorder adds to an operator call, beside what PyTorch's ExecutionTraceObserver and a Python TorchDispatchMode add, the bytes that the two
# files hold for the same calls, and what a training step costs more. Each time is the difference of two minima, with and without, measured by turns in one process.
set -euo pipefail
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
bench=$PWD/tests/bench/record_bench.py
export OMP_NUM_THREADS=1 MKL_NUM_THREADS=1
# Whether the heap gives memory back to the system depends on what lies at its end: that may cost a step more than the recorder does.
export MALLOC_MMAP_THRESHOLD_=1073741824 MALLOC_TRIM_THRESHOLD_=1073741824
"$TORCH_PYTHON" "$bench" others "$out/others.json" 2>"$out/log" || { cat "$out/log" >&2; exit 1; }
recorded() {
  build/minrepro record -o "$out/$1.trace" -- "$TORCH_PYTHON" "$bench" "$1" "$out/$1.json" >"$out/log" 2>&1 || { cat "$out/log" >&2; exit 1; }
}
recorded timed
recorded calls
recorded train
exec "$TORCH_PYTHON" "$bench" table "$out"
