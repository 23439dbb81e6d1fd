# SPDX-License-Identifier: GPL-3.0-or-later
torchrun --nproc_per_node=4 --master_port=1235 distill.py \
    --teacher_layers 8 --student_layers 4 \
    --batch_size 256 --num_epochs 10 --learning_rate 0.001
