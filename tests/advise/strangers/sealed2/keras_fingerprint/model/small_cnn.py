# SPDX-License-Identifier: GPL-3.0-or-later
from keras import optimizers
from keras.layers import BatchNormalization, Conv2D, Dense, Dropout, Flatten, MaxPooling2D
from keras.models import Sequential


def build_cnn(shape, classes):
    model = Sequential()
    model.add(Conv2D(16, 3, activation='relu', padding='same', input_shape=shape))
    model.add(BatchNormalization())
    model.add(MaxPooling2D())
    for width in (32, 64):
        model.add(Conv2D(width, 3, activation='relu', padding='same'))
        model.add(BatchNormalization())
        model.add(MaxPooling2D())
    model.add(Flatten())
    model.add(Dropout(0.3))
    model.add(Dense(classes, activation='softmax'))
    adam = optimizers.Adam(learning_rate=0.0005, beta_1=0.9, beta_2=0.999)
    model.compile(loss='sparse_categorical_crossentropy', optimizer=adam, metrics=['accuracy'])
    return model
