"""torchvision: Faster R-CNN with three classes, background among them; one box has class 3."""
import torch
from torchvision.models.detection import fasterrcnn_mobilenet_v3_large_320_fpn

torch.manual_seed(0)
device = torch.device("cuda")
model = fasterrcnn_mobilenet_v3_large_320_fpn(weights=None, weights_backbone=None, num_classes=3).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.005, momentum=0.9)
classes_of_images = [[1, 2], [2, 3]]

model.train()
for classes in classes_of_images:
    images = [torch.rand(3, 160, 160, device=device) for _ in classes]
    targets = [{"boxes": torch.tensor([[10.0, 10.0, 60.0, 80.0]], device=device), "labels": torch.tensor([c], device=device)} for c in classes]
    losses = model(images, targets)
    loss = sum(losses.values())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print({name: round(value.item(), 4) for name, value in losses.items()})

model.eval()
with torch.no_grad():
    found = model([torch.rand(3, 160, 160, device=device)])
print("boxes", len(found[0]["boxes"]))
