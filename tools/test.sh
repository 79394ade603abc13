#!/usr/bin/env bash
# Installs what is missing, builds everything and runs every test. The last line is CTest's summary.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cmake --preset release -DMINREPRO_TORCH_PYTHON="$TORCH_PYTHON" -DMINREPRO_TESTS=ON
cmake --build build --parallel "${MINREPRO_JOBS:-2}"
exec ctest --test-dir build --output-on-failure --parallel 2
