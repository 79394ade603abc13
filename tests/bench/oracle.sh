# Questions a second: one failing call run inside the worker, in a forked child of it, and in a fresh Python process that imports torch.
set -euo pipefail
inprocess=$(build/tests/oracle_bench inprocess 1 20000)
contained=$(build/tests/oracle_bench contained 1 1000)
two=$(build/tests/oracle_bench contained 2 1000)

times=5
script='
import torch
try:
    torch.gather(torch.ones(2, 5), 1, torch.tensor([[0], [7]]))
except RuntimeError:
    raise SystemExit(0)
raise SystemExit(1)'
"$TORCH_PYTHON" -c "$script"  # once unmeasured: the files are in memory then, as they are for the others
start=$(date +%s.%N)
for _ in $(seq "$times"); do "$TORCH_PYTHON" -c "$script"; done
python=$(awk -v n="$times" -v s="$start" -v e="$(date +%s.%N)" 'BEGIN { printf "%.2f", n / (e - s) }')

printf '%-42s %12s %12s\n' 'one failing gather' 'per second' 'to Python'
row() { printf '%-42s %12s %11sx\n' "$1" "$2" "$(awk -v a="$2" -v b="$python" 'BEGIN { printf "%.0f", a / b }')"; }
row 'inside the worker' "$inprocess"
row 'in a forked child' "$contained"
row 'in forked children, two at once' "$two"
row 'in a fresh Python process' "$python"
echo "oracle inprocess_per_s=$inprocess contained_per_s=$contained python_process_per_s=$python"
