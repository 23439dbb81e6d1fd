# SPDX-License-Identifier: GPL-3.0-or-later
"""The Cambridge labelled street videos."""
import json
import os

from keras.preprocessing.image import ImageDataGenerator

HERE = os.path.dirname(__file__)


class CamVid:
    def __init__(self, mapping=None, target_size=(720, 960), crop_size=(224, 224), batch_size=3,
                 horizontal_flip=False, ignored_labels=(), seed=1):
        self.mapping = mapping
        self.target_size = target_size
        self.crop_size = crop_size
        self.batch_size = batch_size
        self.flip = horizontal_flip
        self.n = 11
        self.class_weights = [1.0] * 11

    @staticmethod
    def load_mapping(name='11_class.json'):
        with open(os.path.join(HERE, name)) as f:
            return json.load(f)

    def generators(self):
        made = {}
        for split in ('train', 'val', 'test'):
            size = self.batch_size if split == 'train' else 1
            made[split] = ImageDataGenerator(horizontal_flip=self.flip).flow_from_directory(
                os.path.join(HERE, 'X', split), target_size=self.target_size, batch_size=size)
        return made
