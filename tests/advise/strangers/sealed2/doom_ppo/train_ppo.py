# SPDX-License-Identifier: GPL-3.0-or-later
'''from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from arena import DoomArena

env = DoomArena(render=False)
check_env(env, warn=True)

model = PPO("CnnPolicy", env, verbose=1, tensorboard_log="./ppo_doom/", n_steps=1024,
            batch_size=64, learning_rate=1e-4)
model.learn(total_timesteps=100_000)
model.save("ppo_doom")

env.close()'''


from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import DummyVecEnv
from arena import DoomArena
from ray import tune
from ray.tune.schedulers import PopulationBasedTraining

env = DummyVecEnv([lambda: DoomArena(render=False)])
model = PPO.load("ppo_doom", env=env)

model.learn(total_timesteps=250000)
model.save("ppo_doom_tuned")

pbt = PopulationBasedTraining(
    time_attr="training_iteration",
    perturbation_interval=2,
    hyperparam_mutations={
        "gamma": [0.95, 0.99, 0.999],
        "clip_range": [0.1, 0.2, 0.3],
        "n_steps": [128, 256, 512],
    })

analysis = tune.run(
    model,
    config={
        "gamma": tune.choice([0.95, 0.99]),
        "clip_range": tune.choice([0.1, 0.2]),
    },
    scheduler=pbt,
    stop={"training_iteration": 10},
    verbose=1,
)
