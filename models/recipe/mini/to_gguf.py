"""usage: to_gguf.py STUDENT_DIR OUT.gguf q8_0|q4_0 [embedding type, default the same]   (tensor names as in the safetensors file; matrices quantised, rest f32, positions f16)"""

import sys, json, numpy as np, gguf
from gguf import quants, GGMLQuantizationType as G
from safetensors.numpy import load_file

d, out, ty = sys.argv[1:4]
et = sys.argv[4] if len(sys.argv) > 4 else ty
Q = {"q8_0": G.Q8_0, "q4_0": G.Q4_0}
c = json.load(open(d + "/config.json"))
M = load_file(d + "/model.safetensors")
w = gguf.GGUFWriter(out, "bert")
w.add_string("general.name", "short-phrase zh encoder distilled from multilingual-e5-small")
w.add_string("general.license", "mit")
for k, v in (
    ("block_count", c["num_hidden_layers"]),
    ("embedding_length", c["hidden_size"]),
    ("feed_forward_length", c["intermediate_size"]),
    ("attention.head_count", c["num_attention_heads"]),
    ("vocab_size", c["vocab_size"]),
):
    w.add_uint32("bert." + k, v)
w.add_float32("bert.attention.layer_norm_epsilon", c["layer_norm_eps"])
for k, v in M.items():
    v = np.ascontiguousarray(v.astype(np.float32))
    if k == "embeddings.word_embeddings.weight" or (v.ndim == 2 and k.startswith("encoder.")):
        t = Q[et if k.startswith("emb") else ty]
        w.add_tensor(k, quants.quantize(v, t), raw_dtype=t)
    elif k == "embeddings.position_embeddings.weight":
        w.add_tensor(k, v.astype(np.float16))
    else:
        w.add_tensor(k, v)
w.write_header_to_file()
w.write_kv_data_to_file()
w.write_tensors_to_file()
w.close()
