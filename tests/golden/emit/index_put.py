# aten::index_put_
import sys

import torch

device = torch.device(sys.argv[1] if len(sys.argv) > 1 else "cuda")

input = torch.zeros([3, 2], device=device)
index = torch.tensor([1, 2], dtype=torch.int64, device=device)
values = torch.full([], 1.5, device=device)
torch.ops.aten.index_put_.default(input, [None, index], values, True)

print(input.cpu())  # the copy waits for the device: an error surfaces here at the latest
