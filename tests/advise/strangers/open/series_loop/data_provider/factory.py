# SPDX-License-Identifier: GPL-3.0-or-later
from torch.utils.data import DataLoader

from data_provider.readers import Dataset_Custom, Dataset_ETT_hour

data_dict = {'ETTh1': Dataset_ETT_hour, 'ETTh2': Dataset_ETT_hour, 'custom': Dataset_Custom}


def data_provider(args, flag):
    batch_size = args.batch_size if flag == 'train' else 1
    data = data_dict[args.data](args.root_path, args.data_path, flag, args.seq_len, args.pred_len)
    return DataLoader(data, batch_size=batch_size, shuffle=flag == 'train', drop_last=False)
