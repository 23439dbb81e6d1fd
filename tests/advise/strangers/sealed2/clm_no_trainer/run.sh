# SPDX-License-Identifier: GPL-3.0-or-later
python3 run_clm_no_trainer.py \
    --model_name_or_path facebook/opt-1.3b \
    --dataset_name wikitext \
    --dataset_config_name wikitext-103-raw-v1 \
    --per_device_train_batch_size 4 \
    --per_device_eval_batch_size 8 \
    --gradient_accumulation_steps 2 \
    --output_dir /tmp/clm \
    --num_train_epochs 2 \
    --with_tracking \
    --block_size 512
