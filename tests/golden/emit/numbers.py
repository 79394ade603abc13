# aten::mul
import sys

import torch

device = torch.device(sys.argv[1] if len(sys.argv) > 1 else "cuda")

x = torch.tensor([1.0, 2.0], dtype=torch.float16, device=device)
y = 0.1
y2 = torch.full([], 2.0)
mul = torch.ops.aten.mul.Tensor(x, y)
result = torch.ops.aten.mul.Tensor(mul, y2)

print(result.cpu())  # the copy waits for the device: an error surfaces here at the latest
