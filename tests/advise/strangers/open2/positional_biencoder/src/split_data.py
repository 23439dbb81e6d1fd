# SPDX-License-Identifier: GPL-3.0-or-later
import json
import random
import sys

from load_data import load_answers, load_topics, parse_qrel

topics, qrel, answers = load_topics(sys.argv[1]), parse_qrel(sys.argv[2]), load_answers(sys.argv[3])
names = list(qrel)
random.shuffle(names)
cut = int(0.9 * len(names))
for path, part in (("data/train_data.json", names[:cut]), ("data/val_data.json", names[cut:])):
    rows = [{"query_id": q, "query": topics[q], "doc": answers[d], "score": s}
            for q in part for d, s in qrel[q].items() if d in answers]
    with open(path, "w") as f:
        json.dump(rows, f)
