# SPDX-License-Identifier: GPL-3.0-or-later
import json
import sys

import torch
from sentence_transformers import InputExample, SentenceTransformer
from torch.utils.data import DataLoader
from tqdm import tqdm

from load_data import clean_text


def tune(train_file, val_file, target):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    with open(train_file) as f:
        rows = json.load(f)
    with open(val_file) as f:
        held_out = json.load(f)
    print(len(rows), "pairs to learn from,", len(held_out), "to check with")

    pairs = [InputExample(texts=[clean_text(row["query"]), clean_text(row["doc"])],
                          label=float(row["score"]))
             for row in rows]

    # a sentence model that already knows about similarity
    model = SentenceTransformer("distilbert-base-nli-stsb-mean-tokens").to(device)
    loader = DataLoader(pairs, shuffle=True, batch_size=16, collate_fn=model.smart_batching_collate)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)

    model.train()
    for epoch in range(6):  # number of epochs
        total = 0.0
        for features, labels in tqdm(loader, desc=f"Epoch {epoch + 1}"):
            left, right = (model({k: v.to(device) for k, v in side.items()})["sentence_embedding"]
                           for side in features)
            scores = torch.nn.functional.cosine_similarity(left, right)
            loss = torch.nn.functional.mse_loss(scores, labels.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"Epoch {epoch + 1} - Loss: {total / len(loader)}")

    model.save(target)


if __name__ == "__main__":
    tune(sys.argv[1], sys.argv[2], sys.argv[3])
