"""Reference vectors for the golden tests, by an implementation that shares nothing with the daemon: numpy on the safetensors.

usage: reference.py MODEL_DIR OUT.json [TEXT ...]

Writes {"model": sha256 of model.safetensors, "cases": [{"kind", "text", "ids", "vector"}]}. Without texts the sentences
below are used; they cover one character, digits, full-width forms, ASCII, a text beyond the position table, and one
whose characters are all unknown to the vocabulary.
"""

import hashlib
import json
import math
import sys

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

SENTENCES = [
    ("query", "把灯弄亮些"),
    ("query", "太闷了"),
    ("query", "冷"),
    ("query", "空调２６度，风大一点！"),
    ("query", "play some music 🎵"),
    ("query", "🦊🦊🦊"),
    ("query", ""),
    ("passage", "调亮度"),
    ("passage", "关闭窗帘"),
    ("passage", "设置温度 16-30 °C"),
    ("passage", "打开客厅的灯然后把窗帘关上" * 12),
]


class Encoder:
    """A BERT with mean pooling over all tokens and unit length, one text at a time, in float64."""

    def __init__(self, folder):
        self.config = json.load(open(f"{folder}/config.json", encoding="utf8"))
        self.weights = {k: v.astype(np.float64) for k, v in load_file(f"{folder}/model.safetensors").items()}
        self.tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
        self.positions = len(self.weights["embeddings.position_embeddings.weight"])

    def ids(self, kind, text):
        ids = self.tokenizer.encode(f"{kind}: {text}").ids
        return ids if len(ids) <= self.positions else ids[: self.positions - 1] + ids[-1:]

    def linear(self, name, x):
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, name, x):
        mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        x = (x - mean) / np.sqrt(variance + self.config["layer_norm_eps"])
        return x * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def attention(self, layer, x):
        heads = self.config["num_attention_heads"]
        query, key, value = (
            self.linear(f"{layer}.attention.self.{part}", x).reshape(len(x), heads, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = scores / scores.sum(-1, keepdims=True) @ value
        return self.linear(f"{layer}.attention.output.dense", mixed.transpose(1, 0, 2).reshape(len(x), -1))

    def vector(self, ids):
        table = lambda name: self.weights[f"embeddings.{name}_embeddings.weight"]
        x = table("word")[ids] + table("position")[: len(ids)] + table("token_type")[0]
        x = self.norm("embeddings.LayerNorm", x)
        for number in range(self.config["num_hidden_layers"]):
            layer = f"encoder.layer.{number}"
            x = self.norm(f"{layer}.attention.output.LayerNorm", x + self.attention(layer, x))
            inner = self.linear(f"{layer}.intermediate.dense", x)
            inner = inner * 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
            x = self.norm(f"{layer}.output.LayerNorm", x + self.linear(f"{layer}.output.dense", inner))
        pooled = x.mean(0)
        return pooled / np.linalg.norm(pooled)

    def encode(self, kind, text):
        return self.vector(self.ids(kind, text))


def main():
    folder, out, *texts = sys.argv[1:]
    encoder = Encoder(folder)
    cases = []
    for kind, text in [("query", text) for text in texts] or SENTENCES:
        ids = encoder.ids(kind, text)
        vector = [round(float(x), 7) for x in encoder.vector(ids)]
        cases.append({"kind": kind, "text": text, "ids": ids, "vector": vector})
    checksum = hashlib.sha256(open(f"{folder}/model.safetensors", "rb").read()).hexdigest()
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    with open(out, "w", encoding="utf8") as file:
        file.write(f'{{"model": "{checksum}", "cases": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
