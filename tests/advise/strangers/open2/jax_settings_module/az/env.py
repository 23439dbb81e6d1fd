# SPDX-License-Identifier: GPL-3.0-or-later
from dataclasses import dataclass

import jax.numpy as jnp


@dataclass(frozen=True)
class GameConfig:
    size: int = 4
    win_length: int = 3
    misere: bool = True


class Env:
    """Tic-tac-toe on a board of any size."""

    def __init__(self, game: GameConfig):
        self.size, self.win_length, self.misere = game.size, game.win_length, game.misere
        self.cells = game.size * game.size

    def empty(self, count):
        return jnp.zeros((count, 2, self.size, self.size))

    def legal(self, boards):
        return boards.sum(1).reshape(boards.shape[0], -1) == 0
