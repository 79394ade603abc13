# aten::upsample_nearest2d
import sys

import torch

device = torch.device(sys.argv[1] if len(sys.argv) > 1 else "cuda")

torch.manual_seed(0)
input = torch.randn([1, 2, 5, 5]).to(device)
torch.manual_seed(1)
weight = torch.randn([3, 2, 3, 3]).to(device)
convolution = torch.ops.aten.convolution.default(input, weight, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
result = torch.ops.aten.upsample_nearest2d.vec(convolution, None, [2.0, 2.0])

print(result.cpu())  # the copy waits for the device: an error surfaces here at the latest
