# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains a denoiser for image synthesis."""
import json
import os

import click
import torch

from lib import dist
from lib.easy import Settings, construct
from loop import training_loop


@click.command()
# What
@click.option("--outdir", help="Where results go", metavar="DIR", type=str, required=True)
@click.option("--data", help="Images", metavar="ZIP|DIR", type=str, required=True)
@click.option("--cond", help="Use the labels", metavar="BOOL", type=bool, default=False)
@click.option("--arch", help="Network", metavar="ddpmpp|ncsnpp|adm",
              type=click.Choice(["ddpmpp", "ncsnpp", "adm"]), default="ddpmpp", show_default=True)
@click.option("--precond", help="Preconditioning", type=click.Choice(["vp", "ve", "edm"]),
              default="edm", show_default=True)
# How
@click.option("--duration", help="Length of the training", metavar="MIMG",
              type=click.FloatRange(min=0, min_open=True), default=200, show_default=True)
@click.option("--batch", help="Total batch size", metavar="INT", type=click.IntRange(min=1),
              default=512, show_default=True)
@click.option("--batch-gpu", help="Limit of the batch of a GPU", metavar="INT",
              type=click.IntRange(min=1))
@click.option("--lr", help="Learning rate", metavar="FLOAT",
              type=click.FloatRange(min=0, min_open=True), default=10e-4, show_default=True)
@click.option("--ema", help="Half-life of the average", metavar="MIMG", type=float, default=0.5)
@click.option("--dropout", type=click.FloatRange(min=0, max=1), default=0.13, show_default=True)
@click.option("--augment", help="Share of augmented images", type=float, default=0.12)
@click.option("--xflip", help="Mirror the images", type=bool, default=False)
# Speed
@click.option("--fp16", help="Mixed precision", metavar="BOOL", type=bool, default=False)
@click.option("--bench", help="cuDNN benchmarking", type=bool, default=True)
@click.option("--workers", help="Loader processes", type=click.IntRange(min=1), default=1)
# Bookkeeping
@click.option("--tick", help="Progress every", metavar="KIMG", type=int, default=50)
@click.option("--seed", help="Seed", type=int)
@click.option("-n", "--dry-run", help="Print the settings and leave", is_flag=True)
def main(**kwargs):
    """Trains a denoiser.

    \b
    torchrun --standalone --nproc_per_node=8 train.py --outdir=runs \\
        --data=datasets/cifar10-32x32.zip --cond=1 --arch=ddpmpp
    """
    opts = Settings(kwargs)
    torch.multiprocessing.set_start_method("spawn")
    dist.init()

    c = Settings()
    c.dataset = Settings(class_name="images.ImageFolder", path=opts.data, use_labels=opts.cond,
                         xflip=opts.xflip)
    c.optimizer = Settings(class_name="torch.optim.Adam", lr=opts.lr, betas=[0.9, 0.999])
    c.network = Settings()
    c.dataset.resolution = construct(**c.dataset).resolution

    if opts.arch == "ddpmpp":
        c.network.update(model_type="SongUNet", embedding_type="positional", channels=128)
    elif opts.arch == "ncsnpp":
        c.network.update(model_type="SongUNet", embedding_type="fourier", channels=128)
    else:
        assert opts.arch == "adm"
        c.network.update(model_type="DhariwalUNet", channels=192)
    c.network.class_name = {"vp": "networks.VP", "ve": "networks.VE",
                            "edm": "networks.EDM"}[opts.precond]
    c.network.update(dropout=opts.dropout, use_fp16=opts.fp16)
    c.total_kimg = max(int(opts.duration * 1000), 1)
    c.update(batch_size=opts.batch, batch_gpu=opts.batch_gpu, kimg_per_tick=opts.tick)
    c.seed = opts.seed or 0
    if opts.dry_run:
        dist.print0(json.dumps(c, indent=2))
        return
    c.run_dir = os.path.join(opts.outdir, f"{opts.arch}-gpus{dist.world()}-batch{c.batch_size}")
    training_loop(**c)


if __name__ == "__main__":
    main()
