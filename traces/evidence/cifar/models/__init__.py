# SPDX-License-Identifier: GPL-3.0-or-later
from .mobilenet import MobileNetV2
from .resnet import ResNet18
from .vgg import VGG16

BY_NAME = {"resnet18": ResNet18, "vgg16": VGG16, "mobilenetv2": MobileNetV2}
