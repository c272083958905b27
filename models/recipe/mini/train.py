"""Distil a BERT-shaped student on CPU (torch, bf16 matmuls where the CPU has them).
usage: train.py TEACHER_DIR CORPUS.tsv VEC_DIR OUT_DIR LAYERS HIDDEN HEADS FFN TEACHER_LAYERS(e.g. 0,6,11) MINUTES CKPT_MINUTES EVAL_DIR(data.py, aliases.py; '-' for none) [lr] [batch]
Loss: 10*(1-cos(student,target)) + 3*KL of softmax(cos/0.02) over 4,096 random teacher vectors + 100*MSE of in-batch cosine matrices
(target: teacher vector projected to HIDDEN and renormalised; the KL and MSE targets are the full teacher's cosines).
HIDDEN < teacher's: the residual stream and the targets are projected on the top principal directions (no projection layer at run time)."""

import sys, os, time, json, math
import numpy as np, torch, torch.nn.functional as F
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer

td, corpus, vd, out, NL, H, NH, FF, tl, mins, ck, ev = sys.argv[1:13]
NL, H, NH, FF = int(NL), int(H), int(NH), int(FF)
tl = [int(x) for x in tl.split(",")]
mins, ck = float(mins), float(ck)
LR = float(sys.argv[13]) if len(sys.argv) > 13 else 6e-4
B = int(sys.argv[14]) if len(sys.argv) > 14 else 512
os.makedirs(out, exist_ok=True)
torch.manual_seed(0)
rng = np.random.default_rng(0)
torch.set_num_threads(os.cpu_count())
MAXL = 20
NHOLD = 4000
MP = 64
tk = Tokenizer.from_file(td + "/tokenizer.json")
tc = json.load(open(td + "/config.json"))
TH = tc["hidden_size"]
T = {k: torch.from_numpy(v.astype(np.float32)) for k, v in load_file(td + "/model.safetensors").items()}


def ids(texts, prefix):
    o = []
    for i in range(0, len(texts), 8192):
        for e in tk.encode_batch([prefix + t for t in texts[i : i + 8192]]):
            e = e.ids
            o.append(e if len(e) <= MAXL else e[: MAXL - 1] + e[-1:])
    return o


lines = [l.rstrip("\n").split("\t") for l in open(corpus, encoding="utf8")]
src = [a for a, _ in lines]
txt = [b for _, b in lines]
N = len(txt)
vq = np.load(vd + "/query.npy").astype(np.float32)
vp = (
    np.load(vd + "/passage.npy").astype(np.float32)
    if os.path.exists(vd + "/passage.npy")
    else np.zeros((0, TH), np.float32)
)
N = min(N, len(vq))
tr = N - NHOLD
npas = min(len(vp), tr)
rows = ids(txt[:tr], "query: ") + ids(txt[:npas], "passage: ")
V = torch.from_numpy(np.concatenate([vq[:tr], vp[:npas]]))
hold = list(range(tr, N))
print("train items", len(rows), "held-out", len(hold), flush=True)


# ---- teacher forward (f32) for statistics ----
def tfwd(x_ids, collect):
    g = lambda n: T[n]
    L = x_ids.shape[1]
    n = tc["num_attention_heads"]
    x = (
        g("embeddings.word_embeddings.weight")[x_ids]
        + g("embeddings.token_type_embeddings.weight")[0]
        + g("embeddings.position_embeddings.weight")[:L]
    )
    x = F.layer_norm(x, (TH,), g("embeddings.LayerNorm.weight"), g("embeddings.LayerNorm.bias"), 1e-12)
    hs = [x]
    act = []
    hsal = []
    for l in range(tc["num_hidden_layers"]):
        p = f"encoder.layer.{l}."
        lin = lambda k, y: F.linear(y, g(p + k + ".weight"), g(p + k + ".bias"))
        S = lambda y: y.view(*y.shape[:2], n, -1).transpose(1, 2)
        a = F.scaled_dot_product_attention(
            *[S(lin("attention.self." + t, x)) for t in ("query", "key", "value")]
        ).transpose(1, 2)
        hsal.append(((a**2).mean((0, 1, 3))).sqrt())
        a = a.reshape(x.shape)
        x = F.layer_norm(
            x + lin("attention.output.dense", a),
            (TH,),
            g(p + "attention.output.LayerNorm.weight"),
            g(p + "attention.output.LayerNorm.bias"),
            1e-12,
        )
        m = F.gelu(lin("intermediate.dense", x))
        act.append((m**2).mean((0, 1)).sqrt() * g(p + "output.dense.weight").norm(dim=0))
        x = F.layer_norm(
            x + lin("output.dense", m), (TH,), g(p + "output.LayerNorm.weight"), g(p + "output.LayerNorm.bias"), 1e-12
        )
        hs.append(x)
    return hs, act, hsal


with torch.no_grad():
    samp = [r for r in rows if len(r) == 9]
    samp = torch.tensor([samp[i] for i in rng.permutation(len(samp))[:768]])
    hs, act, hsal = tfwd(samp, True)
    if H == TH:
        U = torch.eye(TH)
    else:
        C = V[rng.permutation(len(V))[:20000]]
        C = C.T @ C / len(C) * 12
        for i in [0] + [l + 1 for l in tl]:
            y = hs[i].reshape(-1, TH)
            y = y / y.norm(dim=1, keepdim=True)
            C = C + y.T @ y / len(y)
        w, Q = torch.linalg.eigh(C)
        U = Q[:, -H:].flip(1).contiguous()
    VF = V
    V = V @ U
    keep = V.norm(dim=1).pow(2).mean().item()
    V = V / V.norm(dim=1, keepdim=True)
    print("energy of teacher vectors kept %.4f" % keep, flush=True)
    HV = torch.from_numpy(vq[tr:N])
P = {}
hd = TH // tc["num_attention_heads"]
with torch.no_grad():
    sc = 1.0 if H == TH else math.sqrt(TH / H)

    def lnp(n):
        g, b = T[n + ".weight"], T[n + ".bias"]
        return ((U**2 * g[:, None]).sum(0) * (1.0 if H == TH else math.sqrt(H / TH) * sc), U.T @ b)

    P["word"] = T["embeddings.word_embeddings.weight"] @ U
    P["pos"] = T["embeddings.position_embeddings.weight"][:MP] @ U
    P["typ"] = T["embeddings.token_type_embeddings.weight"][:1] @ U
    P["eg"], P["eb"] = lnp("embeddings.LayerNorm")
    A = NH * (H // NH)
    for i, l in enumerate(tl):
        p = f"encoder.layer.{l}."
        hsel = (
            torch.argsort(
                hsal[l] * torch.stack([x.norm() for x in T[p + "attention.output.dense.weight"].split(hd, 1)]),
                descending=True,
            )[: A // hd]
            .sort()
            .values
        )
        ri = torch.cat([torch.arange(h * hd, (h + 1) * hd) for h in hsel])
        fi = torch.argsort(act[l], descending=True)[:FF].sort().values
        P[f"{i}.qkv"] = torch.cat([T[p + f"attention.self.{t}.weight"][ri] @ U for t in ("query", "key", "value")])
        P[f"{i}.qkvb"] = torch.cat([T[p + f"attention.self.{t}.bias"][ri] for t in ("query", "key", "value")])
        P[f"{i}.o"] = U.T @ T[p + "attention.output.dense.weight"][:, ri]
        P[f"{i}.ob"] = U.T @ T[p + "attention.output.dense.bias"]
        P[f"{i}.ag"], P[f"{i}.ab"] = lnp(p + "attention.output.LayerNorm")
        P[f"{i}.i"] = T[p + "intermediate.dense.weight"][fi] @ U
        P[f"{i}.ib"] = T[p + "intermediate.dense.bias"][fi].clone()
        P[f"{i}.f"] = U.T @ T[p + "output.dense.weight"][:, fi]
        P[f"{i}.fb"] = U.T @ T[p + "output.dense.bias"]
        P[f"{i}.og"], P[f"{i}.ogb"] = lnp(p + "output.LayerNorm")
P = {k: torch.nn.Parameter(v.clone().contiguous()) for k, v in P.items()}
nemb = P["word"].numel()
ntot = sum(p.numel() for p in P.values())
print("parameters", ntot, "of which embeddings", nemb, "layers", ntot - nemb, flush=True)


def fwd(x):
    L = x.shape[1]
    Bn = x.shape[0]
    x = F.embedding(x, P["word"]) + P["typ"][0] + P["pos"][:L]
    x = F.layer_norm(x, (H,), P["eg"], P["eb"], 1e-12)
    for i in range(NL):
        q, k, v = [
            y.transpose(1, 2) for y in F.linear(x, P[f"{i}.qkv"], P[f"{i}.qkvb"]).view(Bn, L, 3, NH, -1).unbind(2)
        ]
        a = (
            (torch.softmax((q @ k.transpose(2, 3)).float() * q.shape[-1] ** -0.5, -1).to(v.dtype) @ v)
            .transpose(1, 2)
            .reshape(Bn, L, -1)
        )
        x = F.layer_norm(x + F.linear(a, P[f"{i}.o"], P[f"{i}.ob"]), (H,), P[f"{i}.ag"], P[f"{i}.ab"], 1e-12)
        x = F.layer_norm(
            x + F.linear(F.gelu(F.linear(x, P[f"{i}.i"], P[f"{i}.ib"])), P[f"{i}.f"], P[f"{i}.fb"]),
            (H,),
            P[f"{i}.og"],
            P[f"{i}.ogb"],
            1e-12,
        )
    return F.normalize(x.float().mean(1), dim=1)


bl = {}
for i, r in enumerate(rows):
    bl.setdefault(len(r), []).append(i)
buck = {L: (torch.tensor([rows[i] for i in ix]), torch.tensor(ix)) for L, ix in bl.items()}
Ls = sorted(buck)
pr = np.array([len(buck[L][1]) for L in Ls], float)
pr /= pr.sum()
print({L: len(buck[L][1]) for L in Ls}, flush=True)


@torch.no_grad()
def enc(texts, prefix="query: "):
    r = ids(texts, prefix)
    o = torch.zeros(len(r), H)
    g = {}
    for i, x in enumerate(r):
        g.setdefault(len(x), []).append(i)
    for L, ix in g.items():
        for j in range(0, len(ix), 256):
            s = ix[j : j + 256]
            o[s] = fwd(torch.tensor([r[k] for k in s]))
    return o.numpy()


def spearman(a, b):
    r = lambda x: np.argsort(np.argsort(x))
    return np.corrcoef(r(a), r(b))[0, 1]


if ev != "-":
    sys.path.insert(0, ev)
    from data import CMDS, P as PH
    from aliases import A as AL


def report(tag, e=None, hq=None):
    e = e or enc
    o = []
    if ev != "-":
        pairs = [(c, t) for c in CMDS for t in [c] + AL[c]]
        Q = e([p for p, _ in PH])
        for pf in ("passage: ", "query: "):
            Dm = e(CMDS, pf)
            E = e([t for _, t in pairs], pf)
            S = Q @ Dm.T
            C = np.stack([(Q @ E[[i for i, (cc, _) in enumerate(pairs) if cc == c]].T).max(1) for c in CMDS], 1)
            acc = lambda S, k: (
                sum(any(CMDS[j] in g for j in np.argsort(-S[i])[:k]) for i, (_, g) in enumerate(PH)) / len(PH)
            )
            o.append(f"[{pf[0]}] desc {acc(S, 1):.3f}/{acc(S, 3):.3f} alias {acc(C, 1):.3f}/{acc(C, 3):.3f}")
    st = HV.numpy()[:2000]
    ss = e([txt[i] for i in hold[:2000]]) if hq is None else hq
    TS, SS = st @ st.T, ss @ ss.T
    iu = np.triu_indices(len(TS), 1)
    pe = np.corrcoef(TS[iu], SS[iu])[0, 1]
    sp = spearman(TS[iu][::5], SS[iu][::5])
    np.fill_diagonal(TS, -9)
    np.fill_diagonal(SS, -9)
    nt, ns = TS.argmax(1), SS.argmax(1)
    t5 = np.argsort(-TS, 1)[:, :5]
    dom = np.array([src[hold[i]] in ("ha", "home", "coll") for i in range(2000)])
    nn = nt == ns
    in5 = np.array([ns[i] in t5[i] for i in range(2000)])
    o.append(
        f"held-out pearson {pe:.4f} spearman {sp:.4f} NN@1 {nn.mean():.3f} (home {nn[dom].mean():.3f} generic {nn[~dom].mean():.3f}) student NN in teacher top5 {in5.mean():.3f}"
    )
    print(f"== {tag}: " + " | ".join(o), flush=True)


def save(d):
    os.makedirs(d, exist_ok=True)
    o = {}
    g = lambda k: P[k].detach()
    (
        o["embeddings.word_embeddings.weight"],
        o["embeddings.position_embeddings.weight"],
        o["embeddings.token_type_embeddings.weight"],
    ) = g("word"), g("pos"), torch.cat([g("typ")] * 2)
    o["embeddings.LayerNorm.weight"], o["embeddings.LayerNorm.bias"] = g("eg"), g("eb")
    for i in range(NL):
        p = f"encoder.layer.{i}."
        for t, w, b in zip(("query", "key", "value"), g(f"{i}.qkv").chunk(3), g(f"{i}.qkvb").chunk(3)):
            o[p + f"attention.self.{t}.weight"], o[p + f"attention.self.{t}.bias"] = w, b
        for n, w, b in (
            ("attention.output.dense", "o", "ob"),
            ("attention.output.LayerNorm", "ag", "ab"),
            ("intermediate.dense", "i", "ib"),
            ("output.dense", "f", "fb"),
            ("output.LayerNorm", "og", "ogb"),
        ):
            o[p + n + ".weight"], o[p + n + ".bias"] = g(f"{i}.{w}"), g(f"{i}.{b}")
    save_file({k: np.ascontiguousarray(v.numpy().astype(np.float16)) for k, v in o.items()}, d + "/model.safetensors")
    json.dump(
        dict(
            tc,
            hidden_size=H,
            num_hidden_layers=NL,
            num_attention_heads=NH,
            intermediate_size=FF,
            max_position_embeddings=MP,
        ),
        open(d + "/config.json", "w"),
        indent=1,
    )
    open(d + "/tokenizer.json", "w").write(open(td + "/tokenizer.json").read())


dec = [p for n, p in P.items() if p.dim() == 2 and n not in ("word", "pos", "typ")]
emb = [P["word"], P["pos"], P["typ"]]
oth = [p for p in P.values() if p.dim() == 1]
opt = torch.optim.AdamW(
    [
        dict(params=dec, lr=LR, weight_decay=0.01, s=1.0),
        dict(params=emb, lr=LR, weight_decay=0, s=0.5),
        dict(params=oth, lr=LR, weight_decay=0, s=1.0),
    ],
    betas=(0.9, 0.98),
    eps=1e-8,
    fused=True,
)
report("init")
t0 = time.time()
evt = 0.0
nxt = ck * 60
st = seen = 0
acc = []
while True:
    el = time.time() - t0 - evt
    fr = el / (mins * 60)
    if fr >= 1:
        break
    lr = LR * min(1, (st + 1) / 60) * (1 - fr if fr > 0.0 else 1)
    for g_ in opt.param_groups:
        g_["lr"] = lr * g_["s"]
    L = Ls[rng.choice(len(Ls), p=pr)]
    X, IX = buck[L]
    s = torch.from_numpy(rng.integers(0, len(IX), min(B, len(IX))))
    t = V[IX[s]]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        z = fwd(X[s])
    bi = torch.from_numpy(rng.integers(0, len(V), 4096))
    tf = VF[IX[s]]
    tau = 0.02
    kl = F.kl_div(F.log_softmax(z @ V[bi].T / tau, 1), F.softmax(tf @ VF[bi].T / tau, 1), reduction="batchmean")
    cs = (1 - (z * t).sum(1)).mean()
    mm = ((z @ z.T - tf @ tf.T) ** 2).mean()
    loss = 10 * cs + 3 * kl + 100 * mm
    opt.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(P.values(), 2.0)
    opt.step()
    st += 1
    seen += len(s)
    acc.append((cs.item(), kl.item(), mm.item()))
    if st % 200 == 0:
        a = np.mean(acc[-200:], 0)
        print(
            "%5d %5.0fs 1-cos %.4f kl %.4f mse %.5f  %.0f strings/s epochs %.1f"
            % (st, el, *a, seen / el, seen / len(rows)),
            flush=True,
        )
    if el >= nxt:
        e0 = time.time()
        report("%.1f min" % (el / 60))
        save(f"{out}/ckpt-{el / 60:.0f}min")
        nxt += ck * 60
        evt += time.time() - e0
report("final %d steps %.0f s" % (st, el))
save(out + "/final")
