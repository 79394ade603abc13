"""transformers: GPT-2 generates past its last position."""
import torch
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(42)
config = GPT2Config(vocab_size=100, n_embd=32, n_layer=2, n_head=2, n_positions=32, bos_token_id=1, eos_token_id=2, pad_token_id=0)
model = GPT2LMHeadModel(config).to("cuda").eval()
prompt = torch.randint(3, 100, (1, 8), device="cuda")
new_tokens = 60

print("sampled", model.generate(prompt, max_new_tokens=8, do_sample=True, top_k=20).tolist())
print("greedy", model.generate(prompt, max_new_tokens=new_tokens, min_new_tokens=new_tokens, do_sample=False).tolist())
