# SPDX-License-Identifier: GPL-3.0-or-later
import jax
import optax
from flax.training import train_state

import input_pipeline
import models


def create_model(*, model_cls, half_precision, **kwargs):
    return model_cls(num_classes=1000, **kwargs)


def create_train_state(rng, config, model, learning_rate_fn):
    tx = optax.sgd(learning_rate=learning_rate_fn, momentum=config.momentum, nesterov=True)
    return train_state.TrainState.create(apply_fn=model.apply, params=None, tx=tx)


def train_and_evaluate(config, workdir):
    rng = jax.random.key(0)
    train_iter = input_pipeline.create_split(config.dataset, config.batch_size, train=True)
    eval_iter = input_pipeline.create_split(config.dataset, config.batch_size, train=False)
    steps_per_epoch = 1281167 // config.batch_size
    num_steps = int(steps_per_epoch * config.num_epochs)
    model_cls = getattr(models, config.model)
    model = create_model(model_cls=model_cls, half_precision=config.half_precision)
    fn = optax.cosine_decay_schedule(init_value=config.learning_rate, decay_steps=num_steps)
    state = create_train_state(rng, config, model, fn)
    for step, batch in zip(range(num_steps), train_iter):
        state = jax.pmap(lambda s, b: s)(state, batch)
    return state
