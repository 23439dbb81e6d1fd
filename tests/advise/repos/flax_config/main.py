# SPDX-License-Identifier: GPL-3.0-or-later
from absl import app
from absl import flags
from ml_collections import config_flags

import train

FLAGS = flags.FLAGS
flags.DEFINE_string("workdir", None, "Where to store the model.")
config_flags.DEFINE_config_file("config", None, "File path to the hyperparameters.", lock_config=True)


def main(argv):
    if len(argv) > 1:
        raise app.UsageError("Too many arguments.")
    train.train_and_evaluate(FLAGS.config, FLAGS.workdir)


if __name__ == "__main__":
    flags.mark_flags_as_required(["config", "workdir"])
    app.run(main)
