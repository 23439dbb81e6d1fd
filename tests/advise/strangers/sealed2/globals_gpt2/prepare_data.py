# SPDX-License-Identifier: GPL-3.0-or-later
import os

import numpy as np
import tiktoken
from datasets import load_dataset

name = 'tinystories'
encoder = tiktoken.get_encoding('gpt2')
data = load_dataset('roneneldan/TinyStories')
os.makedirs(f'data/{name}', exist_ok=True)
for split, source in (('train', 'train'), ('val', 'validation')):
    ids = [i for row in data[source] for i in encoder.encode_ordinary(row['text']) + [50256]]
    np.array(ids, dtype=np.uint16).tofile(f'data/{name}/{split}.bin')
