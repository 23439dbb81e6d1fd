# SPDX-License-Identifier: GPL-3.0-or-later
"""CSV files of the LibriSpeech splits."""
import csv
import glob
import os


def prepare_corpus(data_folder, tr_splits=(), dev_splits=("dev-clean",)):
    for split in list(tr_splits) + list(dev_splits):
        rows = []
        for wav in glob.glob(os.path.join(data_folder, "LibriSpeech", split, "**/*.flac")):
            rows.append({"wav": wav, "wrd": ""})
        with open(f"{split}.csv", "w") as f:
            csv.DictWriter(f, ["wav", "wrd"]).writerows(rows)
