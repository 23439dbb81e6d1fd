# SPDX-License-Identifier: GPL-3.0-or-later
CUDA_LAUNCH_BLOCKING=1 torchrun --nproc_per_node=8 --master_port=1234 tune.py \
    --task_type sequential \
    --cache_dir cache/ \
    --output_dir ./output \
    --batch_size 512 \
    --micro_batch_size 64 \
    --num_epochs 4 \
    --learning_rate 0.002 \
    --cutoff_len 4096 \
    --lora_r 16 \
    --lora_alpha 16 \
    --lora_target_modules '[gate_proj,down_proj,up_proj]' \
    --prompt_template_name alpaca \
    --warmup_steps 100 \
    --lr_scheduler cosine \
    --domain_type beauty \
    --llama_decoder_nums 8
