# SPDX-License-Identifier: GPL-3.0-or-later
from lightning import LightningDataModule
from torch.utils.data import DataLoader, random_split
from transformers import AutoTokenizer


class PromptDataModule(LightningDataModule):
    def __init__(self, data_path, tokenizer_name, train_size=0.95, total_size=10000, prompt_size=1,
                 num_workers=0, pin_memory=True):
        super().__init__()
        self.save_hyperparameters()
        self.tokenizer = AutoTokenizer.from_pretrained(tokenizer_name)

    def setup(self, stage):
        with open(self.hparams.data_path) as f:
            prompts = [self.tokenizer(line, return_tensors="pt") for line in f]
        cut = int(len(prompts) * self.hparams.train_size)
        self.train_set, self.val_set = random_split(prompts, [cut, len(prompts) - cut])

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=None, shuffle=True,
                          num_workers=self.hparams.num_workers)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=None)
