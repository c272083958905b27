"""Makes the scorer: a teacher learns from marked sentences, reads many more that are put together from them, and a small student learns both.

    python train.py ZHIJU_TRAINER WORK TEACHER_DIR MINI_DIR OUT.safetensors

`ZHIJU_TRAINER` is `target/release/examples/train_reader`, `WORK` the folder that `../label.py` has filled, `TEACHER_DIR` multilingual-e5-small as
`../../e5` makes it (`model.safetensors`, `tokenizer.json`), `MINI_DIR` `models/mini-zh`, of which the student takes over the first layers. A GPU
is used where there is one. What was made before in `WORK` is not made again.
"""

import json
import math
import os
import subprocess
import sys

import numpy as np
import torch
from safetensors.numpy import load_file, save_file

import net
import put_together

HERE = os.path.dirname(os.path.abspath(__file__))
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
LAYERS, TOGETHER = 2, 165_000


def seen(trainer, path):
    """Rows of a file of marked sentences as the scorer sees them."""
    out = path.replace(".jsonl", ".seen.jsonl")
    if not os.path.exists(out):
        with open(out, "w", encoding="utf8") as file:
            subprocess.run([trainer, "--see", path], check=True, stdout=file)
    with open(out, encoding="utf8") as file:
        return [json.loads(line) for line in file]


def weighed(rows, told, talk):
    """The same, each with its weight."""
    return [row | {"weight": told if any(row["tells"]) else talk} for row in rows]


def main():
    trainer, work, teacher_dir, mini_dir, out = sys.argv[1:6]
    marked, said, together = put_together.write(work, TOGETHER)
    # The corpus calls a sentence told that the daemon understands, comments and all.
    gold = weighed(seen(trainer, marked), 1.5, 1.5) + weighed(seen(trainer, said), 0.4, 1.0)
    pool = seen(trainer, together)

    tokenizer = os.path.join(teacher_dir, "tokenizer.json")
    bert = load_file(os.path.join(teacher_dir, "model.safetensors"))
    table = bert["embeddings.word_embeddings.weight"]
    teacher = net.Net(len(table), 384, 12, 1536)
    teacher.begin_as(bert)
    cut = net.Unigram(tokenizer)
    net.learn(teacher, net.prepared(cut, gold), DEVICE, epochs=6, rate=2e-4, size=64)
    rows = net.prepared(cut, pool)
    scores = net.scores_of(teacher, rows, DEVICE)
    read = []
    for *_, number in rows:
        own, total = scores[number]
        tells, score = net.best(own)
        read.append(pool[number] | {"tells": tells, "weight": 0.1 + 0.9 * math.exp(min(0.0, score - total))})

    cut = net.Longest(os.path.join(HERE, "pieces.json"))
    bert = load_file(os.path.join(mini_dir, "model.safetensors"))
    bert["embeddings.word_embeddings.weight"] = bert["embeddings.word_embeddings.weight"][cut.rows]
    student = net.Net(len(cut.rows), 256, LAYERS, 1024)
    student.begin_as(bert)
    net.learn(student, net.prepared(cut, gold) * 2 + net.prepared(cut, read), DEVICE, epochs=3, rate=4e-4, size=128)
    save(student, cut, out)


def save(student, cut, out):
    """Writes the file: f16, names of the encoder's tensors as Hugging Face has them, pieces and classes one a line."""
    weights = student.state_dict().items()
    tensors = {net.stored(name): tensor.detach().cpu().numpy().astype(np.float16) for name, tensor in weights}
    for name, lines in (("names.pieces", cut.pieces), ("names.classes", net.CLASSES)):
        tensors[name] = np.frombuffer("\n".join(lines).encode(), np.uint8)
    save_file(tensors, out)


if __name__ == "__main__":
    main()
