# SPDX-License-Identifier: GPL-3.0-or-later
"""rl_games 1.6: runs the algorithm that its configuration names."""
from schedsim import job


class Runner:
    def __init__(self, *rest, **more):
        self.params = None

    def load(self, config):
        params = config["params"]
        settings = params["config"]
        name = params["algo"]["name"]
        if name == "a2c_continuous" or name == "a2c_discrete":
            name = "PPO (" + name + ")"
        job(framework="PyTorch + rl_games", task_type="reinforcement learning",
            model_name=name, model_type="actor-critic",
            dataset_name=settings["name"], optimizer="Adam",
            learning_rate=settings["learning_rate"],
            batch_size=settings["minibatch_size"])

    def load_config(self, params):
        self.load({"params": params})

    def reset(self):
        pass

    def run(self, args):
        pass
