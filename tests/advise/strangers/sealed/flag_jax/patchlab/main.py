# SPDX-License-Identifier: GPL-3.0-or-later
import jax
from absl import app, flags, logging
from ml_collections import config_flags

from patchlab import finetune, timing

FLAGS = flags.FLAGS
_WORKDIR = flags.DEFINE_string("workdir", None, "Where metrics and checkpoints go.")
config_flags.DEFINE_config_file("config", None, "Settings.", lock_config=True)
flags.mark_flags_as_required(["config", "workdir"])


def main(argv):
    if len(argv) > 1:
        raise app.UsageError("no positional arguments")
    logging.info("process %d of %d", jax.process_index(), jax.process_count())
    if FLAGS.config.trainer == "train":
        finetune.train_and_evaluate(FLAGS.config, _WORKDIR.value)
    elif FLAGS.config.trainer == "timing":
        timing.run(FLAGS.config)
    else:
        raise app.UsageError(f"no trainer {FLAGS.config.trainer}")


if __name__ == "__main__":
    jax.config.config_with_absl()
    app.run(main)
