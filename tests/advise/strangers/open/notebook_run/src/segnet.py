# SPDX-License-Identifier: GPL-3.0-or-later
"""An encoder-decoder that reuses the places of the maxima."""
from keras.layers import (Activation, BatchNormalization, Conv2D, Dropout, Input, MaxPooling2D,
                          UpSampling2D)
from keras.models import Model
from keras.optimizers import SGD

from .losses import weighted_crossentropy


def _down(x, filters, n):
    for _ in range(n):
        x = Conv2D(filters, (3, 3), padding='same')(x)
        x = BatchNormalization()(x)
        x = Activation('relu')(x)
    return MaxPooling2D((2, 2))(x)


def segnet(image_shape, num_classes, class_weights=None, lr=0.1, dropout_rate=None,
           optimizer=SGD(lr=0.1, momentum=0.9)):
    inputs = Input(image_shape)
    x = inputs
    for filters, n in ((64, 2), (128, 2), (256, 3), (512, 3)):
        x = _down(x, filters, n)
        if dropout_rate:
            x = Dropout(dropout_rate)(x)
    for filters in (512, 256, 128, 64):
        x = UpSampling2D((2, 2))(x)
        x = Conv2D(filters, (3, 3), padding='same', activation='relu')(x)
    x = Conv2D(num_classes, (1, 1), activation='softmax')(x)
    model = Model(inputs=[inputs], outputs=[x], name='SegNet')
    model.compile(optimizer=optimizer, loss=weighted_crossentropy(class_weights),
                  metrics=['accuracy'])
    return model
