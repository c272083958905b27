#!/usr/bin/env python3
"""check.py WRITER_ID: checks homes/WRITER_ID-*.json and cases/WRITER_ID.jsonl; prints every fault; ends with counts."""
import json, sys, glob, os, collections
w = sys.argv[1]; base = os.path.dirname(os.path.abspath(__file__)); faults = []
homes = {}
for f in sorted(glob.glob(f"{base}/homes/{w}-*.json")):
    name = os.path.basename(f)[:-5]
    try: h = json.load(open(f, encoding="utf-8"))
    except Exception as e: faults.append(f"{f}: {e}"); continue
    devs = {}
    rooms = {(r if isinstance(r, str) else r["name"]) for r in h.get("layout", [])}
    for d in h.get("devices", []):
        if d["id"] in devs: faults.append(f"{name}: duplicate id {d['id']}")
        if "commands" in d:
            devs[d["id"]] = {"cmds": {c["id"]: c for c in d["commands"]}}; loc = d.get("room")
        else:
            m = h.get("model", {}).get(d["device"]["model"])
            if m is None: faults.append(f"{name}: {d['id']}: no model {d['device']['model']}"); continue
            props = m["property"]; devs[d["id"]] = {"props": props}; loc = d.get("local")
            for p, v in d["device"].get("state", {}).items():
                if p not in props: faults.append(f"{name}: {d['id']}: state {p} not in model")
        if loc and loc not in rooms: faults.append(f"{name}: {d['id']}: room {loc} not in layout")
    for s in h.get("scenes", []):
        for a in s.get("actions", []):
            if a["id"] not in devs: faults.append(f"{name}: scene {s['id']}: no device {a['id']}")
            elif "props" in devs[a["id"]]:
                for p in a.get("state", {}):
                    if p not in devs[a["id"]]["props"]: faults.append(f"{name}: scene {s['id']}: {a['id']} has no {p}")
    for g in h.get("groups", []):
        for m_ in g.get("members", []):
            if m_ not in devs: faults.append(f"{name}: group {g['id']}: no member {m_}")
    homes[name] = (devs, rooms, {s["id"] for s in h.get("scenes", [])})
def value_ok(p, v):
    t = p["type"]
    if isinstance(v, dict):
        return set(v) <= {">", "<"} and t in ("uint", "int", "float")
    if t == "bool": return isinstance(v, bool)
    if t == "enum":
        vals = [x["value"] if isinstance(x, dict) else x for x in p.get("range", [])]
        return v in vals
    if t in ("uint", "int", "float"):
        return isinstance(v, (int, float)) and not isinstance(v, bool) and p.get("min", -1e9) <= v <= p.get("max", 1e9)
    return True
ids = set(); qs = collections.Counter(); tags = collections.Counter(); talk = 0; n = 0; acts = 0
for i, line in enumerate(open(f"{base}/cases/{w}.jsonl", encoding="utf-8"), 1):
    if not line.strip(): continue
    try: c = json.loads(line)
    except Exception as e: faults.append(f"line {i}: {e}"); continue
    n += 1; cid = c.get("id", f"line {i}")
    if cid in ids: faults.append(f"{cid}: duplicate id")
    ids.add(cid); tags[c.get("tag")] += 1
    if c.get("home") not in homes: faults.append(f"{cid}: unknown home {c.get('home')}"); continue
    devs, rooms, scenes = homes[c["home"]]
    if c.get("local") and c["local"] not in rooms: faults.append(f"{cid}: local {c['local']} not in layout")
    for t in c["turns"]:
        q = t.get("question", ""); qs[q] += 1
        if not q.strip(): faults.append(f"{cid}: empty question")
        e = t["expect"]; k = e.get("intent")
        if k not in ("instruct", "answer", "question", "none", "reject", "no_action"): faults.append(f"{cid}: intent {k}")
        if k == "none": talk += 1
        if k == "instruct": acts += 1
        for d, st in (e.get("instructs") or {}).items():
            if d not in devs: faults.append(f"{cid}: no device {d}"); continue
            if "props" not in devs[d]: faults.append(f"{cid}: {d} has commands, use \"commands\""); continue
            for p, v in st.items():
                pr = devs[d]["props"].get(p)
                if pr is None: faults.append(f"{cid}: {d} has no {p}")
                elif pr.get("access") == "read": faults.append(f"{cid}: {d}.{p} is read only")
                elif not value_ok(pr, v): faults.append(f"{cid}: {d}.{p} = {v} is not possible")
        for d, cs in (e.get("commands") or {}).items():
            if d not in devs or "cmds" not in devs[d]: faults.append(f"{cid}: {d} is no device with commands"); continue
            for x in cs:
                if x not in devs[d]["cmds"]: faults.append(f"{cid}: {d} has no command {x}")
        if "scene" in e and e["scene"] not in scenes: faults.append(f"{cid}: no scene {e['scene']}")
for q, m in qs.items():
    if m > 2 and len(q) > 4: faults.append(f"said {m} times: {q}")
print("\n".join(faults[:60])); print(f"{w}: homes {len(homes)}, cases {n}, none {talk}, instruct turns {acts}, faults {len(faults)}, tags {dict(tags)}")
