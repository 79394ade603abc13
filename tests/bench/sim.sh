# What the simulated device costs beside the CPU, with every assert rule on: a training step of a small transformer, and small operators one by one.
# By turns in one process; the code that runs on the device says "cuda" and goes through the mapping that --simulate installs.
set -euo pipefail
export PYTHONPATH=$PWD/build/python${PYTHONPATH:+:$PYTHONPATH} MINREPRO_SIM_LIBRARY=$PWD/build/libminrepro_sim.so
exec "$TORCH_PYTHON" tests/bench/sim_bench.py
