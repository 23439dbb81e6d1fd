# SPDX-License-Identifier: GPL-3.0-or-later
CUDA_VISIBLE_DEVICES=2,3 python train_conformer_libri.py --batch_size 16 --epochs 60
