# SPDX-License-Identifier: GPL-3.0-or-later
"""TRL 0.12 to 0.24: the defaults of its trainers."""
from dataclasses import dataclass

from transformers import Trainer, TrainingArguments


@dataclass
class SFTConfig(TrainingArguments):
    learning_rate: float = 2e-5


@dataclass
class DPOConfig(TrainingArguments):
    learning_rate: float = 1e-6


@dataclass
class KTOConfig(TrainingArguments):
    learning_rate: float = 1e-6


@dataclass
class ORPOConfig(TrainingArguments):
    learning_rate: float = 1e-6


@dataclass
class CPOConfig(TrainingArguments):
    learning_rate: float = 1e-6


@dataclass
class GRPOConfig(TrainingArguments):
    learning_rate: float = 1e-6


@dataclass
class RewardConfig(TrainingArguments):
    learning_rate: float = 1e-4


class SFTTrainer(Trainer):
    task = "instruction tuning"


class DPOTrainer(Trainer):
    task = "preference tuning"


class KTOTrainer(Trainer):
    task = "preference tuning"


class ORPOTrainer(Trainer):
    task = "preference tuning"


class CPOTrainer(Trainer):
    task = "preference tuning"


class GRPOTrainer(Trainer):
    task = "reinforcement learning (GRPO)"


class RewardTrainer(Trainer):
    task = "preference tuning"
