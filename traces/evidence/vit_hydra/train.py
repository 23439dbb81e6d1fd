# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains a vision transformer; see conf/config.yaml for the settings."""
import hydra
import lightning
import torch
from lightning.pytorch.callbacks import ModelCheckpoint, TQDMProgressBar
from omegaconf import DictConfig, OmegaConf

from src.data import ImageNetData
from src.module import Classifier


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg: DictConfig):
    print(OmegaConf.to_yaml(cfg))
    lightning.seed_everything(cfg.seed, workers=True)
    torch.set_float32_matmul_precision("high")
    data = ImageNetData(**cfg.data)
    model = Classifier(cfg.model, cfg.optim, cfg.data.mixup,
                       cfg.trainer.max_epochs)
    trainer = lightning.Trainer(
        devices=cfg.trainer.devices, num_nodes=cfg.trainer.num_nodes,
        precision=cfg.trainer.precision, strategy="ddp",
        max_epochs=cfg.trainer.max_epochs,
        log_every_n_steps=cfg.trainer.log_every_n_steps,
        default_root_dir="outputs/" + cfg.run,
        callbacks=[ModelCheckpoint(monitor="val_acc", mode="max"),
                   TQDMProgressBar(refresh_rate=50)])
    trainer.fit(model, data)


if __name__ == "__main__":
    main()
