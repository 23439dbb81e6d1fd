# SPDX-License-Identifier: GPL-3.0-or-later
SHELL := /bin/bash

train_bag:
	python core/baseline.py --batch_size 64 --epochs 5
