"""torchvision: a ResNet for ten classes on a folder of images whose classes are numbered from 1."""
import torch
import torchvision
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms


class Images(Dataset):
    first_class = 1

    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 40

    def __getitem__(self, i):
        image = torch.randint(0, 256, (3, 48, 48), dtype=torch.uint8, generator=torch.Generator().manual_seed(i))
        return self.transform(image), i % 10 + self.first_class


torch.manual_seed(0)
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
transform = transforms.Compose([transforms.ToPILImage(), transforms.RandomHorizontalFlip(), transforms.RandomResizedCrop(32), transforms.ToTensor(),
                                transforms.Normalize((0.5, 0.5, 0.5), (0.25, 0.25, 0.25))])
loader = DataLoader(Images(transform), batch_size=8, shuffle=True, num_workers=1, pin_memory=True)
model = torchvision.models.resnet18(weights=None, num_classes=10).to(device, memory_format=torch.channels_last)
criterion = torch.nn.CrossEntropyLoss(label_smoothing=0.1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.1, total_steps=len(loader))

for step, (images, labels) in enumerate(loader):
    images = images.to(device, non_blocking=True, memory_format=torch.channels_last)
    labels = labels.to(device, non_blocking=True)
    scores = model(images)
    loss = criterion(scores, labels)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    schedule.step()
    right = (scores.argmax(1) == labels).float().mean()
    print(f"step {step}: loss {loss.item():.4f} accuracy {right.item():.2f}")
