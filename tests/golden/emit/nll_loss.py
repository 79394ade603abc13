# aten::nll_loss_forward
import sys

import torch

device = torch.device(sys.argv[1] if len(sys.argv) > 1 else "cuda")

torch.manual_seed(1)
log_probs = torch.randn([2, 3]).to(device)
labels = torch.tensor([1, 7], dtype=torch.int64, device=device)
output, total_weight = torch.ops.aten.nll_loss_forward.default(log_probs, labels, None, 1, -100)

print(output.cpu())  # the copy waits for the device: an error surfaces here at the latest
