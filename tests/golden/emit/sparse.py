# aten::mm
import sys

import torch

device = torch.device(sys.argv[1] if len(sys.argv) > 1 else "cpu")

indices = torch.tensor([[0, 1], [1, 2]], dtype=torch.int64, device=device)
values = torch.ones([2], device=device)
a = torch.ops.aten._sparse_coo_tensor_unsafe.default(indices, values, [3, 3], dtype=values.dtype,
    layout=torch.sparse_coo, device=values.device)
crow_indices = torch.tensor([0, 1, 2, 2], dtype=torch.int64, device=device)
col_indices = torch.tensor([1, 0], dtype=torch.int64, device=device)
values2 = torch.full([2], 2.0, device=device)
b = torch.ops.aten._sparse_compressed_tensor_unsafe.default(crow_indices, col_indices, values2, [3, 3],
    dtype=values2.dtype, layout=torch.sparse_csr, device=values2.device)
result = torch.ops.aten.mm.default(a, b)

print(result)
