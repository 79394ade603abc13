"""Target assignment of a one-stage detector: candidates of each box are ranked by score and overlap; a label file has class 80 of 80."""
import torch
import torch.nn as nn
from torchvision.ops import box_iou

CLASSES, TOP = 80, 5


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 16, 3, 4, 1), nn.BatchNorm2d(16), nn.SiLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.BatchNorm2d(32), nn.SiLU())
        self.out = nn.Conv2d(32, 4 + CLASSES, 1)

    def forward(self, images):
        return self.out(self.body(images)).flatten(2).transpose(1, 2).split([4, CLASSES], dim=-1)


def anchor_centres(size, stride, device):
    at = (torch.arange(size, device=device) + 0.5) * stride
    y, x = torch.meshgrid(at, at, indexing="ij")
    return torch.stack([x, y], dim=-1).view(-1, 2)


@torch.no_grad()
def assign(scores, boxes, centres, labels, truth, valid):
    batch, count = labels.shape
    inside = ((centres > truth[..., None, :2]) & (centres < truth[..., None, 2:])).all(-1) & valid[..., None]
    image = torch.arange(batch, device=labels.device)[:, None].expand(batch, count)
    of_class = scores[image, :, labels]
    overlap = torch.stack([box_iou(t, b) for t, b in zip(truth, boxes)])
    rank = of_class.sqrt() * overlap.pow(6) * inside
    top = torch.zeros_like(inside).scatter_(-1, rank.topk(TOP, dim=-1).indices, True) & inside
    several = top.sum(1, keepdim=True) > 1
    best = torch.zeros_like(top).scatter_(1, overlap.argmax(1, keepdim=True), True)
    top = torch.where(several, best, top)
    chosen = top.int().argmax(1)
    found = top.any(1)
    wanted_boxes = truth.gather(1, chosen[..., None].expand(-1, -1, 4))
    wanted_scores = torch.zeros_like(scores).scatter_(2, labels.gather(1, chosen)[..., None], 1.0) * found[..., None]
    return wanted_boxes, wanted_scores * (rank * top).amax(1)[..., None].clamp(min=0.1), found


torch.manual_seed(0)
device = torch.device("cuda")
model = Head().to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=5e-4)
scaler = torch.amp.GradScaler("cuda")
centres = anchor_centres(8, 8, device)
label_files = [[0, 17], [5, 79], [80, 3]]

for step, classes in enumerate(label_files):
    images = torch.rand(2, 3, 64, 64, device=device)
    labels = torch.tensor([classes, [classes[0], 0]], device=device)
    truth = torch.tensor([[[4.0, 4, 40, 44], [20, 8, 60, 60]], [[10.0, 12, 50, 50], [0, 0, 0, 0]]], device=device)
    valid = truth.sum(-1) > 0
    with torch.amp.autocast("cuda"):
        distances, logits = model(images)
    distances, logits = distances.float(), logits.float()
    half = distances.exp() * 8
    boxes = torch.cat([centres - half[..., :2], centres + half[..., 2:]], dim=-1)
    wanted_boxes, wanted_scores, found = assign(logits.sigmoid(), boxes, centres, labels, truth, valid)
    loss = nn.functional.binary_cross_entropy_with_logits(logits, wanted_scores, reduction="sum") / wanted_scores.sum().clamp(min=1)
    if found.any():
        loss = loss + nn.functional.smooth_l1_loss(boxes[found], wanted_boxes[found])
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    print(f"step {step}: loss {loss.item():.4f}, {int(found.sum())} anchors assigned")
