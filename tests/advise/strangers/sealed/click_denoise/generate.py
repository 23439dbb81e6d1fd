# SPDX-License-Identifier: GPL-3.0-or-later
import click
import torch

from lib import dist


@click.command()
@click.option("--network", "network_pkl", metavar="PATH|URL", type=str, required=True)
@click.option("--outdir", type=str, required=True)
@click.option("--batch", "max_batch_size", help="Largest batch", type=int, default=64)
@click.option("--steps", "num_steps", help="Steps of sampling", type=int, default=18)
@click.option("--S_churn", "S_churn", type=float, default=0)
def main(network_pkl, outdir, max_batch_size, **sampler):
    """Images from a trained network."""
    dist.init()
    net = torch.load(network_pkl)["ema"]
    print(net, outdir, max_batch_size, sampler)


if __name__ == "__main__":
    main()
