# SPDX-License-Identifier: GPL-3.0-or-later
import sys
import tomllib
from dataclasses import fields, is_dataclass

import tyro

from pretrainer.job_config import JobConfig


def merge(cls, values):
    made = {}
    for f in fields(cls):
        if f.name in values:
            inner = f.default_factory if is_dataclass(f.type) else None
            made[f.name] = merge(inner, values[f.name]) if inner else values[f.name]
    return cls(**made)


def parse(args=None):
    args = list(sys.argv[1:] if args is None else args)
    base = JobConfig()
    for n, arg in enumerate(args):
        if arg == "--job.config_file":
            with open(args[n + 1], "rb") as f:
                base = merge(JobConfig, tomllib.load(f))
            del args[n:n + 2]
            break
    return tyro.cli(JobConfig, args=args, default=base)
