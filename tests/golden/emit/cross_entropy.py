# aten::cross_entropy_loss
import sys

import torch

device = torch.device(sys.argv[1] if len(sys.argv) > 1 else "cuda")

logits = torch.zeros([1, 3], device=device)
labels = torch.tensor([3], dtype=torch.int64, device=device)
weight = torch.tensor([0.1, 0.2, 0.7], device=device)
result = torch.ops.aten.cross_entropy_loss.default(logits, labels, weight, 1, -1)

print(result.cpu())  # the copy waits for the device: an error surfaces here at the latest
