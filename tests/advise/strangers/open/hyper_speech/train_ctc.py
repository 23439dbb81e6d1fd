# SPDX-License-Identifier: GPL-3.0-or-later
"""Letters from speech: a self-supervised encoder, a small net on top, and CTC."""
import sys

import torch
import speechbrain as sb
from hyperpyyaml import load_hyperpyyaml
from speechbrain.utils.distributed import if_main_process, run_on_main


class Recogniser(sb.Brain):
    def compute_forward(self, batch, stage):
        wavs, lens = batch.to(self.device).sig
        if stage == sb.Stage.TRAIN and hasattr(self.hparams, "wav_augment"):
            wavs, lens = self.hparams.wav_augment(wavs, lens)
        feats = self.modules.ssl(wavs, lens)
        return self.hparams.log_softmax(self.modules.ctc_lin(self.modules.enc(feats))), lens

    def compute_objectives(self, predictions, batch, stage):
        p, lens = predictions
        tokens, token_lens = batch.tokens
        return self.hparams.ctc_cost(p, tokens, lens, token_lens)

    def init_optimizers(self):
        self.ssl_opt = self.hparams.ssl_opt_class(self.modules.ssl.parameters())
        self.head_opt = self.hparams.head_opt_class(self.hparams.head.parameters())
        self.optimizers_dict = {"ssl": self.ssl_opt, "head": self.head_opt}

    def on_stage_end(self, stage, loss, epoch):
        if stage == sb.Stage.VALID:
            self.hparams.schedule_head(loss)


def dataio_prepare(hparams):
    train = sb.dataio.dataset.DynamicItemDataset.from_csv(hparams["train_csv"])
    train = train.filtered_sorted(sort_key="duration")
    valid = sb.dataio.dataset.DynamicItemDataset.from_csv(hparams["valid_csv"])
    return train, valid


if __name__ == "__main__":
    hparams_file, run_opts, overrides = sb.parse_arguments(sys.argv[1:])
    sb.utils.distributed.ddp_init_group(run_opts)
    with open(hparams_file) as fin:
        hparams = load_hyperpyyaml(fin, overrides)
    from prepare import prepare_corpus
    run_on_main(prepare_corpus, kwargs={"data_folder": hparams["data_folder"],
                                        "tr_splits": hparams["train_splits"]})
    train, valid = dataio_prepare(hparams)
    brain = Recogniser(modules=hparams["modules"], hparams=hparams, run_opts=run_opts)
    brain.fit(hparams["epoch_counter"], train, valid,
              train_loader_kwargs=hparams["train_dataloader_opts"],
              valid_loader_kwargs=hparams["valid_dataloader_opts"])
