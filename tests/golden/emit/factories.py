# aten::stack
import sys

import torch

device = torch.device(sys.argv[1] if len(sys.argv) > 1 else "cuda")

arange = torch.ops.aten.arange.start_step(0, 6, 2, dtype=torch.float32, device=device, pin_memory=False)
zeros = torch.ops.aten.zeros.default([3], layout=torch.strided, device=device)
full = torch.ops.aten.full.default([3], 2, dtype=torch.int64, device="cpu")
to = torch.ops.aten.to.device(full, torch.device(device.type, 0), torch.float16)
result = torch.ops.aten.stack.default([arange, zeros, to], 1)

print(result.cpu())  # the copy waits for the device: an error surfaces here at the latest
