# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from peft import LoraConfig, get_peft_model
from torch import nn
from transformers import LlamaModel, LlamaTokenizer


class SASRec(nn.Module):
    """A small transformer over items, for comparison."""

    def __init__(self, items, width=128, layers=2, length=30):
        super().__init__()
        self.embedding = nn.Embedding(items, width)
        self.position = nn.Embedding(length, width)
        self.layers = nn.ModuleList(nn.MultiheadAttention(width, 1, 0.5, batch_first=True)
                                    for _ in range(layers))

    def forward(self, seq):
        x = self.embedding(seq) + self.position.weight
        for layer in self.layers:
            x = x + layer(x, x, x)[0]
        return x[:, -1]


class LLMRec(nn.Module):
    def __init__(self, **args):
        super().__init__()
        self.args = args
        self.llama = LlamaModel.from_pretrained("meta-llama/Llama-2-7b-hf",
                                                torch_dtype=torch.bfloat16,
                                                cache_dir=args["cache_dir"],
                                                device_map=args["device_map"])
        # the lower layers are enough
        self.llama.layers = nn.ModuleList(self.llama.layers[:args["llama_decoder_nums"]])
        if args["train_strategy"] == "lora":
            self.llama = get_peft_model(self.llama, LoraConfig(
                task_type="FEATURE_EXTRACTION", r=args["lora_r"], lora_alpha=args["lora_alpha"],
                lora_dropout=args["lora_dropout"], target_modules=args["lora_target_modules"],
                bias="none"))
        self.tokenizer = LlamaTokenizer.from_pretrained("meta-llama/Llama-2-7b-hf",
                                                        cache_dir=args["cache_dir"])
        width = self.llama.config.hidden_size
        self.items = nn.Embedding.from_pretrained(args["input_embeds"], freeze=True)
        self.into = nn.Linear(args["input_dim"], width)
        self.score = nn.Linear(width, args["input_dim"], bias=False)
        self.loss = nn.CrossEntropyLoss()

    def forward(self, inputs, inputs_mask, answers):
        found = self.llama(inputs_embeds=self.into(self.items(inputs)), attention_mask=inputs_mask)
        logits = self.score(found.last_hidden_state[:, -1]) @ self.items.weight.T
        return self.loss(logits, answers.squeeze(-1)), logits
