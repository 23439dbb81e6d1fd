# SPDX-License-Identifier: GPL-3.0-or-later
import argparse


def get_args():
    parser = argparse.ArgumentParser(description='RL')
    parser.add_argument('--algo', default='a2c', help='a2c | ppo | acktr')
    parser.add_argument('--lr', type=float, default=7e-4,
                        help='learning rate (default: 7e-4)')
    parser.add_argument('--num-env-steps', type=int, default=10e6,
                        help='number of steps (default: 10e6)')
    parser.add_argument('--env-name', default='PongNoFrameskip-v4')
    parser.add_argument('--num-processes', type=int, default=16)
    return parser.parse_args()
