# aten::scatter_
import sys

import torch

device = torch.device(sys.argv[1] if len(sys.argv) > 1 else "cuda")

one_hot = torch.zeros([1, 2], device=device)
labels = torch.tensor([[2]], dtype=torch.int64, device=device)
one_hot.scatter_(1, labels, 1.0)

print(one_hot.cpu())  # the copy waits for the device: an error surfaces here at the latest
