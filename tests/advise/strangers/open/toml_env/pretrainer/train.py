# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

from pretrainer.config_manager import parse
from pretrainer.data import build_loader
from pretrainer.models import get_train_spec


def build_optimizers(model, cfg):
    kinds = {"Adam": torch.optim.Adam, "AdamW": torch.optim.AdamW}
    return kinds[cfg.optimizer.name](model.parameters(), lr=cfg.optimizer.lr, eps=cfg.optimizer.eps,
                                     betas=(0.9, 0.95), weight_decay=0.1, fused=True)


def main(cfg):
    torch.distributed.init_process_group("nccl")
    spec = get_train_spec(cfg.model.name)
    with torch.device("meta"):
        model = spec.cls(spec.flavors[cfg.model.flavor])
    mesh = init_device_mesh("cuda", (-1, cfg.parallelism.tensor_parallel_degree),
                            mesh_dim_names=("dp_shard", "tp"))
    policy = MixedPrecisionPolicy(
        param_dtype=getattr(torch, cfg.training.mixed_precision_param),
        reduce_dtype=getattr(torch, cfg.training.mixed_precision_reduce))
    for block in model.layers:
        fully_shard(block, mesh=mesh["dp_shard"], mp_policy=policy)
    fully_shard(model, mesh=mesh["dp_shard"], mp_policy=policy)
    optimizer = build_optimizers(model, cfg)
    loader = build_loader(cfg.training.dataset, cfg.training.local_batch_size,
                          cfg.training.seq_len)
    for step, (tokens, labels) in enumerate(loader, 1):
        loss = torch.nn.functional.cross_entropy(model(tokens).flatten(0, 1), labels.flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step == cfg.training.steps:
            break


if __name__ == "__main__":
    main(parse())
