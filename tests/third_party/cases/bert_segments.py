"""transformers: BERT reads a question with two passages; the third part's token type, 2, is one too many."""
import torch
from transformers import BertConfig, BertForSequenceClassification

torch.manual_seed(42)
config = BertConfig(vocab_size=200, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
                    max_position_embeddings=40, num_labels=3)
model = BertForSequenceClassification(config).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)


def encode(parts):
    ids = torch.cat([torch.randint(0, config.vocab_size, (length,)) for length in parts])
    types = torch.cat([torch.full((length,), part) for part, length in enumerate(parts)])
    return {"input_ids": ids.unsqueeze(0), "token_type_ids": types.unsqueeze(0), "attention_mask": torch.ones(1, len(ids))}


for parts in ([6, 10], [40], [5, 9, 12]):
    inputs = {name: value.cuda() for name, value in encode(parts).items()}
    out = model(**inputs, labels=torch.tensor([2]).cuda())
    out.loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    print(f"{sum(parts)} tokens: loss {out.loss.item():.4f}")
