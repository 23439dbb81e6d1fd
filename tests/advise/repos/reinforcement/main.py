# SPDX-License-Identifier: GPL-3.0-or-later
"""Learns to play."""
import torch

from agent.arguments import get_args
from agent.model import Policy

args = get_args()
actor_critic = Policy(args)
