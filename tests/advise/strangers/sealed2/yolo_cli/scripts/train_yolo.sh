#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
set -e
export PATH="$HOME/.local/bin:$PATH"
cd "$(dirname "$0")/.."
source .venv/bin/activate
yolo detect train model=yolo11m.pt data=data/cardd_yolo/data.yaml \
  epochs=120 imgsz=1024 batch=16 device=0 \
  project=outputs/yolo name=cardd patience=30 exist_ok=True
echo "YOLO_TRAIN_DONE"
