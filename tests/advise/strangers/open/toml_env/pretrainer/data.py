# SPDX-License-Identifier: GPL-3.0-or-later
from datasets import load_dataset

KNOWN = {
    "c4": lambda: load_dataset("allenai/c4", name="en", split="train", streaming=True),
    "c4_test": lambda: load_dataset("tests/assets/c4_test", split="train"),
}


def build_loader(name, batch_size, seq_len):
    rows = KNOWN[name]()
    yield from rows.iter(batch_size=batch_size)
