# aten::cat
import sys

import torch

device = torch.device(sys.argv[1] if len(sys.argv) > 1 else "cuda")

part = torch.tensor([[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]], device=device).t()
torch.manual_seed(3)
part2 = torch.zeros([2, 2, 2]).to(device).permute([2, 0, 1]).copy_(torch.randn([2, 2, 2]).to(device))
part3 = torch.tensor([[4], [9]], dtype=torch.int64, device=device).expand([2, 3])
part4 = torch.tensor([1.0, 0.0, 2.0, 0.0, 0.0, 3.0, 0.0, 4.0], device=device).as_strided([2, 2], [5, 2])
part5 = part4.as_strided([2], [2], 1)
part6 = torch.empty([0], device=device).as_strided([0, 3], [7, 2])
result = torch.ops.aten.cat.default([part, part2, part3, part4, part5, part6])

print(result.cpu())  # the copy waits for the device: an error surfaces here at the latest
