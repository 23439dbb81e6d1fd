# SPDX-License-Identifier: GPL-3.0-or-later
import cv2
import gymnasium as gym
import numpy as np
from gymnasium import spaces
from vizdoom import DoomGame, Mode, ScreenResolution


class DoomArena(gym.Env):
    def __init__(self, render=True):
        super().__init__()
        self.game = DoomGame()
        self.game.load_config("scenarios/deathmatch.cfg")
        self.game.set_window_visible(render)
        self.game.set_mode(Mode.PLAYER)
        self.game.set_screen_resolution(ScreenResolution.RES_640X480)
        self.game.init()
        self.actions = [[1, 0, 0], [0, 1, 0], [0, 2, 0], [0, 0, 1], [0, 0, 0]]
        self.action_space = spaces.Discrete(len(self.actions))
        self.observation_space = spaces.Box(low=0, high=255, shape=(120, 160, 3), dtype=np.uint8)

    def _look(self):
        frame = np.transpose(self.game.get_state().screen_buffer, (1, 2, 0))
        return cv2.resize(frame, (160, 120))

    def step(self, action):
        reward = self.game.make_action(self.actions[action])
        done = self.game.is_episode_finished()
        seen = np.zeros(self.observation_space.shape, np.uint8) if done else self._look()
        return seen, reward, done, False, {}

    def reset(self, seed=None, options=None):
        self.game.new_episode()
        return self._look(), {}

    def close(self):
        self.game.close()
