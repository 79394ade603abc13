# aten::to_sparse
import sys

import torch

device = torch.device(sys.argv[1] if len(sys.argv) > 1 else "cuda")

input = torch.zeros([1, 2, 2, 2], device=device)
to_copy = torch.ops.aten._to_copy.default(input, dtype=torch.bfloat16, memory_format=torch.channels_last)
div = torch.ops.aten.div.Tensor_mode(to_copy, input, rounding_mode="floor")
result = torch.ops.aten.to_sparse.default(div, layout=torch.sparse_csr)

print(result.cpu())  # the copy waits for the device: an error surfaces here at the latest
