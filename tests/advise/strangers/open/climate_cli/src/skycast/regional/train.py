# SPDX-License-Identifier: GPL-3.0-or-later
import os

from pytorch_lightning.cli import LightningCLI

from skycast.regional.datamodule import RegionalForecastDataModule
from skycast.regional.module import RegionalForecastModule


def main():
    cli = LightningCLI(
        model_class=RegionalForecastModule,
        datamodule_class=RegionalForecastDataModule,
        seed_everything_default=42,
        run=False,
        parser_kwargs={"parser_mode": "omegaconf"},
    )
    os.makedirs(cli.trainer.default_root_dir, exist_ok=True)
    mean, std = cli.datamodule.normalization()
    cli.model.set_normalization(mean, std)
    cli.model.set_horizon(cli.datamodule.hparams.predict_range)

    cli.trainer.fit(cli.model, datamodule=cli.datamodule)
    cli.trainer.test(cli.model, datamodule=cli.datamodule, ckpt_path="best")


if __name__ == "__main__":
    main()
