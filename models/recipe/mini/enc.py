"""BERT-shaped encoder forward in JAX (HF names), mean pooling, L2. Shared by teacher.py and train.py."""

import numpy as np, jax, jax.numpy as jnp, json
from safetensors.numpy import load_file
from tokenizers import Tokenizer

PAD = 1


def ln(x, w, b):
    m = x.mean(-1, keepdims=True)
    v = ((x - m) ** 2).mean(-1, keepdims=True)
    return (x - m) * jax.lax.rsqrt(v + 1e-12) * w + b


def fwd(M, ids, mk, NL, NH, word=None):
    B, L = ids.shape
    W = M["embeddings.word_embeddings.weight"] if word is None else word
    H = W.shape[1]
    hd = M["encoder.layer.0.attention.self.query.weight"].shape[0] // NH
    x = W[ids] + M["embeddings.token_type_embeddings.weight"][0] + M["embeddings.position_embeddings.weight"][:L]
    x = ln(x, M["embeddings.LayerNorm.weight"], M["embeddings.LayerNorm.bias"]).reshape(B * L, H)
    bias = (1 - mk)[:, None, None, :] * -1e9
    for l in range(NL):
        p = f"encoder.layer.{l}."
        F = lambda n, y: y @ M[p + n + ".weight"].T + M[p + n + ".bias"]
        q, k, v = [
            F("attention.self." + t, x).reshape(B, L, NH, hd).transpose(0, 2, 1, 3) for t in ("query", "key", "value")
        ]
        a = jax.nn.softmax(q @ k.transpose(0, 1, 3, 2) / np.sqrt(hd) + bias) @ v
        a = a.transpose(0, 2, 1, 3).reshape(B * L, NH * hd)
        x = ln(
            x + F("attention.output.dense", a),
            M[p + "attention.output.LayerNorm.weight"],
            M[p + "attention.output.LayerNorm.bias"],
        )
        x = ln(
            x + F("output.dense", jax.nn.gelu(F("intermediate.dense", x), approximate=False)),
            M[p + "output.LayerNorm.weight"],
            M[p + "output.LayerNorm.bias"],
        )
    x = x.reshape(B, L, H)
    h = (x * mk[..., None]).sum(1) / mk.sum(1, keepdims=True)
    return h / jnp.linalg.norm(h, axis=1, keepdims=True)


def load(d):
    c = json.load(open(d + "/config.json"))
    return {k: jnp.asarray(v.astype(np.float32)) for k, v in load_file(d + "/model.safetensors").items()}, c


def tokenizer(d):
    return Tokenizer.from_file(d + "/tokenizer.json")


def token_ids(tk, texts, prefix, maxlen=24):
    o = []
    for i in range(0, len(texts), 8192):
        for e in tk.encode_batch([prefix + t for t in texts[i : i + 8192]]):
            e = e.ids
            o.append(np.array(e if len(e) <= maxlen else e[: maxlen - 1] + e[-1:], np.int32))
    return o


def pad(rows, L=None):
    L = L or max(map(len, rows))
    ids = np.full((len(rows), L), PAD, np.int32)
    mk = np.zeros((len(rows), L), np.float32)
    for i, r in enumerate(rows):
        ids[i, : len(r)] = r
        mk[i, : len(r)] = 1
    return ids, mk


def encode(f, M, rows, H, B=128, log=None):
    """f(M,ids,mk) jitted; rows: token id arrays. Sorted by length, so no padding to speak of."""
    import time

    t0 = time.time()
    out = np.zeros((len(rows), H), np.float32)
    o = np.argsort([len(r) for r in rows], kind="stable")
    i = 0
    n = 0
    while i < len(o):
        L = len(rows[o[i]])
        L = L if L <= 14 else L + (L % 2)
        j = i
        while j < len(o) and j - i < B and len(rows[o[j]]) <= L:
            j += 1
        ix = o[i:j]
        ids, mk = pad([rows[k] for k in ix], L)
        if j - i < B:
            ids = np.concatenate([ids, np.full((B - (j - i), L), 5, np.int32)])
            mk = np.concatenate([mk, np.ones((B - (j - i), L), np.float32)])
        out[ix] = np.asarray(f(M, ids, mk))[: j - i]
        i = j
        n += 1
        if log and n % 100 == 0:
            print(i, len(o), "L", L, "%.0f/s" % (i / (time.time() - t0)), flush=True)
    return out
