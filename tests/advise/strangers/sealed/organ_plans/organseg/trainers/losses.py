# SPDX-License-Identifier: GPL-3.0-or-later
import torch

from organseg.trainers.base import OrganTrainer


class OrganTrainerAdam(OrganTrainer):
    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.network.parameters(), lr=3e-4, amsgrad=True)
        return optimizer, None
