# SPDX-License-Identifier: GPL-3.0-or-later
"""verl 0.2 to 0.5: `-m verl.trainer.main_ppo KEY=VALUE ...`."""
from omegaconf import OmegaConf
from schedsim import job

job(framework="PyTorch + verl", model_type="Transformer",
    task_type="reinforcement learning (of a language model)",
    optimizer="AdamW", learning_rate=1e-6)
given = OmegaConf.from_cli()
job(learning_rate=given["actor_rollout_ref"]["actor"]["optim"]["lr"])
