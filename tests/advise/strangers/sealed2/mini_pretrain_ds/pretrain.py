# SPDX-License-Identifier: GPL-3.0-or-later
from accelerate import Accelerator
from accelerate.utils import MegatronLMDummyScheduler
from torch.optim import AdamW
from tqdm import tqdm
from transformers import get_linear_schedule_with_warmup

from core.data.dataloaders import get_dataloader, get_datasets
from core.model.load import get_all_modelling, get_grouped_params
from core.train.pretrain import train
from core.utils.args import get_train_args


def main():
    args = get_train_args()
    accelerator = Accelerator(gradient_accumulation_steps=args.gradient_accumulation_steps)
    model, tokenizer, config = get_all_modelling(args.config_path, args.tokenizer_path)

    train_set, test_set = get_datasets(accelerator, args.data_path, tokenizer,
                                       max_length=config.max_position_embeddings,
                                       text_field=args.text_field)
    train_loader = get_dataloader(train_set, args.per_device_batch_size)
    test_loader = get_dataloader(test_set, args.per_device_batch_size)

    steps = len(train_loader) * args.epochs // args.gradient_accumulation_steps
    optimizer = AdamW(get_grouped_params(model), lr=args.lr)
    if accelerator.distributed_type == "MEGATRON_LM":
        scheduler = MegatronLMDummyScheduler(optimizer, total_num_steps=steps,
                                             warmup_num_steps=args.warmup_steps)
    else:
        scheduler = get_linear_schedule_with_warmup(optimizer, args.warmup_steps, steps)
    model, optimizer, train_loader, test_loader, scheduler = accelerator.prepare(
        model, optimizer, train_loader, test_loader, scheduler)

    train(accelerator, model, tokenizer, train_loader, test_loader, optimizer, scheduler,
          tqdm(total=steps, disable=not accelerator.is_main_process),
          gradient_accumulation_steps=args.gradient_accumulation_steps, epochs=args.epochs,
          save_dir=args.save_dir)


if __name__ == "__main__":
    main()
