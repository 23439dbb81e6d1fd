# SPDX-License-Identifier: GPL-3.0-or-later
from torch import optim

from exp.basic import Exp_Basic


class Exp_Classification(Exp_Basic):
    def _select_optimizer(self):
        return optim.RAdam(self.model.parameters(), lr=self.args.learning_rate)
