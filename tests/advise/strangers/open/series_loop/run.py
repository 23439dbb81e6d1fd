# SPDX-License-Identifier: GPL-3.0-or-later
import argparse
import random

import numpy as np
import torch

if __name__ == '__main__':
    random.seed(2021)
    torch.manual_seed(2021)
    np.random.seed(2021)

    parser = argparse.ArgumentParser(description='TimesNet')
    parser.add_argument('--task_name', type=str, required=True, default='long_term_forecast',
                        help='one of long_term_forecast, imputation, classification')
    parser.add_argument('--is_training', type=int, required=True, default=1)
    parser.add_argument('--model_id', type=str, required=True, default='test')
    parser.add_argument('--model', type=str, required=True, default='Autoformer',
                        help='Autoformer, Transformer, TimesNet, ...')
    # data
    parser.add_argument('--data', type=str, required=True, default='ETTh1', help='kind of reader')
    parser.add_argument('--root_path', type=str, default='./data/ETT/')
    parser.add_argument('--data_path', type=str, default='ETTh1.csv')
    parser.add_argument('--features', type=str, default='M')
    parser.add_argument('--seq_len', type=int, default=96, help='length of the input')
    parser.add_argument('--label_len', type=int, default=48, help='length of the start token')
    parser.add_argument('--pred_len', type=int, default=96, help='length of the forecast')
    parser.add_argument('--mask_rate', type=float, default=0.25)
    # model
    parser.add_argument('--enc_in', type=int, default=7)
    parser.add_argument('--dec_in', type=int, default=7)
    parser.add_argument('--c_out', type=int, default=7)
    parser.add_argument('--d_model', type=int, default=512)
    parser.add_argument('--n_heads', type=int, default=8)
    parser.add_argument('--e_layers', type=int, default=2)
    parser.add_argument('--dropout', type=float, default=0.1)
    # optimisation
    parser.add_argument('--num_workers', type=int, default=10)
    parser.add_argument('--itr', type=int, default=1, help='repetitions')
    parser.add_argument('--train_epochs', type=int, default=10)
    parser.add_argument('--batch_size', type=int, default=32)
    parser.add_argument('--patience', type=int, default=3)
    parser.add_argument('--learning_rate', type=float, default=0.0001)
    parser.add_argument('--des', type=str, default='test')
    parser.add_argument('--lradj', type=str, default='type1')
    parser.add_argument('--use_amp', action='store_true', default=False)
    # GPU
    parser.add_argument('--use_gpu', type=bool, default=True)
    parser.add_argument('--gpu', type=int, default=0)
    parser.add_argument('--use_multi_gpu', action='store_true', default=False)
    parser.add_argument('--devices', type=str, default='0,1,2,3')
    args = parser.parse_args()

    if args.use_gpu and args.use_multi_gpu:
        args.device_ids = [int(n) for n in args.devices.split(',')]

    if args.task_name == 'imputation':
        from exp.imputation import Exp_Imputation as Exp
    elif args.task_name == 'classification':
        from exp.classification import Exp_Classification as Exp
    else:
        from exp.long_term_forecasting import Exp_Long_Term_Forecast as Exp

    if args.is_training:
        for ii in range(args.itr):
            exp = Exp(args)
            exp.train(f'{args.task_name}_{args.model_id}_{args.model}_{ii}')
            torch.cuda.empty_cache()
