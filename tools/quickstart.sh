#!/usr/bin/env bash
# From a crashing CUDA script to a verified repro.cpp, on a machine without a GPU: installs what is missing, builds, records, reduces, verifies.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n%s\n' "$*"; }

if [ ! -e build/build.ninja ]; then cmake --preset release -DMINREPRO_TORCH_PYTHON="$TORCH_PYTHON" >build/configure.log || { cat build/configure.log; exit 2; }; fi
[ -x build/minrepro ] || echo "building minrepro (a few minutes)"
cmake --build build --target minrepro --parallel "${MINREPRO_JOBS:-2}" >build/build.log || { tail -n 50 build/build.log; exit 2; }

script=corpus/known_failures/onehot_segmentation/original.py
out=build/quickstart
rm -rf "$out"; mkdir -p "$out"

say "\$ minrepro record --simulate -- python $script"
status=0
build/minrepro record --simulate -o "$out/onehot_segmentation.trace" -- "$TORCH_PYTHON" "$script" || status=$?
[ "$status" -ne 0 ] || { echo "quickstart: the script was to fail, and did not" >&2; exit 1; }

say "\$ minrepro reduce onehot_segmentation.trace"
build/minrepro reduce "$out/onehot_segmentation.trace" -o "$out/onehot_segmentation.repro"

say "\$ cat onehot_segmentation.repro/repro.cpp"
cat "$out/onehot_segmentation.repro/repro.cpp"

say "\$ minrepro verify onehot_segmentation.repro"
build/minrepro verify "$out/onehot_segmentation.repro"
printf '\nThe repro lies in %s\n' "$PWD/$out/onehot_segmentation.repro"
