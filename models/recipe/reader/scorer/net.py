"""The scorer: pieces of words and what is known of each word, through an encoder, to three scores a word, and the chain over them.

Scores of a word: that it tells, that a comment begins before it, that one ends there (`src/reader/scorer.rs`, `src/reader/chain.rs`).
"""

import json
import math
import random
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

CLASSES = (
    "verb set step direction make little property kind sort value side reason finished or most general number unit measure place"
    " no_room inside all of things reference also except and then correction if compare question is already polite not negation"
    " past report time person particle disposal filler state pause device group scene ? @"
).split(" ")
CLASSES[CLASSES.index("no_room")] = "no room"
OF = {name: at for at, name in enumerate(CLASSES)}
OWNED = OF["@"]
START, PADDING, END, UNKNOWN = range(4)
LONGEST = 64
# Parts of a layer, and Hugging Face's names of them.
PARTS = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "mixed": "attention.output.dense",
    "mixed_norm": "attention.output.LayerNorm",
    "inner": "intermediate.dense",
    "output": "output.dense",
    "output_norm": "output.LayerNorm",
}


class Longest:
    """Cuts words into the longest pieces of a vocabulary (`pieces.json`), as the daemon does."""

    def __init__(self, path):
        with open(path, encoding="utf8") as file:
            vocabulary = json.load(file)
        self.pieces = vocabulary["pieces"]
        self.rows = [START, PADDING, END, UNKNOWN] + vocabulary["rows"]
        self.ids = {piece: at + 4 for at, piece in enumerate(self.pieces)}
        self.most = max(map(len, self.pieces))
        self.known = {}

    def __call__(self, text):
        if text not in self.known:
            ids, at = [], 0
            while at < len(text):
                sizes = range(min(self.most, len(text) - at), 0, -1)
                size = next((n for n in sizes if text[at : at + n] in self.ids), None)
                ids.append(self.ids[text[at : at + size]] if size else UNKNOWN)
                at += size or 1
            self.known[text] = ids
        return self.known[text]


class Unigram:
    """The teacher's own pieces."""

    def __init__(self, path):
        from tokenizers import Tokenizer

        self.tokenizer = Tokenizer.from_file(path)
        self.space = self.tokenizer.token_to_id("▁")
        self.known = {}

    def __call__(self, text):
        if text not in self.known:
            ids = self.tokenizer.encode(text, add_special_tokens=False).ids
            self.known[text] = (ids[1:] if ids[:1] == [self.space] and len(ids) > 1 else ids) or [UNKNOWN]
        return self.known[text]


class Layer(nn.Module):
    def __init__(self, hidden, heads, inner):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.mixed = (nn.Linear(hidden, hidden) for _ in range(4))
        self.mixed_norm, self.output_norm = (nn.LayerNorm(hidden, eps=1e-12) for _ in range(2))
        self.inner, self.output = nn.Linear(hidden, inner), nn.Linear(inner, hidden)
        self.drop = nn.Dropout(0.1)

    def forward(self, states, bias):
        batch, length, hidden = states.shape
        split = lambda all: all.view(batch, length, self.heads, hidden // self.heads).transpose(1, 2)
        query, key, value = split(self.query(states)), split(self.key(states)), split(self.value(states))
        seen = F.scaled_dot_product_attention(query, key, value, attn_mask=bias)
        states = self.mixed_norm(states + self.drop(self.mixed(seen.transpose(1, 2).reshape(batch, length, hidden))))
        return self.output_norm(states + self.drop(self.output(F.gelu(self.inner(states)))))


class Net(nn.Module):
    def __init__(self, pieces, hidden, layers, inner):
        super().__init__()
        self.table = nn.Embedding(pieces, hidden)
        self.positions = nn.Embedding(LONGEST, hidden)
        self.classes = nn.Linear(len(CLASSES), hidden)
        self.norm = nn.LayerNorm(hidden, eps=1e-12)
        self.layers = nn.ModuleList(Layer(hidden, hidden // 32, inner) for _ in range(layers))
        self.out = nn.Linear(2 * hidden, 3)
        self.drop = nn.Dropout(0.1)
        for linear in (self.classes, self.out):
            nn.init.normal_(linear.weight, std=0.02)
            nn.init.zeros_(linear.bias)

    def forward(self, ids, is_piece, of_word, classes):
        """Shapes: (batch, pieces) thrice, `of_word` -1 for the marks; (batch, words, classes). To (batch, words, 3)."""
        length, words = ids.shape[1], classes.shape[1]
        known = self.classes(classes)
        at = of_word.clamp(min=0)
        inside = (of_word >= 0)[..., None]
        known = torch.gather(known, 1, at[..., None].expand(-1, -1, known.shape[-1])) * inside
        states = self.drop(self.norm(self.table(ids) + self.positions.weight[:length] + known))
        bias = ((~is_piece).to(states.dtype) * -1e4)[:, None, None, :]
        for layer in self.layers:
            states = layer(states, bias)
        belongs = F.one_hot(at, words).to(states.dtype) * inside
        of_words = torch.einsum("blw,blh->bwh", belongs, states) / belongs.sum(1).clamp(min=1)[..., None]
        before = torch.cat([torch.zeros_like(of_words[:, :1]), of_words[:, :-1]], 1)
        return self.out(torch.cat([of_words, before], -1)).float()

    def begin_as(self, bert):
        """Takes over what an encoder has learned elsewhere: tensors by Hugging Face's names."""
        take = lambda name: torch.tensor(np.asarray(bert[name], np.float32))
        with torch.no_grad():
            self.table.weight.copy_(take("embeddings.word_embeddings.weight"))
            places = take("embeddings.position_embeddings.weight") + take("embeddings.token_type_embeddings.weight")[0]
            self.positions.weight[: len(places)] = places[:LONGEST]
            self.norm.weight.copy_(take("embeddings.LayerNorm.weight"))
            self.norm.bias.copy_(take("embeddings.LayerNorm.bias"))
            for number, layer in enumerate(self.layers):
                for own, name in PARTS.items():
                    for kind in ("weight", "bias"):
                        getattr(getattr(layer, own), kind).copy_(take(f"encoder.layer.{number}.{name}.{kind}"))


def stored(name):
    """The name of a tensor in the file."""
    head, *rest = name.split(".")
    return f"encoder.layer.{rest[0]}.{PARTS[rest[1]]}.{rest[2]}" if head == "layers" else name


def unlikely(scores, tells, is_word):
    """How unlikely the readings are (negative logarithm), and the logarithm of the sum over all: the chain of two states."""
    word, opens, closes = scores.unbind(-1)
    tells = tells.float()
    zero = torch.zeros(len(scores), device=scores.device)
    ahead = torch.stack([zero, word[:, 0]], -1)
    score = word[:, 0] * tells[:, 0]
    for at in range(1, scores.shape[1]):
        here, before = tells[:, at], tells[:, at - 1]
        comments = torch.logaddexp(ahead[:, 0], ahead[:, 1] + opens[:, at])
        tell = torch.logaddexp(ahead[:, 0] + closes[:, at], ahead[:, 1]) + word[:, at]
        ahead = torch.where(is_word[:, at, None], torch.stack([comments, tell], -1), ahead)
        step = word[:, at] * here + opens[:, at] * before * (1 - here) + closes[:, at] * (1 - before) * here
        score = score + torch.where(is_word[:, at], step, zero)
    total = torch.logsumexp(ahead, -1)
    return total - score, total


def best(scores):
    """The likeliest reading of one sentence, and its score."""
    state, back = [0.0, float(scores[0, 0])], []
    for word, opens, closes in scores[1:].tolist():
        from_told = [state[1] + opens > state[0], state[1] > state[0] + closes]
        state = [max(state[0], state[1] + opens), max(state[0] + closes, state[1]) + word]
        back.append(from_told)
    told = state[1] > state[0]
    reading = [int(told)]
    for from_told in reversed(back):
        reading.append(int(from_told[reading[-1]]))
    return reading[::-1], max(state)


def prepared(cut, rows):
    """Rows of `see_reader` as arrays: (pieces, word of each, classes, tells, weight, number of the row)."""
    out = []
    for number, row in enumerate(rows):
        ids, of_word = [START], [-1]
        classes = np.zeros((len(row["words"]), len(CLASSES)), np.float32)
        for word, (text, names) in enumerate(row["words"]):
            pieces = cut(text) or [UNKNOWN]
            ids += pieces
            of_word += [word] * len(pieces)
            classes[word, [OF[name] for name in names]] = 1
        if 0 < len(classes) and len(ids) < LONGEST:
            out.append((ids + [END], of_word + [-1], classes, row["tells"], row.get("weight", 1.0), number))
    return out


def batch_of(rows, device, hide=None):
    """Tensors of some rows. `hide`, a generator, hides names of the home and now and then a word or what is known of it."""
    length, words = max(len(row[0]) for row in rows), max(len(row[2]) for row in rows)
    ids = np.full((len(rows), length), PADDING)
    of_word = np.full((len(rows), length), -1)
    classes = np.zeros((len(rows), words, len(CLASSES)), np.float32)
    tells = np.zeros((len(rows), words), np.int64)
    is_word = np.zeros((len(rows), words), bool)
    for at, (pieces, belongs, known, told, _, _) in enumerate(rows):
        pieces, belongs, known = np.array(pieces), np.array(belongs), known
        if hide is not None:
            chance = np.where(known[:, OWNED] > 0, 0.5, 0.05)
            hidden = np.flatnonzero(hide.random(len(known)) < chance)
            pieces[np.isin(belongs, hidden)] = UNKNOWN
            known = known * (hide.random(len(known)) >= 0.05)[:, None]
        ids[at, : len(pieces)], of_word[at, : len(pieces)] = pieces, belongs
        classes[at, : len(known)], is_word[at, : len(known)] = known, True
        if told:
            tells[at, : len(told)] = told
    weight = np.array([row[4] for row in rows], np.float32)
    tensors = (torch.from_numpy(a).to(device) for a in (ids, ids != PADDING, of_word, classes, tells, is_word, weight))
    return tuple(tensors)


def scores_of(net, rows, device, size=256):
    """(scores, logarithm of the sum over all readings) of each row, by its number."""
    net.eval()
    found, order = {}, sorted(rows, key=lambda row: len(row[0]))
    with torch.no_grad():
        for start in range(0, len(order), size):
            some = order[start : start + size]
            ids, is_piece, of_word, classes, tells, is_word, _ = batch_of(some, device)
            with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                scores = net(ids, is_piece, of_word, classes)
            _, total = unlikely(scores, tells, is_word)
            for row, own, sum_of_all in zip(some, scores.cpu().numpy(), total.tolist()):
                found[row[5]] = (own[: len(row[2])], sum_of_all)
    return found


def learn(net, rows, device, epochs, rate, size, seconds=math.inf, seed=1):
    """Trains in place. The rate falls to nothing over the epochs or the seconds, whichever end first."""
    net.to(device).train()
    hide, order = np.random.default_rng(seed), random.Random(seed)
    matrices = [p for p in net.parameters() if p.dim() > 1]
    others = [p for p in net.parameters() if p.dim() <= 1]
    groups = [{"params": matrices, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98))
    steps, step, started = epochs * math.ceil(len(rows) / size), 0, time.time()
    for epoch in range(epochs):
        rows = order.sample(rows, len(rows))
        # Sentences of a batch are about as long as each other.
        chunks = [sorted(rows[at : at + 50 * size], key=lambda row: len(row[0])) for at in range(0, len(rows), 50 * size)]
        batches = [chunk[at : at + size] for chunk in chunks for at in range(0, len(chunk), size)]
        order.shuffle(batches)
        loss_of_all = 0.0
        for some in batches:
            done = max(step / steps, (time.time() - started) / seconds)
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1, step / (0.06 * steps)) * max(0.02, 1 - done)
            ids, is_piece, of_word, classes, tells, is_word, weight = batch_of(some, device, hide)
            with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                scores = net(ids, is_piece, of_word, classes)
            loss = (unlikely(scores, tells, is_word)[0] * weight).sum() / weight.sum()
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            step += 1
            loss_of_all += float(loss.detach())
            if time.time() - started > seconds:
                break
        print(f"epoch {epoch}: loss {loss_of_all / len(batches):.4f}, {time.time() - started:.0f} s", flush=True)
        if time.time() - started > seconds:
            break
    return net
