# SPDX-License-Identifier: GPL-3.0-or-later
from stable_baselines3 import PPO

from arena import DoomArena

env = DoomArena(render=True)
model = PPO.load("ppo_doom_tuned")
seen, _ = env.reset()
for _ in range(5000):
    action, _ = model.predict(seen)
    seen, reward, done, _, _ = env.step(int(action))
    if done:
        seen, _ = env.reset()
env.close()
