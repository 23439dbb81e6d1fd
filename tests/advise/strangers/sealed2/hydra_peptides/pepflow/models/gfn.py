# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from lightning import LightningModule
from peft import get_peft_model
from transformers import AutoModelForCausalLM


class FlowModule(LightningModule):
    """Samples sequences in proportion to their reward."""

    def __init__(self, net_config, lora_config, tokenizer, optimizer, scheduler, loss_fn, reward,
                 constraint_config, n_samples, compile=False):
        super().__init__()
        self.save_hyperparameters(ignore=["loss_fn", "reward"])
        net = AutoModelForCausalLM.from_pretrained(net_config["pretrained_model_name_or_path"])
        self.net = get_peft_model(net, lora_config)
        self.loss_fn, self.reward = loss_fn, reward

    def training_step(self, prompt, index):
        made = self.net.generate(prompt["input_ids"].repeat(self.hparams.n_samples, 1),
                                 do_sample=True,
                                 max_new_tokens=self.hparams.constraint_config["max_sentence_len"])
        forward = torch.log_softmax(self.net(made).logits, -1)
        loss = self.loss_fn(forward, self.reward(made))
        self.log("train/loss", loss, prog_bar=True)
        return loss

    def configure_optimizers(self):
        optimizer = self.hparams.optimizer(params=self.net.parameters())
        return {"optimizer": optimizer, "lr_scheduler": self.hparams.scheduler(optimizer=optimizer)}
