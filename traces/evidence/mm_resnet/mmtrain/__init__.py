# SPDX-License-Identifier: GPL-3.0-or-later
from .classifier import GlobalAveragePooling, ImageClassifier, LinearClsHead

__all__ = ["GlobalAveragePooling", "ImageClassifier", "LinearClsHead"]
