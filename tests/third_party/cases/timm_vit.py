"""timm: a ViT under autocast with a gradient scaler; labels count from 1."""
import timm
import torch

torch.manual_seed(0)
model = timm.create_model("vit_tiny_patch16_224", num_classes=10, img_size=64).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
criterion = torch.nn.CrossEntropyLoss()
scaler = torch.amp.GradScaler("cuda")

for label in (3, 10):
    images = torch.rand(2, 3, 64, 64, device="cuda")
    labels = torch.tensor([label, 1], device="cuda")
    with torch.autocast("cuda", dtype=torch.float16):
        loss = criterion(model(images), labels)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
    print(f"loss {loss.item():.4f}")
