# SPDX-License-Identifier: GPL-3.0-or-later
poetry install -E atari
OMP_NUM_THREADS=1 xvfb-run -a python -m rl_utils.benchmark \
    --env-ids PongNoFrameskip-v4 BeamRiderNoFrameskip-v4 \
    --command "poetry run python rl/ppo_pixels.py --track" \
    --num-seeds 3 --workers 9
