# aten::index
import sys

import torch

device = torch.device(sys.argv[1] if len(sys.argv) > 1 else "cuda")

input = torch.zeros([2, 3, 4], device=device)
index = torch.tensor([0, 3], dtype=torch.int64, device=device)
index2 = torch.ones([], dtype=torch.int64, device=device)
index3 = torch.ops.aten.index.Tensor(input, [None, index])
index4 = torch.ops.aten.index.Tensor(index3, [index2])
result = torch.ops.aten.index.Tensor(index4, [index2, index2])

print(result.cpu())  # the copy waits for the device: an error surfaces here at the latest
