# SPDX-License-Identifier: GPL-3.0-or-later
"""Ultralytics 8: the defaults of a training (cfg/default.yaml)."""
from schedsim import job


class Model:
    task = "object detection"

    def __init__(self, model="yolov8n.pt", task=None, verbose=False):
        self.name = model

    def train(self, data=None, epochs=100, batch=16, lr0=None, optimizer="auto",
              device=None, amp=True, **more):
        name = self.name.split("/")[-1].split(".")[0]
        task = self.task
        for end in ("seg", "cls", "pose", "obb"):
            if name.endswith("-" + end):
                task = {"seg": "instance segmentation",
                        "cls": "image classification",
                        "pose": "pose estimation",
                        "obb": "object detection"}[end]
        job(framework="PyTorch + Ultralytics", model_name=name,
            model_type="CNN", task_type=task, epochs=epochs, batch_size=batch,
            dataset_name=data)
        if amp:
            job(precision="amp")
        if optimizer != "auto":
            job(optimizer=optimizer)
            if lr0 is None:
                lr0 = 0.01
            job(learning_rate=lr0)
        if device is not None:
            job(gpus=len(str(device).split(",")))

    def load(self, weights):
        return self


class YOLO(Model):
    pass


class RTDETR(Model):
    pass
