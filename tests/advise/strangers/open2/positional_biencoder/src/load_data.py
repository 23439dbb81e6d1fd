# SPDX-License-Identifier: GPL-3.0-or-later
import json
import re

from bs4 import BeautifulSoup
from sentence_transformers import CrossEncoder, SentenceTransformer


def clean_text(text):
    if not text:
        return ""
    if "<" in text and ">" in text:
        text = BeautifulSoup(text, "lxml").get_text()
    text = re.sub(r"https?\S+|www\.\S+", "", text)
    return re.sub(r"[^a-zA-Z0-9\s]", "", text).lower()


def load_topics(path):
    with open(path, encoding="utf-8") as f:
        return {row["query_id"]: clean_text(row["query"]) for row in json.load(f)}


def load_answers(path):
    with open(path, encoding="utf-8") as f:
        return {row["doc_id"]: clean_text(row["doc"]) for row in json.load(f) if "doc" in row}


def parse_qrel(path):
    found = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            query, _, doc, relevance = line.split()
            found.setdefault(query, {})[doc] = int(relevance)
    return found


class BiEncoder:
    def __init__(self, name="all-mpnet-base-v2"):
        self.model = SentenceTransformer(name)

    def encode(self, texts, batch_size=64):
        return self.model.encode(texts, batch_size=batch_size, convert_to_tensor=True)


class Reranker:
    def __init__(self, name="cross-encoder/ms-marco-MiniLM-L-6-v2"):
        self.model = CrossEncoder(name)

    def order(self, query, docs):
        return self.model.predict([[query, doc] for doc in docs])
