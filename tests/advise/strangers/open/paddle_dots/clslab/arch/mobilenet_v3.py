# SPDX-License-Identifier: GPL-3.0-or-later
import paddle.nn as nn

__all__ = ["MobileNetV3_large_x1_0"]


class MobileNetV3_large_x1_0(nn.Layer):
    def __init__(self, class_num=1000, dropout_prob=0.2):
        super().__init__()
        self.fc = nn.Linear(1280, class_num)
