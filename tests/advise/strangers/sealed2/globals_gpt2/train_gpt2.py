# SPDX-License-Identifier: GPL-3.0-or-later
import math
import os
import time

import torch
from torch.utils.data import DataLoader

from dataset import TokenFile
from models.gpt2 import GPT2, GPT2Config

# files
out_dir = 'out'
eval_interval = 1000
log_interval = 10
eval_iters = 100
eval_only = False
init_from = 'scratch'  # 'scratch', 'resume' or 'gpt2*'

# data
dataset = 'tinystories'
gradient_accumulation_steps = 4 * 8  # to look like a larger batch
batch_size = 16  # of one micro-step
block_size = 512

# network
n_layer = 8
n_head = 8
n_embd = 512
dropout = 0.0
bias = False

# optimizer
learning_rate = 5e-4
max_iters = 120000
weight_decay = 1e-1
beta1 = 0.9
beta2 = 0.95
grad_clip = 1.0

# decay of the learning rate
decay_lr = True
warmup_iters = 1000
lr_decay_iters = 120000
min_lr = 5e-5

# machine
device = 'cuda' if torch.cuda.is_available() else 'cpu'
dtype = 'bfloat16' if torch.cuda.is_available() and torch.cuda.is_bf16_supported() else 'float16'
compile = True

os.makedirs(out_dir, exist_ok=True)
torch.manual_seed(1337)
kind = {'float32': torch.float32, 'bfloat16': torch.bfloat16, 'float16': torch.float16}[dtype]
ctx = torch.amp.autocast(device_type=device, dtype=kind)


def loader_of(split):
    tokens = TokenFile(os.path.join('data', dataset, f'{split}.bin'), block_size)
    return DataLoader(tokens, batch_size=batch_size, shuffle=(split == 'train'), num_workers=4,
                      pin_memory=True)


train_loader, val_loader = loader_of('train'), loader_of('val')


def forever(loader):
    while True:
        for x, y in loader:
            yield x.to(device, non_blocking=True), y.to(device, non_blocking=True)


batches = forever(train_loader)

model_args = dict(n_layer=n_layer, n_head=n_head, n_embd=n_embd, block_size=block_size, bias=bias,
                  vocab_size=50257, dropout=dropout)
iter_num, best_val_loss = 0, 1e9
if init_from == 'scratch':
    model = GPT2(GPT2Config(**model_args))
elif init_from == 'resume':
    checkpoint = torch.load(os.path.join(out_dir, 'ckpt.pt'), map_location=device)
    model = GPT2(GPT2Config(**checkpoint['model_args']))
    model.load_state_dict(checkpoint['model'])
    iter_num, best_val_loss = checkpoint['iter_num'], checkpoint['best_val_loss']
elif init_from.startswith('gpt2'):
    model = GPT2.from_pretrained(init_from, override_args=dict(dropout=dropout))
model.to(device)

decayed = [p for p in model.parameters() if p.dim() >= 2]
others = [p for p in model.parameters() if p.dim() < 2]
optimizer = torch.optim.AdamW([{'params': decayed, 'weight_decay': weight_decay},
                               {'params': others, 'weight_decay': 0.0}],
                              lr=learning_rate, betas=(beta1, beta2))
scaler = torch.cuda.amp.GradScaler(enabled=(dtype == 'float16'))
if compile:
    model = torch.compile(model)


def get_lr(it):
    if it < warmup_iters:
        return learning_rate * it / warmup_iters
    if it > lr_decay_iters:
        return min_lr
    ratio = (it - warmup_iters) / (lr_decay_iters - warmup_iters)
    return min_lr + 0.5 * (1.0 + math.cos(math.pi * ratio)) * (learning_rate - min_lr)


@torch.no_grad()
def estimate_loss():
    model.eval()
    found = {}
    for split, loader in (('train', train_loader), ('val', val_loader)):
        batch = forever(loader)
        losses = []
        for _ in range(eval_iters):
            x, y = next(batch)
            with ctx:
                losses.append(model(x, y)[1].item())
        found[split] = sum(losses) / len(losses)
    model.train()
    return found


print(f"Training on {device} | dtype={dtype} | steps={max_iters}")
t0 = time.time()
while iter_num < max_iters:
    lr = get_lr(iter_num) if decay_lr else learning_rate
    for group in optimizer.param_groups:
        group['lr'] = lr
    if iter_num % eval_interval == 0:
        losses = estimate_loss()
        print(f"step {iter_num}: train loss {losses['train']:.4f}, val loss {losses['val']:.4f}")
        if losses['val'] < best_val_loss and iter_num > 0:
            best_val_loss = losses['val']
            torch.save({'model': model.state_dict(), 'model_args': model_args, 'iter_num': iter_num,
                        'best_val_loss': best_val_loss}, os.path.join(out_dir, 'ckpt.pt'))
    if eval_only:
        break

    optimizer.zero_grad(set_to_none=True)
    for _ in range(gradient_accumulation_steps):
        x, y = next(batches)
        with ctx:
            loss = model(x, y)[1] / gradient_accumulation_steps
        scaler.scale(loss).backward()
    if grad_clip != 0.0:
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), grad_clip)
    scaler.step(optimizer)
    scaler.update()

    t1 = time.time()
    if iter_num % log_interval == 0:
        print(f"iter {iter_num}: loss {loss.item() * gradient_accumulation_steps:.4f}, "
              f"lr {lr:.2e}, time {(t1 - t0) * 1000:.1f}ms")
    t0 = t1
    iter_num += 1
