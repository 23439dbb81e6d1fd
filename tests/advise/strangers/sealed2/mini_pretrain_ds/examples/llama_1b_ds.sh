# SPDX-License-Identifier: GPL-3.0-or-later
accelerate launch --config_file configs/deepspeed.yaml pretrain.py \
    --epochs 2 \
    --per_device_batch_size 4 \
    --gradient_accumulation_steps 8 \
    --data_path "/data/slimpajama_6b" \
    --config_path "TinyLlama/TinyLlama-1.1B-Chat-v1.0" \
    --tokenizer_path "TinyLlama/TinyLlama-1.1B-Chat-v1.0" \
    --save_dir "runs/llama_1b"
