# SPDX-License-Identifier: GPL-3.0-or-later
def create_hparams(text=None):
    """Defaults, perhaps overruled by text."""
    return dict(
        epochs=500,
        distributed_run=False,
        fp16_run=False,
        training_files='filelists/ljs_audio_text_train_filelist.txt',
        sampling_rate=22050,
        learning_rate=1e-3,
        batch_size=64,
    )
