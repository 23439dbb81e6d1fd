# SPDX-License-Identifier: GPL-3.0-or-later
"""The architectures by name."""
from torchvision import models

NAMES = ("resnet50", "mobilenet_v3_large", "efficientnet_b4", "densenet121")


def create(arch, classes):
    if arch not in NAMES:
        raise SystemExit("unknown architecture: " + arch)
    return getattr(models, arch)(num_classes=classes)
