"""Lightning: mixed precision, a focal loss by gather, and a validation set with a class that training has not seen."""
import lightning
import torch
from torch.utils.data import DataLoader, TensorDataset


class Classifier(lightning.LightningModule):
    def __init__(self, classes):
        super().__init__()
        self.save_hyperparameters()
        self.body = torch.nn.Sequential(torch.nn.Linear(20, 64), torch.nn.BatchNorm1d(64), torch.nn.GELU(), torch.nn.Dropout(0.1))
        self.head = torch.nn.Linear(64, classes)

    def focal_loss(self, batch):
        x, y = batch
        log_p = self.head(self.body(x)).log_softmax(-1)
        log_p = log_p.gather(1, y.unsqueeze(1)).squeeze(1)
        return (-((1 - log_p.exp()) ** 2) * log_p).mean()

    def training_step(self, batch, index):
        loss = self.focal_loss(batch)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, index):
        self.log("val_loss", self.focal_loss(batch), prog_bar=True)

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=1e-3)
        return {"optimizer": optimizer, "lr_scheduler": torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)}


lightning.seed_everything(7)
known = torch.arange(64) % 4
seen_later = torch.arange(32) % 5
train = DataLoader(TensorDataset(torch.randn(64, 20), known), batch_size=16, shuffle=True)
validation = DataLoader(TensorDataset(torch.randn(32, 20), seen_later), batch_size=16)
model = Classifier(classes=4)
trainer = lightning.Trainer(accelerator="gpu", devices=1, precision="16-mixed", max_epochs=2, gradient_clip_val=1.0, logger=False,
                            enable_checkpointing=False, enable_progress_bar=False, num_sanity_val_steps=0)
trainer.fit(model, train, validation)
print({name: round(float(value), 4) for name, value in trainer.callback_metrics.items()})
