#!/usr/bin/env bash
# Installs what is missing to build minrepro: Debian packages, and torch from PyPI into build/venv. Run again, it only looks.
#   TORCH_PYTHON=/path/to/python   use this Python's torch (2.11 or newer) instead
# To be sourced by tools/quickstart.sh and tools/test.sh, or run by itself. Sets TORCH_PYTHON.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

torch_version=2.11.0
packages=(g++ cmake make ninja-build binutils python3 python3-venv nlohmann-json3-dev libfmt-dev libcxxopts-dev libgtest-dev libgmock-dev libbenchmark-dev)

missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "setup: as root, run: apt-get install ${missing[*]}" >&2; exit 2; }
    as_root=(sudo)
  fi
  echo "setup: installing ${#missing[@]} Debian packages: ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >build-packages.log 2>&1 ||
    { cat build-packages.log >&2; echo "setup: apt-get failed, see above" >&2; exit 2; }
  rm -f build-packages.log
fi

version_of() { "$1" -c 'import importlib.metadata as m; print(m.version("torch"))' 2>/dev/null; }
if [ -n "${TORCH_PYTHON:-}" ]; then
  found=$(version_of "$TORCH_PYTHON") || { echo "setup: no torch in TORCH_PYTHON=$TORCH_PYTHON" >&2; exit 2; }
  [ "$(printf '%s\n%s\n' "$torch_version" "${found%%+*}" | sort -V | head -n 1)" = "$torch_version" ] ||
    { echo "setup: TORCH_PYTHON has torch $found; $torch_version or newer is supported" >&2; exit 2; }
else
  TORCH_PYTHON=$PWD/build/venv/bin/python
  if [ "$(version_of "$TORCH_PYTHON")" != "$torch_version" ]; then
    echo "setup: installing torch $torch_version into build/venv (about 5 GB with its CUDA libraries, a few minutes)" >&2
    [ -x "$TORCH_PYTHON" ] || python3 -m venv build/venv
    "$TORCH_PYTHON" -m pip install --quiet --disable-pip-version-check "torch==$torch_version" numpy >&2
  fi
fi
export TORCH_PYTHON
