# SPDX-License-Identifier: GPL-3.0-or-later
from organseg.trainers.base import OrganTrainer


class OrganTrainer_5epochs(OrganTrainer):
    """For a quick look."""

    def __init__(self, *args, **kw):
        super().__init__(*args, **kw)
        self.num_epochs = 5


class OrganTrainer_250epochs(OrganTrainer):
    def __init__(self, *args, **kw):
        super().__init__(*args, **kw)
        self.num_epochs = 250


class OrganTrainer_4000epochs(OrganTrainer):
    def __init__(self, *args, **kw):
        super().__init__(*args, **kw)
        self.num_epochs = 4000
