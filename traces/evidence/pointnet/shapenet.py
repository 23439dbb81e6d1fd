# SPDX-License-Identifier: GPL-3.0-or-later
"""Point clouds of ShapeNet with the part that each point belongs to."""
import glob
import os

import numpy
import torch
from torch.utils.data import Dataset


class ShapeNetParts(Dataset):
    def __init__(self, root, points, training=True):
        self.clouds = sorted(glob.glob(os.path.join(root, "*", "points",
                                                    "*.pts")))
        self.points, self.training = points, training

    def __len__(self):
        return len(self.clouds)

    def __getitem__(self, index):
        path = self.clouds[index]
        cloud = numpy.loadtxt(path, dtype="float32")
        labels = numpy.loadtxt(path.replace("points", "points_label")
                               .replace(".pts", ".seg"), dtype="int64")
        chosen = numpy.random.choice(len(labels), self.points)
        cloud = cloud[chosen] - cloud[chosen].mean(0)
        cloud /= numpy.linalg.norm(cloud, axis=1).max()
        if self.training:
            cloud += numpy.random.normal(0, 0.02, cloud.shape)
        return torch.from_numpy(cloud), torch.from_numpy(labels[chosen] - 1)
