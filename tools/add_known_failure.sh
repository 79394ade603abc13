#!/usr/bin/env bash
# Puts a failing script into the corpus: records it, reduces it, and keeps script, reduced program, emitted repro and what is expected of them.
#   tools/add_known_failure.sh SCRIPT NAME [RECORD_OPTION...]       for example: tools/add_known_failure.sh train.py my_case --simulate
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 2 ] || { echo "usage: tools/add_known_failure.sh SCRIPT NAME [RECORD_OPTION...]" >&2; exit 2; }
script=$1 name=$2; shift 2
python=${TORCH_PYTHON:-$PWD/build/venv/bin/python}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=corpus/known_failures/$name
mkdir -p "$folder"
[ "$script" -ef "$folder/original.py" ] || cp "$script" "$folder/original.py"

status=0
build/minrepro record -o "$work/trace" "$@" -- "$python" "$folder/original.py" >/dev/null 2>"$work/log" || status=$?
build/minrepro reduce "$work/trace" -o "$work/repro" >&2
cp "$work/repro/program.json" "$work/repro/repro.cpp" "$folder/"
"$python" - "$work" "$folder" "$status" "$@" <<'P'
import json, re, sys
work, folder, status, *record = sys.argv[1:]
report = json.load(open(f"{work}/repro/reduction.json"))
if not report["verified"]:
    sys.exit("not kept: the repro was not verified")
lines = [line[len("minrepro: "):] for line in open(f"{work}/log") if line.startswith("minrepro: ")]
# The places in the script, without the folder in front.
summary = [re.sub(r"\S*original\.py", "original.py", line).rstrip() for line in lines[:-1]]
summary = [re.sub(r"^.*?(original\.py:)", r"\1", line) for line in summary]
expected = {"record": record, "status": int(status), "summary": summary, "device": report["device"], "calls": report["calls_after"],
            "elements": report["elements_after"], "signature": report["signature"], "torch": report["torch"]}
with open(f"{folder}/expected.json", "w") as out:
    json.dump(expected, out, indent=2, ensure_ascii=False)
    out.write("\n")
P
echo "kept: $folder"
[ -e "$folder/mend.json" ] || echo "still to write by hand: $folder/mend.json, what of the script is broken and what to write instead (see its neighbours)"
