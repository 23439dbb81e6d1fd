# SPDX-License-Identifier: GPL-3.0-or-later
"""A table of progress, as boxes of text."""
import time


class Report:
    def __init__(self):
        self.start, self.iterations = time.time(), 0

    def show(self, steps, rewards, **values):
        self.iterations += 1
        wall = time.time() - self.start
        rows = [("rollout/", None),
                ("   ep_rew_mean", sum(rewards) / max(len(rewards), 1)),
                ("time/", None), ("   fps", int(steps / max(wall, 1e-9))),
                ("   iterations", self.iterations),
                ("   time_elapsed", int(wall)),
                ("   total_timesteps", steps), ("train/", None)]
        rows += [("   " + name, value) for name, value in values.items()]
        print("-" * 42)
        for name, value in rows:
            shown = "" if value is None else (
                "%d" % value if isinstance(value, int) else "%.3g" % value)
            print("| %-23s | %-12s |" % (name, shown))
        print("-" * 42, flush=True)
