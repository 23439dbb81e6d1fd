# SPDX-License-Identifier: GPL-3.0-or-later
"""Slices of BraTS volumes, saved as one .npz file each."""
import glob
import os

import numpy
import torch
from torch.utils.data import Dataset


class BratsSlices(Dataset):
    def __init__(self, root, part, modalities):
        self.files = sorted(glob.glob(os.path.join(root, part, "*.npz")))
        self.modalities = modalities

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        with numpy.load(self.files[index]) as slices:
            image = numpy.stack([slices[m] for m in self.modalities])
            mask = slices["mask"]
        image = (image - image.mean()) / (image.std() + 1e-6)
        return (torch.from_numpy(image.astype("float32")),
                torch.from_numpy(mask.astype("int64")))
