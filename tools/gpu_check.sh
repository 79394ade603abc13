#!/usr/bin/env bash
# What only a GPU can show: every known failure that was found on the simulated device, on a real one. Prints a row for each and ends with a count.
#   TORCH_PYTHON=/path/to/python tools/gpu_check.sh        a Python whose torch (2.11 or newer) has CUDA; build/minrepro is built if it is not there
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=${TORCH_PYTHON:-$PWD/build/venv/bin/python}
"$python" -c 'import sys, torch; print("torch", torch.__version__, "CUDA", torch.version.cuda); sys.exit(not torch.cuda.is_available())' ||
  { echo "gpu_check: no GPU that $python can use" >&2; exit 2; }
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
if [ ! -x build/minrepro ]; then
  cmake -S . -B build -G Ninja -DMINREPRO_TORCH_PYTHON="$python" -DMINREPRO_TESTS=OFF >/dev/null
  cmake --build build --target minrepro --parallel "$(nproc)" >/dev/null
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
good=0 total=0
for folder in corpus/known_failures/*/; do
  name=$(basename "$folder")
  grep -q '"device": "sim"' "$folder/expected.json" || continue
  total=$((total + 1))
  build/minrepro record -o "$out/$name.trace" -- "$python" "$folder/original.py" >"$out/record" 2>&1 || true
  build/minrepro reduce "$out/$name.trace" -o "$out/$name.repro" --device cuda >"$out/reduce" 2>&1 || true
  # The simulated device and the real one have to agree on what failed, and the repro has to be seen failing on the real one.
  if "$python" - "$folder/expected.json" "$out/$name.repro/reduction.json" <<'P'
import json, sys
wanted, got = (json.load(open(path)) for path in sys.argv[1:])
print("  wanted", wanted["signature"]["text"])
print("  got   ", got["signature"]["text"], "verified on", got["verified_on"], got["not_verified"])
sys.exit(not (got["signature"] == wanted["signature"] and got["verified_on"] == "cuda"))
P
  then good=$((good + 1)); echo "ok    $name"
  else
    echo "FAIL  $name"
    sed 's/^/  record: /' "$out/record" | tail -n 12
    sed 's/^/  reduce: /' "$out/reduce" | tail -n 12
  fi
done
echo "gpu_check: $good of $total known failures are the same on the GPU"
[ "$total" -gt 0 ] && [ "$good" -eq "$total" ]
