# SPDX-License-Identifier: GPL-3.0-or-later
import csv
import sys

import faiss

from load_data import BiEncoder, load_answers, load_topics

answers = load_answers(sys.argv[1])
topics = load_topics(sys.argv[3])
encoder = BiEncoder()
vectors = encoder.encode(list(answers.values())).cpu().numpy()
index = faiss.IndexFlatIP(vectors.shape[1])
index.add(vectors)
ids = list(answers)
with open("result_bi.tsv", "w", newline="") as f:
    out = csv.writer(f, delimiter="\t")
    for topic, text in topics.items():
        scores, places = index.search(encoder.encode([text]).cpu().numpy(), 100)
        for rank, (score, place) in enumerate(zip(scores[0], places[0]), 1):
            out.writerow([topic, "Q0", ids[place], rank, score, "bi"])
