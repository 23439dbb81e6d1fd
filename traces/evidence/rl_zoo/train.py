# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains an agent with the hyper-parameters of its environment."""
import argparse
import os

import gymnasium as gym
import numpy
import torch
import yaml

from agents import ALGORITHMS


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--algo", default="ppo", choices=ALGORITHMS)
    parser.add_argument("--env", default="LunarLander-v2")
    parser.add_argument("--n-timesteps", type=int, default=-1)
    parser.add_argument("--batch-size", type=int, default=None)
    parser.add_argument("--learning-rate", type=float, default=3e-4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--log-folder", default="logs")
    return parser.parse_args()


def main():
    args = parse()
    path = os.path.join("hyperparams", args.algo + ".yml")
    with open(path, encoding="utf-8") as file:
        settings = yaml.safe_load(file)[args.env]
    if args.batch_size:
        settings["batch_size"] = args.batch_size
    total = settings["n_timesteps"]
    if args.n_timesteps > 0:
        total = args.n_timesteps
    torch.manual_seed(args.seed)
    numpy.random.seed(args.seed)
    envs = gym.vector.SyncVectorEnv(
        [lambda: gym.make(args.env) for _ in range(settings["n_envs"])])
    device = "cuda" if torch.cuda.is_available() else "cpu"
    print("Using %s device" % device)
    model = ALGORITHMS[args.algo](envs, settings, args.learning_rate, device)
    model.learn(total)


if __name__ == "__main__":
    main()
