# SPDX-License-Identifier: GPL-3.0-or-later
import keras.backend as K


def weighted_crossentropy(weights):
    def loss(y_true, y_pred):
        return -K.sum(weights * y_true * K.log(y_pred + K.epsilon()), axis=-1)
    return loss
