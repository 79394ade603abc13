"""transformers' Trainer: tokens were added to the tokenizer, and the table of embeddings was not resized."""
import tempfile

import torch
import torch.nn.functional as F
from transformers import DistilBertConfig, DistilBertForTokenClassification, Trainer, TrainingArguments

torch.manual_seed(0)
words = 120
added_tokens = 2


class Sentences(torch.utils.data.Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, i):
        generator = torch.Generator().manual_seed(i)
        length = int(torch.randint(6, 20, (1,), generator=generator))
        ids = torch.randint(0, words, (length,), generator=generator)
        if i % 5 == 4:
            ids[0] = words + added_tokens - 1
        return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": torch.randint(0, 5, (length,), generator=generator)}


def collate(features):
    longest = max(len(f["input_ids"]) for f in features)
    fill = {"input_ids": 0, "attention_mask": 0, "labels": -100}
    return {key: torch.stack([F.pad(f[key], (0, longest - len(f[key])), value=value) for f in features]) for key, value in fill.items()}


config = DistilBertConfig(vocab_size=words, dim=32, n_layers=2, n_heads=4, hidden_dim=64, max_position_embeddings=32, num_labels=5)
model = DistilBertForTokenClassification(config)

with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(output_dir=folder, per_device_train_batch_size=4, num_train_epochs=1, logging_steps=1, save_strategy="no",
                                  report_to="none", eval_strategy="epoch", disable_tqdm=True, max_grad_norm=1.0, warmup_steps=2, fp16=True)
    trainer = Trainer(model=model, args=arguments, train_dataset=Sentences(), eval_dataset=Sentences(), data_collator=collate)
    print(trainer.args.device)
    print(trainer.train().training_loss)
