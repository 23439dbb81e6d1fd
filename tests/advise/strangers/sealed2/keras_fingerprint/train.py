# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

from args import data_config
from model.MobileNet import MobileNet

images = torch.from_numpy(np.load(data_config.data_path + 'img_train.npy')).float()
labels = torch.from_numpy(np.load(data_config.data_path + 'label_train.npy')).long()
loader = DataLoader(TensorDataset(images, labels), batch_size=data_config.batch_size, shuffle=True,
                    num_workers=data_config.WORKERS)
model = MobileNet(data_config.num_class).cuda()
criterion = eval(data_config.loss_f)()
optimizer = eval(data_config.optimizer)(model.parameters(), **data_config.optimizer_parm)
for epoch in range(data_config.epochs):
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
