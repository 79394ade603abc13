# aten::masked_fill_
import sys
from math import inf, nan

import torch

device = torch.device(sys.argv[1] if len(sys.argv) > 1 else "cuda")

x = torch.tensor([nan, inf, -inf, -0.0, 3.402823466e+38], device=device)
mask = torch.tensor([-9223372036854775808, 9223372036854775807, -2147483648], dtype=torch.int64, device=device)
unused = torch.tensor([-2147483648, 0], dtype=torch.int32, device=device)
y = torch.tensor(5e-324, dtype=torch.float64, device=device)
add = torch.ops.aten.add.Tensor(x, y)
add.masked_fill_(mask, -inf)

print(add.cpu())  # the copy waits for the device: an error surfaces here at the latest
