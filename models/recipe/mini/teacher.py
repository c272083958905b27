"""usage: teacher.py TEACHER_DIR CORPUS.tsv OUT_DIR N_PASSAGE   -> OUT_DIR/{query,passage}.npy (float16, unit vectors; passage for the first N_PASSAGE lines)"""

import sys, os, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from enc import *

d, corpus, out, npas = sys.argv[1:5]
npas = int(npas)
os.makedirs(out, exist_ok=True)
M, c = load(d)
tk = tokenizer(d)
T = [l.rstrip("\n").split("\t")[1] for l in open(corpus, encoding="utf8")]
f = jax.jit(lambda M, i, m: fwd(M, i, m, c["num_hidden_layers"], c["num_attention_heads"]))
for p, n in (("query", len(T)), ("passage", npas)):
    t = time.time()
    E = encode(f, M, token_ids(tk, T[:n], p + ": "), c["hidden_size"], log=True)
    np.save(f"{out}/{p}.npy", E.astype(np.float16))
    print(p, n, "%.0f s" % (time.time() - t), flush=True)
