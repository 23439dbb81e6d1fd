# SPDX-License-Identifier: GPL-3.0-or-later
import json
import sys

from ultralytics import YOLO

model = YOLO(sys.argv[1] if len(sys.argv) > 1 else "outputs/yolo/cardd/weights/best.pt")
scores = model.val(data="data/cardd_yolo/data.yaml", imgsz=1024, batch=8, split="test")
print(json.dumps({"map50": scores.box.map50, "map": scores.box.map}))
