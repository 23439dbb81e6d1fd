# SPDX-License-Identifier: GPL-3.0-or-later
import os

from organseg.paths import preprocessed


def dataset_name(name_or_number):
    if name_or_number.startswith("Dataset"):
        return name_or_number
    start = "Dataset%03d_" % int(name_or_number)
    return [n for n in os.listdir(preprocessed) if n.startswith(start)][0]
