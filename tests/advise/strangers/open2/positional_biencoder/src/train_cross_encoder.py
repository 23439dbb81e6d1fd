# SPDX-License-Identifier: GPL-3.0-or-later
import json
import math
import sys

from sentence_transformers import CrossEncoder, InputExample
from sentence_transformers.cross_encoder.evaluation import CERerankingEvaluator
from torch.utils.data import DataLoader


def tune(train_file, val_file, target, num_epochs=10):
    with open(train_file, encoding="utf-8") as f:
        pairs = [InputExample(texts=[row["query"], row["doc"]], label=float(row["score"]))
                 for row in json.load(f)]
    groups = {}
    with open(val_file, encoding="utf-8") as f:
        for row in json.load(f):
            group = groups.setdefault(row["query_id"],
                                      {"query": row["query"], "positive": [], "negative": []})
            group["positive" if row["score"] >= 1 else "negative"].append(row["doc"])

    model = CrossEncoder("cross-encoder/ms-marco-MiniLM-L-6-v2")
    loader = DataLoader(pairs, shuffle=True, batch_size=32)
    model.fit(train_dataloader=loader, evaluator=CERerankingEvaluator(groups, name="check"),
              epochs=num_epochs, warmup_steps=math.ceil(len(loader) * num_epochs * 0.1),
              output_path=target)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        print("Usage: python train_cross_encoder.py TRAIN VAL TARGET")
        sys.exit(1)
    tune(*sys.argv[1:4])
