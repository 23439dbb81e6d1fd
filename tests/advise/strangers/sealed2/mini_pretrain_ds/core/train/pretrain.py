# SPDX-License-Identifier: GPL-3.0-or-later
import torch


def evaluate(accelerator, model, loader):
    model.eval()
    losses = []
    for batch in loader:
        with torch.no_grad():
            losses.append(accelerator.gather_for_metrics(
                model(batch["input_ids"], labels=batch["input_ids"]).loss.reshape(1)))
    return torch.mean(torch.cat(losses)).item()


def train(accelerator, model, tokenizer, train_loader, eval_loader, optimizer, scheduler, bar,
          gradient_accumulation_steps=1, epochs=1, eval_steps=500, save_dir="outputs/"):
    model.train()
    done = 0
    for _ in range(epochs):
        for step, batch in enumerate(train_loader):
            with accelerator.accumulate(model):
                loss = model(input_ids=batch["input_ids"], labels=batch["input_ids"],
                             attention_mask=batch["attention_mask"]).loss
                accelerator.backward(loss)
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
            if step % 100 == 0:
                accelerator.print({"steps": done, "loss/train": loss.item()})
            if accelerator.sync_gradients:
                done += 1
                bar.update(1)
            if step % (eval_steps * gradient_accumulation_steps) == 0:
                accelerator.print({"loss/eval": evaluate(accelerator, model, eval_loader)})
                model.train()
    accelerator.wait_for_everyone()
    accelerator.unwrap_model(model).save_pretrained(save_dir, save_function=accelerator.save)
    tokenizer.save_pretrained(save_dir)
