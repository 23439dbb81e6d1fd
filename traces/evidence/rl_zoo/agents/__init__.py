# SPDX-License-Identifier: GPL-3.0-or-later
from .ppo import PPO
from .td3 import TD3

ALGORITHMS = {"ppo": PPO, "td3": TD3}
