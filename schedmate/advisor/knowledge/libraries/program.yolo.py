# SPDX-License-Identifier: GPL-3.0-or-later
"""Ultralytics 8: `yolo TASK MODE name=value ...`."""
import sys

from ultralytics import YOLO
from omegaconf import OmegaConf

cfg = OmegaConf.from_cli()
words = [word for word in sys.argv[1:] if "=" not in word]
mode = cfg.get("mode", "train")
if mode == "train" and "val" not in words and "predict" not in words:
    YOLO(cfg.get("model", "yolov8n.pt")).train(**cfg)
