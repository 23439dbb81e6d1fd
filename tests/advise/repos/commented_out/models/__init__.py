# SPDX-License-Identifier: GPL-3.0-or-later
from .dla import SimpleDLA
from .vgg import VGG
