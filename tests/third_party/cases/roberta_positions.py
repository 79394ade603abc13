"""transformers: RoBERTa counts positions from 2, so that a text of max_position_embeddings tokens is two too long."""
import torch
from transformers import RobertaConfig, RobertaForMaskedLM

torch.manual_seed(42)
config = RobertaConfig(vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=48,
                       max_position_embeddings=34, type_vocab_size=1, pad_token_id=1)
model = RobertaForMaskedLM(config).to("cuda")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
longest = config.max_position_embeddings

for length in (12, longest):
    ids = torch.randint(3, config.vocab_size, (2, length), device="cuda")
    ids[1, length // 2:] = config.pad_token_id
    labels = ids.masked_fill(torch.rand(ids.shape, device="cuda") > 0.5, -100)
    loss = model(input_ids=ids, attention_mask=ids != config.pad_token_id, labels=labels).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(f"length {length}: loss {loss.item():.4f}")
