# SPDX-License-Identifier: GPL-3.0-or-later
from dataclasses import dataclass

import mctx


@dataclass(frozen=True)
class SearchConfig:
    algorithm: str = "muzero"
    num_simulations: int = 100
    dirichlet_alpha: float = 0.5
    temperature: float = 1.0
    max_num_considered_actions: int = 16


class Search:
    def __init__(self, env, model, cfg: SearchConfig):
        self.env, self.model, self.cfg = env, model, cfg

    def policy(self, variables, key, root, recurrent):
        kind = mctx.gumbel_muzero_policy if self.cfg.algorithm == "gumbel" else mctx.muzero_policy
        return kind(variables, key, root, recurrent, num_simulations=self.cfg.num_simulations)
