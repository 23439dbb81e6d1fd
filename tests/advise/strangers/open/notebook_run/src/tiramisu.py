# SPDX-License-Identifier: GPL-3.0-or-later
"""A dense net for segmentation."""
from keras.layers import Conv2D, Input
from keras.models import Model
from keras.optimizers import RMSprop


def tiramisu(image_shape, num_classes, learning_rate=1e-3, growth=16):
    inputs = Input(image_shape)
    x = Conv2D(48, (3, 3), padding='same')(inputs)
    model = Model(inputs, Conv2D(num_classes, (1, 1), activation='softmax')(x), name='Tiramisu')
    model.compile(optimizer=RMSprop(lr=learning_rate, decay=1e-4), loss='categorical_crossentropy')
    return model
