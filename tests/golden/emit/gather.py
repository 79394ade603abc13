# aten::gather
import sys

import torch

device = torch.device(sys.argv[1] if len(sys.argv) > 1 else "cuda")

input = torch.ones([2, 3], device=device)
index = torch.tensor([[1], [7]], dtype=torch.int64, device=device)
result = input.gather(1, index)

print(result.cpu())  # the copy waits for the device: an error surfaces here at the latest
