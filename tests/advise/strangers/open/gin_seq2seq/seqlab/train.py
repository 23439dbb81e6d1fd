# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains a text-to-text model that gin bindings describe."""
import os

import gin
import jax
from absl import app, flags

from seqlab import data, models, partition, trainer

_GIN_FILE = flags.DEFINE_multi_string("gin_file", None, "Files of bindings.")
_GIN_BINDINGS = flags.DEFINE_multi_string("gin_bindings", [], "Bindings, after the files.")
_SEARCH = flags.DEFINE_list("gin_search_paths", ["."], "Where includes are looked for.")


@gin.configurable
def train(*, model: models.BaseModel, model_dir: str, train_dataset_cfg: data.DatasetConfig,
          train_eval_dataset_cfg=None, infer_eval_dataset_cfg=None,
          partitioner: partition.PjitPartitioner, trainer_cls=trainer.Trainer,
          total_steps: int, eval_steps: int = 20, eval_period: int = 1000, random_seed=None):
    batches = data.get_dataset(train_dataset_cfg)
    worker = trainer_cls(model=model, partitioner=partitioner, rng=jax.random.PRNGKey(0))
    step = 0
    while step < total_steps:
        metrics = worker.train(batches, num_steps=eval_period)
        step += eval_period
        if jax.process_index() == 0:
            print(step, metrics)
    worker.save(os.path.join(model_dir, f"checkpoint_{step}"))


def main(argv):
    # Everything that looks like --gin.NAME=VALUE is a binding.
    rest = [a[len("--gin."):] for a in argv if a.startswith("--gin.")]
    for path in _SEARCH.value:
        gin.add_config_file_search_path(path)
    gin.parse_config_files_and_bindings(_GIN_FILE.value, _GIN_BINDINGS.value + rest)
    train()


if __name__ == "__main__":
    app.run(main, flags_parser=lambda a: flags.FLAGS(a, known_only=True))
