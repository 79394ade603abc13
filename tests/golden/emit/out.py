# aten::topk
import sys

import torch

device = torch.device(sys.argv[1] if len(sys.argv) > 1 else "cuda")

x = torch.zeros([2], device=device)
y = torch.ones([2], device=device)
out = torch.empty([0], device=device)
values = torch.empty([0], device=device)
indices = torch.empty([0], dtype=torch.int64, device=device)
torch.ops.aten.add.out(x, y, alpha=3, out=out)
torch.ops.aten.topk.values(out, 1, values=values, indices=indices)

print(values.cpu())  # the copy waits for the device: an error surfaces here at the latest
