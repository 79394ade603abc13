# aten::index_select
import sys

import torch

device = torch.device(sys.argv[1] if len(sys.argv) > 1 else "cuda")


def make_generator(seed):
    return torch.Generator(device if device.type == "cuda" else "cpu").manual_seed(seed)


probs = torch.tensor([0.25, 0.75], device=device)
torch.manual_seed(1)
index = torch.randint(2, [3]).to(device)
torch.manual_seed(2)
input = torch.zeros([2, 2], dtype=torch.float16).to(device).t().copy_(torch.randn([2, 2], dtype=torch.float16)
    .to(device))
torch.manual_seed(7)
probs.multinomial(2)
probs.multinomial(2, True, generator=make_generator(42))
result = input.index_select(0, index)

print(result.cpu())  # the copy waits for the device: an error surfaces here at the latest
