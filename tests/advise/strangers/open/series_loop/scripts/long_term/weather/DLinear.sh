# SPDX-License-Identifier: GPL-3.0-or-later
model_name=DLinear
python -u run.py \
  --task_name long_term_forecast \
  --is_training 1 \
  --model $model_name \
  --data custom \
  --seq_len 336 \
  --batch_size 16 \
  --learning_rate 0.005
