"""Scores of three sentences, to hold the daemon's forward pass to: `python golden.py TRAINER SCORER.safetensors ../../../../tests/golden/scorer.json`.

From the root of the project; `TRAINER` is `target/debug/examples/train_reader`.
"""

import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import torch
from safetensors.numpy import load_file

import net

HOME = "tests/homes/villa.json"
SENTENCES = [
    [["腰疼得直不起来", False], ["大灯开亮点儿", True]],
    [["把客厅窗帘拉上", True], ["对面楼里有人拿着望远镜", False]],
    [["老王家空调修了三回还是不凉", False]],
]


def main():
    trainer, file, out = sys.argv[1:4]
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf8") as lines:
        lines.writelines(json.dumps({"home": HOME, "choices": [pieces]}) + "\n" for pieces in SENTENCES)
        lines.flush()
        seen = subprocess.run([trainer, "--see", lines.name], check=True, capture_output=True, text=True).stdout
    cut = net.Longest(os.path.join(os.path.dirname(os.path.abspath(__file__)), "pieces.json"))
    tensors = load_file(file)
    layers = sum(name.endswith("intermediate.dense.bias") for name in tensors)
    inner, hidden = tensors["encoder.layer.0.intermediate.dense.weight"].shape
    scorer = net.Net(len(cut.rows), hidden, layers, inner)
    weights = {name: torch.tensor(tensors[net.stored(name)].astype(np.float32)) for name in scorer.state_dict()}
    scorer.load_state_dict(weights)
    rows = net.prepared(cut, [json.loads(line) for line in seen.splitlines()])
    scores = net.scores_of(scorer, rows, "cpu")
    cases = [
        {
            "pieces": ids,
            "words": of_word,
            "classes": [np.flatnonzero(word).tolist() for word in classes],
            "scores": [[round(float(score), 4) for score in word] for word in scores[number][0]],
        }
        for ids, of_word, classes, _, _, number in rows
    ]
    with open(out, "w", encoding="utf8") as golden:
        json.dump(cases, golden)


if __name__ == "__main__":
    main()
