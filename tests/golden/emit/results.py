# aten::neg
import sys

import torch

device = torch.device(sys.argv[1] if len(sys.argv) > 1 else "cuda")

torch.manual_seed(42)
input = torch.randn([5]).to(device)
values, indices = input.topk(2, -1, False)
parts = torch.ops.aten.split.sizes(values, [1, 1])
values2, indices2 = parts[1].sort()
add = torch.ops.aten.add.Tensor(parts[0], indices2, alpha=2)
torch.ops.aten.neg_.default(add)
result = torch.ops.aten.neg.default(add)

print(result.cpu())  # the copy waits for the device: an error surfaces here at the latest
