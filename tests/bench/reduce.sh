# Reduction of generated traces of 100 to 100,000 calls with the culprit in the middle, without building the repro.
set -euo pipefail
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
printf '%9s %9s %10s %12s %9s\n' calls seconds questions calls_after elements
for n in 100 1000 10000 100000; do
  build/tests/generate_trace "$n" "$out/$n.trace"
  build/minrepro reduce "$out/$n.trace" -o "$out/$n.repro" --device sim --no-verify >/dev/null 2>"$out/log" || { cat "$out/log" >&2; exit 1; }
  "$TORCH_PYTHON" - "$n" "$out/$n.repro/reduction.json" <<'P' | tee "$out/row"
import json, sys
j = json.load(open(sys.argv[2]))
print(f"{sys.argv[1]:>9} {j['seconds']:9.2f} {j['oracle_calls']:10} {j['calls_after']:12} {j['elements_after']:9}")
P
done
read -r n seconds questions calls elements <"$out/row"
echo "reduce n=$n seconds=$seconds questions=$questions calls_after=$calls elements_after=$elements"
