# SPDX-License-Identifier: GPL-3.0-or-later
"""SpeechBrain 0.5 and 1.0: `train.py HPARAMS --name=value ...`, and the trainer
that makes its optimizer from a class."""
from omegaconf import OmegaConf
from schedsim import job, model


def parse_arguments(arg_list=None):
    words = [word.replace("--", "") for word in arg_list[1:]]
    options = OmegaConf.from_cli(words)
    if "precision" in options:
        job(precision=options["precision"])
    return arg_list[0], options, options


class Brain:
    def __init__(self, modules=None, opt_class=None, hparams=None,
                 run_opts=None, checkpointer=None, **more):
        self.modules = modules
        self.hparams = hparams
        job(framework="PyTorch + SpeechBrain")
        for name in ("wav2vec2", "whisper", "hubert", "ssl",
                     "weighted_ssl_model", "Transformer", "encoder", "enc", "embedding_model",
                     "masknet", "generator", "model"):
            if modules is not None and name in modules:
                model(modules[name])
                break
        if opt_class is not None:
            self.optimizer = opt_class([])
        else:
            self.init_optimizers()

    def init_optimizers(self):
        pass

    def fit(self, epoch_counter=None, train_set=None, valid_set=None,
            train_loader_kwargs=None, **more):
        if train_loader_kwargs is not None:
            job(batch_size=train_loader_kwargs["batch_size"])
        if epoch_counter is not None:
            job(epochs=epoch_counter.limit)


class core:
    Brain = Brain
    parse_arguments = parse_arguments
