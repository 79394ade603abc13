# aten::cat
import sys

import torch

device = torch.device(sys.argv[1] if len(sys.argv) > 1 else "cuda")

part = torch.tensor([True, False], dtype=torch.bool, device=device)
part2 = torch.ones([2], dtype=torch.bool, device=device)
part3 = torch.tensor([3, 0], dtype=torch.uint8, device=device)
part4 = torch.full([2], 3, dtype=torch.uint8, device=device)
part5 = torch.tensor([3, 0], dtype=torch.int8, device=device)
part6 = torch.full([2], 3, dtype=torch.int8, device=device)
part7 = torch.tensor([3, 0], dtype=torch.int16, device=device)
part8 = torch.full([2], 3, dtype=torch.int16, device=device)
part9 = torch.tensor([3, 0], dtype=torch.int32, device=device)
part10 = torch.full([2], 3, dtype=torch.int32, device=device)
part11 = torch.tensor([3, 0], dtype=torch.int64, device=device)
part12 = torch.full([2], 3, dtype=torch.int64, device=device)
part13 = torch.tensor([0.1, -1.5], dtype=torch.float16, device=device)
part14 = torch.full([2], 3.0, dtype=torch.float16, device=device)
part15 = torch.tensor([0.1, -1.5], dtype=torch.bfloat16, device=device)
part16 = torch.full([2], 3.0, dtype=torch.bfloat16, device=device)
part17 = torch.tensor([0.1, -1.5], dtype=torch.float64, device=device)
part18 = torch.full([2], 3.0, dtype=torch.float64, device=device)
part19 = torch.tensor([complex(1.5, -2.0), complex(0.0, 1.0)], dtype=torch.complex64, device=device)
part20 = torch.full([2], complex(3.0, 0.0), dtype=torch.complex64, device=device)
part21 = torch.tensor([complex(1.5, -2.0), complex(0.0, 1.0)], dtype=torch.complex128, device=device)
part22 = torch.full([2], complex(3.0, 0.0), dtype=torch.complex128, device=device)
part23 = torch.tensor([3, 0], dtype=torch.int64).to(torch.uint16).to(device)
part24 = torch.full([2], 3, dtype=torch.int64).to(torch.uint16).to(device)
part25 = torch.tensor([3, 0], dtype=torch.uint64, device=device)
part26 = torch.full([2], 3, dtype=torch.uint64, device=device)
part27 = torch.tensor([0.09, -1.5]).to(torch.float8_e5m2).to(device)
part28 = torch.full([2], 3.0).to(torch.float8_e5m2).to(device)
part29 = torch._make_per_tensor_quantized_tensor(torch.tensor([3, 0], dtype=torch.int8), 1.0, 0).to(device)
part30 = torch._make_per_tensor_quantized_tensor(torch.full([2], 3, dtype=torch.int8), 1.0, 0).to(device)
result = torch.ops.aten.cat.default([part, part2, part3, part4, part5, part6, part7, part8, part9, part10, part11,
    part12, part13, part14, part15, part16, part17, part18, part19, part20, part21, part22, part23, part24, part25,
    part26, part27, part28, part29, part30])

print(result.cpu())  # the copy waits for the device: an error surfaces here at the latest
