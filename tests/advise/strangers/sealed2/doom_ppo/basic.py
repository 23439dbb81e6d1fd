# SPDX-License-Identifier: GPL-3.0-or-later
from random import choice
from time import sleep

from vizdoom import DoomGame

game = DoomGame()
game.load_config("scenarios/basic.cfg")
game.init()
actions = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
for episode in range(10):
    game.new_episode()
    while not game.is_episode_finished():
        reward = game.make_action(choice(actions))
        print("reward:", reward)
        sleep(0.02)
    print("Result:", game.get_total_reward())
