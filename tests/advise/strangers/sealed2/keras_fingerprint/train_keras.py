# SPDX-License-Identifier: GPL-3.0-or-later
import os

import numpy as np

from keras import optimizers
# from keras.applications.mobilenet_v2 import MobileNetV2
from model.small_cnn import build_cnn

np.random.seed(611)


class data_config:
    data_path = '/disks/disk2/prints/FVC2000_DB4_B/dataset/'
    model_name = "small_baseline"
    MODEL_PATH = '/disks/disk2/prints/ckpts/FVC2000/small_baseline/'
    if not os.path.exists(MODEL_PATH):
        os.makedirs(MODEL_PATH)
    WORKERS = 5
    epochs = 150  # resnet: 160, wide: 200
    num_class = 10
    input_size = 64
    batch_size = 48
    rand_seed = 40
    lr = 0.1
    warm = 1
    optimizer = "torch.optim.SGD"
    optimizer_parm = {'lr': lr, 'momentum': 0.9, 'weight_decay': 5e-4, 'nesterov': False}
    # optimizer = "torch.optim.AdamW"
    # optimizer_parm = {'lr': 0.001, 'weight_decay': 0.00001}
    scheduler = "torch.optim.lr_scheduler.CosineAnnealingLR"
    scheduler_parm = {'T_max': 100, 'eta_min': 1e-4}
    loss_f = 'torch.nn.CrossEntropyLoss'


def part(kind, name):
    return np.load(os.path.join(data_config.data_path, kind + '_' + name + '.npy'))


trainX = np.concatenate([part('img', 'train'), part('img', 'val')], axis=0)
trainY = np.concatenate([part('label', 'train'), part('label', 'val')], axis=0)
testX, testY = part('img', 'test'), part('label', 'test')
print(trainX.shape, testX.shape, trainY.shape, testY.shape)

# sgd = optimizers.SGD(lr=data_config.lr, momentum=0.9)
# model.compile(loss='categorical_crossentropy', optimizer=sgd, metrics=['accuracy'])
model = build_cnn((data_config.input_size, data_config.input_size, 1), data_config.num_class)
for layer in model.layers:
    print(layer.name)
model.fit(trainX, trainY, shuffle=True, epochs=data_config.epochs,
          batch_size=data_config.batch_size, verbose=2)
score = model.evaluate(testX, testY, verbose=2)
print('test accuracy: %.2f%%' % (score[1] * 100))
model.save('prints.h5')
np.save('groundTruth.npy', testY)
