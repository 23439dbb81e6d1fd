# SPDX-License-Identifier: GPL-3.0-or-later
import flax.jax_utils as flax_utils
import jax
import jax.numpy as jnp
import optax

from patchlab import input_pipeline, nets, schedule


def make_update_fn(apply_fn, accum_steps, tx):
    def update(params, opt_state, batch, rng):
        def loss_fn(p, images, labels):
            logits = apply_fn({"params": p}, images, train=True, rngs={"dropout": rng})
            return -jnp.mean(jnp.sum(labels * jax.nn.log_softmax(logits), axis=-1))

        loss, grads = schedule.accumulate(loss_fn, params, batch, accum_steps)
        grads = jax.lax.pmean(grads, axis_name="batch")
        updates, opt_state = tx.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    return jax.pmap(update, axis_name="batch", donate_argnums=(0,))


def train_and_evaluate(config, workdir):
    ds = input_pipeline.get_data(config, batch_size=config.batch, mode="train")
    ds_test = input_pipeline.get_data(config, batch_size=config.batch_eval, mode="test")
    model = nets.make(config.model)
    lr_fn = schedule.learning_rate(config.total_steps, config.base_lr, config.decay_type,
                                   config.warmup_steps)
    tx = optax.chain(
        optax.clip_by_global_norm(config.grad_norm_clip),
        optax.sgd(learning_rate=lr_fn, momentum=0.9, accumulator_dtype=config.optim_dtype))
    params = model.init(jax.random.PRNGKey(0), jnp.ones([1, 384, 384, 3]))["params"]
    opt_state = flax_utils.replicate(tx.init(params))
    params = flax_utils.replicate(params)
    update = make_update_fn(model.apply, config.accum_steps, tx)
    for step, batch in zip(range(1, config.total_steps + 1), ds):
        params, opt_state, loss = update(params, opt_state, batch, jax.random.PRNGKey(step))
        if step % config.eval_every == 0:
            nets.evaluate(model, params, ds_test)
