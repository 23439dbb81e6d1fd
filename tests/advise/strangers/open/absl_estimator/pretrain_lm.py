# SPDX-License-Identifier: GPL-3.0-or-later
"""Masked-word pre-training of a text encoder with an estimator."""
import glob

import tensorflow as tf

import encoder
import train_ops
from hooks import ThroughputHook

flags = tf.flags
FLAGS = flags.FLAGS

flags.DEFINE_string("model_config_file", None, "JSON file that gives the size of the encoder.")
flags.DEFINE_string("input_file", None, "TFRecord files, a glob or a list with commas.")
flags.DEFINE_string("output_dir", None, "Where checkpoints go.")
flags.DEFINE_string("init_checkpoint", None, "Start from this checkpoint.")
flags.DEFINE_integer("max_seq_length", 128,
                     "Longest input in word pieces; must agree with the records.")
flags.DEFINE_integer("max_predictions_per_seq", 20, "Masked positions per input.")
flags.DEFINE_bool("do_train", False, "Train.")
flags.DEFINE_bool("do_eval", False, "Evaluate.")
flags.DEFINE_integer("train_batch_size", 32, "Batch size for training.")
flags.DEFINE_integer("eval_batch_size", 8, "Batch size for evaluation.")
flags.DEFINE_float("learning_rate", 5e-5, "Peak learning rate.")
flags.DEFINE_integer("num_train_steps", 100000, "Updates.")
flags.DEFINE_integer("num_warmup_steps", 10000, "Updates of warm-up.")
flags.DEFINE_integer("save_checkpoints_steps", 1000, "Updates between checkpoints.")
flags.DEFINE_integer("max_eval_steps", 100, "Batches of an evaluation.")
flags.DEFINE_bool("horovod", False, "One process per GPU with Horovod.")
flags.DEFINE_bool("use_fp16", False, "Compute in half precision.")
flags.DEFINE_bool("use_xla", False, "Compile with XLA.")


def model_fn_builder(config, hvd):
    def model_fn(features, labels, mode, params):
        del labels, params
        training = mode == tf.estimator.ModeKeys.TRAIN
        net = encoder.BertEncoder(
            config, training, features["input_ids"], features["input_mask"],
            tf.float16 if FLAGS.use_fp16 else tf.float32)
        loss = encoder.masked_word_loss(config, net, features)
        if training:
            op = train_ops.create_train_op(loss, FLAGS.learning_rate, FLAGS.num_train_steps,
                                           FLAGS.num_warmup_steps, hvd, FLAGS.use_fp16)
            return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=op)
        return tf.estimator.EstimatorSpec(mode, loss=loss)

    return model_fn


def input_fn_builder(files, batch_size, training, hvd=None):
    def input_fn():
        names = {"input_ids": tf.FixedLenFeature([FLAGS.max_seq_length], tf.int64),
                 "input_mask": tf.FixedLenFeature([FLAGS.max_seq_length], tf.int64)}
        data = tf.data.TFRecordDataset(files)
        if training:
            if hvd is not None:
                data = data.shard(hvd.size(), hvd.rank())
            data = data.repeat().shuffle(buffer_size=100)
        return data.map(lambda r: tf.parse_single_example(r, names)).batch(batch_size, True)

    return input_fn


def main(_):
    hvd = None
    if FLAGS.horovod:
        import horovod.tensorflow as hvd
        hvd.init()
    config = encoder.EncoderConfig.from_json(FLAGS.model_config_file)
    session = tf.ConfigProto()
    if hvd is not None:
        session.gpu_options.visible_device_list = str(hvd.local_rank())
    run = tf.estimator.RunConfig(
        model_dir=FLAGS.output_dir, session_config=session,
        save_checkpoints_steps=FLAGS.save_checkpoints_steps)
    estimator = tf.estimator.Estimator(model_fn_builder(config, hvd), config=run)
    files = glob.glob(FLAGS.input_file)
    if FLAGS.do_train:
        workers = hvd.size() if hvd is not None else 1
        hooks = [ThroughputHook(FLAGS.train_batch_size * workers)]
        if hvd is not None:
            hooks.append(hvd.BroadcastGlobalVariablesHook(0))
        estimator.train(input_fn_builder(files, FLAGS.train_batch_size, True, hvd),
                        hooks=hooks, max_steps=FLAGS.num_train_steps)
    if FLAGS.do_eval and (hvd is None or hvd.rank() == 0):
        estimator.evaluate(input_fn_builder(files, FLAGS.eval_batch_size, False),
                           steps=FLAGS.max_eval_steps)


if __name__ == "__main__":
    flags.mark_flag_as_required("input_file")
    tf.app.run()
