#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""policy_gradient.py [--seeds N] [--episodes N] [--tests N]: an agent that learns to
schedule by REINFORCE (Williams, 1992), in NumPy alone.

The agent scores each waiting job that fits by a weighted sum of six facts and starts
one by chance, the likelier the higher its score (softmax). After each batch of
episodes the weights move along the gradient of what was done, times how much better
the rest of the episode was than in the others of the batch.

What is compared was chosen before it was seen: seeds 11 to 15 train an agent each, on
other days of the trace in each batch; each agent then plays the same 8 episodes, of
seeds that nobody trained on, and starts the job with the highest score. The figure is
the mean queueing delay by that of fifo in the same episode, averaged; the 95 % interval
(Student's t) is over the agents. Beside it stand an agent that has not learned (all
weights 0: the first job that fits) and policies that come with schedsim.
"""
import argparse
import os
import statistics
import sys
import time

import numpy as np

import schedsim

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
TRACE = os.path.join(ROOT, "traces/samples/itp.csv")
# Demand is near the capacity, so that queues form.
OPTIONS = {"cluster": "8x8", "jobs": 300}
K = 16  # waiting jobs that the agent sees
TESTS = 3000  # seed of the first test
T95 = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31, 9: 2.26}


def facts(seen):
    """Returns a row of facts for each waiting job, about -1 to 1."""
    gpus, waited, remaining = seen[:-1, 0], seen[:-1, 1], seen[:-1, 2]
    known = remaining >= 0
    run_time = np.log1p(np.where(known, remaining, 0)) / 12
    size = np.log1p(gpus) / 5
    place = np.arange(len(gpus)) / len(gpus)
    return np.stack([size, run_time, known, np.log1p(waited) / 12, place,
                     size * run_time], axis=1)


def play(environment, weights, draw, **how):
    """Plays an episode. Returns for each step its time, its reward and the gradient
    of the logarithm of the chance of what was done. draw None: the job with the
    highest score is started."""
    seen, info = environment.reset(**how)
    times, rewards, gradients, ended = [], [], [], False
    while not ended:
        # While a job fits, the agent starts one: it learns which, not whether.
        can = np.flatnonzero(info["mask"][:-1])
        action, gradient = K, np.zeros(len(weights))
        times.append(seen[-1, 0])
        if len(can):
            rows = facts(seen)[can]
            scores = rows @ weights
            if draw is None:
                chosen = np.argmax(scores)
            else:
                chances = np.exp(scores - scores.max())
                chances /= chances.sum()
                chosen = min(int(np.searchsorted(np.cumsum(chances), draw.random())),
                             len(can) - 1)
                gradient = rows[chosen] - chances @ rows
            action = can[chosen]
        seen, reward, ended, _, info = environment.step(int(action))
        rewards.append(reward)
        gradients.append(gradient)
    return np.array(times), np.array(rewards), np.array(gradients)


def learn(seed, episodes, batch=8, rate=2.0):
    """Trains an agent; returns its weights. The episodes of a batch have the same
    jobs and differ by what was done alone, so that the others say what can be
    expected at a time."""
    draw = np.random.default_rng(seed)
    environment = schedsim.Environment(TRACE, k=K, **OPTIONS)
    weights, squares = np.zeros(6), []
    for i in range(episodes // batch):
        played = [play(environment, weights, draw, seed=100000 * seed + i)
                  for _ in range(batch)]
        rest = [np.cumsum(rewards[::-1])[::-1] for _, rewards, _ in played]
        step = np.zeros(6)
        for a, (times, _, gradients) in enumerate(played):
            expected = np.mean([np.interp(times, played[b][0], rest[b])
                                for b in range(batch) if b != a], axis=0)
            step += (rest[a] - expected) @ gradients
        # By the usual length, so that days without a queue teach little.
        squares.append(step @ step)
        weights += rate / (1 + i / 10) * step / (np.mean(squares) ** 0.5 + 1e-9)
    environment.close()
    return weights


def delays(weights, tests):
    """Returns the mean queueing delay of an agent in each test."""
    environment = schedsim.Environment(TRACE, k=K, **OPTIONS)
    found = []
    for seed in range(TESTS, TESTS + tests):
        play(environment, weights, None, seed=seed)
        found.append(environment.result.metric("metrics.queue_delay_s.mean"))
    return np.array(found)


def baseline(policy, tests):
    return np.array([schedsim.run(
        TRACE, policy, estimators="ga2m,history", seed=seed, resample=seed,
        **OPTIONS).metric("metrics.queue_delay_s.mean")
        for seed in range(TESTS, TESTS + tests)])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--episodes", type=int, default=160)
    parser.add_argument("--tests", type=int, default=8)
    parser.add_argument("--first", type=int, default=11, help="the first seed")
    args = parser.parse_args()
    begun = time.process_time()
    fifo = baseline("fifo", args.tests)
    print("mean queueing delay of %d episodes, by that of fifo" % args.tests)
    for policy in ("fjf", "sjf", "srtf"):
        print("%-22s %.3f" % (policy, (baseline(policy, args.tests) / fifo).mean()))
    print("%-22s %.3f" % ("agent, not trained", (
        delays(np.zeros(6), args.tests) / fifo).mean()))
    ratios = []
    for seed in range(args.first, args.first + args.seeds):
        weights = learn(seed, args.episodes)
        ratios.append(float((delays(weights, args.tests) / fifo).mean()))
        print("%-22s %.3f  weights %s" % ("agent, seed %d" % seed, ratios[-1],
                                          np.round(weights, 2)))
    mean = statistics.mean(ratios)
    half = T95[len(ratios) - 1] * statistics.stdev(ratios) / len(ratios) ** 0.5 \
        if 1 < len(ratios) <= 10 else float("nan")
    print("%-22s %.3f [%.3f, %.3f]" % ("agents, mean [95 %]", mean, mean - half,
                                       mean + half))
    print("%.0f s of CPU time" % (time.process_time() - begun), file=sys.stderr)


if __name__ == "__main__":
    main()
