"""Fails on CUDA at a line that is not to blame."""
import torch

layer = torch.nn.Linear(3, 3).cuda()
layer(torch.ones(2, 3, device="cuda")).sum().backward()  # backward
with torch.autograd.set_multithreading_enabled(True):
    layer(torch.ones(2, 3, device="cuda")).sum().backward()  # elsewhere
labels = torch.tensor([0, 1, 5], device="cuda")
onehot = torch.zeros(3, 3, device="cuda")
onehot.scatter_(1, labels.unsqueeze(1), 1.0)  # culprit
total = onehot.sum()
print(total.item())  # symptom
