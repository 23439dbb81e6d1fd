# SPDX-License-Identifier: GPL-3.0-or-later
deepspeed baseline_train.py \
    --model_name_or_path facebook/opt-350m \
    --dataset_name someone/reviews-input-output \
    --per_device_train_batch_size 1 \
    --gradient_accumulation_steps 8 \
    --num_train_epochs 1
