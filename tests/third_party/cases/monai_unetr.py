"""MONAI: a UNETR for two classes is trained on volumes whose labels name 13 organs."""
import torch
from monai.losses import DiceCELoss
from monai.networks.nets import UNETR

torch.manual_seed(42)
device = torch.device("cuda")
organs = 13
net = UNETR(in_channels=1, out_channels=2, img_size=(32, 32, 32), feature_size=8, hidden_size=48, mlp_dim=96, num_heads=4).to(device)
criterion = DiceCELoss(to_onehot_y=True, softmax=True)
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4)

for step in range(2):
    volume = torch.randn(2, 1, 32, 32, 32).to(device)
    labels = torch.randint(0, 2, (2, 1, 32, 32, 32)).to(device)
    if step == 1:
        labels = labels * torch.randint(1, organs + 1, labels.shape, device=device)
    loss = criterion(net(volume), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}: loss {loss.item():.4f}")
