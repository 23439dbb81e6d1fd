# SPDX-License-Identifier: GPL-3.0-or-later
class data_config:
    data_path = '/disks/disk2/prints/FVC2000_DB4_B/dataset/'
    model_name = "mobilenet_baseline"
    WORKERS = 5
    epochs = 100
    num_class = 10
    input_size = 64
    batch_size = 32
    lr = 0.1
    optimizer = "torch.optim.SGD"
    optimizer_parm = {'lr': lr, 'momentum': 0.9, 'weight_decay': 5e-4, 'nesterov': False}
    loss_f = 'torch.nn.CrossEntropyLoss'
