# SPDX-License-Identifier: GPL-3.0-or-later
import paddle.io


def build_dataloader(config, mode):
    section = config[mode]
    sampler = dict(section["sampler"])
    cls = getattr(paddle.io, sampler.pop("name"))
    dataset = section["dataset"]
    return paddle.io.DataLoader(dataset, batch_sampler=cls(dataset, **sampler),
                                num_workers=section["loader"]["num_workers"])
