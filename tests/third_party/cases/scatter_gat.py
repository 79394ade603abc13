"""Graph attention written with index_add_ and scatter_reduce_: when graphs are batched, the offsets count edges instead of nodes."""
import torch


class Attention(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.project = torch.nn.Linear(width, width, bias=False)
        self.score = torch.nn.Parameter(torch.randn(2, heads, width // heads) / 4)

    def forward(self, h, source, target):
        nodes = h.size(0)
        z = self.project(h).view(nodes, self.heads, -1)
        e = (z * self.score[0]).sum(-1).index_select(0, source) + (z * self.score[1]).sum(-1).index_select(0, target)
        e = torch.nn.functional.leaky_relu(e, 0.2)
        a = self.edge_softmax(e, target, nodes)
        out = torch.zeros_like(z).index_add_(0, target, z[source] * a.unsqueeze(-1))
        return out.flatten(1)

    def edge_softmax(self, e, target, nodes):
        index = target.unsqueeze(1).expand_as(e)
        top = torch.full((nodes, self.heads), float("-inf"), device=e.device).scatter_reduce_(0, index, e.detach(), "amax")
        e = (e - top.gather(0, index)).exp()
        total = torch.zeros(nodes, self.heads, device=e.device).scatter_add_(0, index, e)
        return e / total.gather(0, index).clamp(min=1e-9)


def batch(graphs):
    """One graph of many: node numbers of each follow those of the one before."""
    offset, nodes, edges = 0, [], []
    for h, e in graphs:
        nodes.append(h)
        edges.append(e + offset)
        offset += e.size(1)
    return torch.cat(nodes), torch.cat(edges, dim=1)


torch.manual_seed(0)
device = torch.device("cuda")
layers = torch.nn.ModuleList([Attention(16, 4), Attention(16, 4)]).to(device)
optimizer = torch.optim.Adam(layers.parameters(), lr=0.01)
# Trees with a loop at the root have as many edges as nodes; the others have more.
tree = (torch.randn(6, 16), torch.tensor([[0, 0, 0, 1, 1, 2], [0, 1, 2, 3, 4, 5]]))
ring = (torch.randn(6, 16), torch.tensor([[0, 1, 2, 3, 4, 5, 0, 3], [1, 2, 3, 4, 5, 0, 3, 0]]))

for step, graphs in enumerate([[tree, tree], [tree, ring], [ring, tree]]):
    h, edges = batch(graphs)
    h, source, target = h.to(device), edges[0].to(device), edges[1].to(device)
    for layer in layers:
        h = torch.nn.functional.elu(layer(h, source, target))
    loss = h.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}: loss {loss.item():.4f}")
