"""torch_geometric: a GCN over a graph with an edge to a node that has no features."""
import torch
from torch_geometric.nn import GCNConv


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = GCNConv(8, 16)
        self.second = GCNConv(16, 3)

    def forward(self, x, edges):
        x = self.first(x, edges).relu()
        x = torch.nn.functional.dropout(x, training=self.training)
        return self.second(x, edges).log_softmax(dim=-1)


torch.manual_seed(0)
device = torch.device("cuda")
nodes = 10
model = Net().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
x = torch.randn(nodes, 8).to(device)
y = torch.randint(0, 3, (nodes,)).to(device)
edges = torch.randint(0, nodes, (2, 30))
new_edge = torch.tensor([[2], [10]])

for step in range(2):
    if step == 1:
        edges = torch.cat([edges, new_edge], dim=1)
    optimizer.zero_grad()
    loss = torch.nn.functional.nll_loss(model(x, edges.to(device)), y)
    loss.backward()
    optimizer.step()
    print(f"step {step}: loss {loss.item():.4f}")
