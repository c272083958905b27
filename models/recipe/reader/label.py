"""Says of the sentences of the corpus which of their words tell something to do, and makes more of them.

    python3 label.py ZHIJU CORPUS WORK [WRITER…]

What the daemon understands is told as it stands. Of what it misses, every shorter sentence is served as well, and those
that come to the expected outcome say what was only a comment: no label enters that does not execute. Talk tells nothing.
Commands and comments put side by side are most of what is learned from.
"""

import functools
import json
import os
import random
import re
import subprocess
import sys

TRAIN = "w01 w02 w03 w04 w06 w11 w12".split()
DEV = ["w05"]
LONGEST = 34
HERE = os.path.dirname(os.path.abspath(__file__))


@functools.cache
def lines(name):
    with open(os.path.join(HERE, name), encoding="utf8") as file:
        return file.read().split()


def read(path):
    with open(path, encoding="utf8") as file:
        return [json.loads(line) for line in file]


def write(path, rows):
    with open(path, "w", encoding="utf8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def served(zhiju, cases, out):
    """What came of each case, by its id."""
    if not os.path.exists(out):
        command = [zhiju, "eval", cases, "--json", out, "--misses", "0", "--no-reader"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(out, encoding="utf8") as file:
        return {case["id"]: case for case in json.load(file)["cases"]}


def shorter(text):
    """The sentence without its beginning, its end or both, as pieces."""
    for start in range(len(text)):
        for end in range(start + 2, len(text) + 1):
            if (start, end) != (0, len(text)):
                pieces = [[text[:start], False], [text[start:end], True], [text[end:], False]]
                yield [piece for piece in pieces if piece[0]]


def first_miss(outcome):
    """The first turn that was missed, unless something moved in it that was not to."""
    for at, turn in enumerate(outcome["turns"]):
        if turn["misses"] or turn["misfires"]:
            instructs = turn["got"].get("instructs")
            return None if instructs or turn["misfires"] else at
    return None


def label(zhiju, corpus, work, writer):
    """Lines for one writer: `told`, `nothing` and `mended` apart."""
    cases = read(f"{corpus}/cases/{writer}.jsonl")
    outcomes = served(zhiju, f"{corpus}/cases/{writer}.jsonl", f"{work}/{writer}.json")
    told, nothing, variants, at_miss = [], [], [], {}
    for case in cases:
        home = f"{corpus}/homes/{case['home']}.json"
        outcome = outcomes[case["id"]]
        for at, turn in enumerate(case["turns"]):
            text, intent, tag = turn["question"], turn["expect"].get("intent"), case["tag"]
            if tag in ("talk", "not-a-command") and intent in ("none", "no_action"):
                nothing.append({"home": home, "choices": [[[text, False]]]})
            elif tag == "unknown":
                told.append({"home": home, "choices": [[[text, True]]], "strange": True})
            elif intent in ("instruct", "answer", "question") and outcome["passed"]:
                told.append({"home": home, "choices": [[[text, True]]]})
        at = first_miss(outcome)
        if at is None:
            continue
        turn = case["turns"][at]
        text = turn["question"]
        if len(text) > LONGEST or turn["expect"].get("intent") not in ("instruct", "answer"):
            continue
        at_miss[case["id"]] = home
        for number, pieces in enumerate(shorter(text)):
            kept = "".join(piece for piece, tells in pieces if tells)
            turns = case["turns"][:at] + [dict(turn, question=kept)]
            variants.append((dict(case, id=f"{case['id']}@{number}", turns=turns), pieces))
    os.makedirs(f"{work}/cases", exist_ok=True)
    if not os.path.exists(f"{work}/homes"):
        os.symlink(os.path.abspath(f"{corpus}/homes"), f"{work}/homes")
    write(f"{work}/cases/{writer}.jsonl", [case for case, _ in variants])
    passed = served(zhiju, f"{work}/cases/{writer}.jsonl", f"{work}/{writer}.shorter.json")
    mended = {}
    for case, pieces in variants:
        if passed[case["id"]]["passed"]:
            mended.setdefault(case["id"].split("@")[0], []).append(pieces)
    mended = [{"home": at_miss[key], "choices": choices} for key, choices in mended.items()]
    return told, nothing, mended


def marked(corpus):
    """Sentences in which somebody put brackets around what is told, a file for each home."""
    for name in sorted(name for name in os.listdir(f"{HERE}/spans") if name.endswith(".txt")):
        homes = (f"{corpus}/homes/{name}", f"{corpus}/../homes/{name}")
        home = next(os.path.normpath(path)[:-4] + ".json" for path in homes if os.path.exists(path[:-4] + ".json"))
        with open(f"{HERE}/spans/{name}", encoding="utf8") as file:
            for line in file.read().splitlines():
                pieces = [[told or said, bool(told)] for told, said in re.findall(r"\[([^\[\]]*)\]|([^\[\]]+)", line)]
                yield {"home": home, "choices": [pieces]}


def comment(chance, own):
    """Something that people say around a command."""
    roll = chance.random()
    if roll < 0.3:
        return chance.choice(lines("who.txt")) + chance.choice(lines("does.txt"))
    if roll < 0.5:
        return chance.choice(lines("what.txt")) + chance.choice(lines("is.txt"))
    if roll < 0.8 or not own:
        return chance.choice(lines("comments.txt"))
    return chance.choice(own)


def generated(told, nothing, mended, chance):
    """Commands and comments side by side, and hearsay, of which nothing is told."""
    own = [text for line in mended for text, tells in line["choices"][0] if not tells and len(text) > 2]
    talk = [line["choices"][0][0][0] for line in nothing]
    short = [text for text in talk if len(text) <= 10]
    for line in told:
        text = line["choices"][0][0][0]
        if line.get("strange"):
            continue
        for _ in range(4):
            pause = chance.choice(["", "", "", " ", "，"])
            said = comment(chance, own) if chance.random() < 0.85 else chance.choice(short)
            pieces = chance.choice([
                [[said + pause, False], [text, True]],
                [[text, True], [pause + said, False]],
                [[text, True], [pause + said, False]],
                [[said + pause, False], [text, True], [chance.choice(["", " "]) + comment(chance, own), False]],
            ])
            yield {"home": line["home"], "choices": [pieces]}
        if chance.random() < 0.5:
            said = chance.choice(lines("hearsay.txt")) + text
            yield {"home": line["home"], "choices": [[[said, False]]]}
    for line in nothing:
        said = [line["choices"][0][0][0], comment(chance, own)]
        chance.shuffle(said)
        yield {"home": line["home"], "choices": [[[chance.choice(["", " "]).join(said), False]]]}


def main():
    zhiju, corpus, work, *writers = sys.argv[1:]
    os.makedirs(work, exist_ok=True)
    all_told, all_nothing, all_mended = [], [], []
    for writer in writers or TRAIN:
        told, nothing, mended = label(zhiju, corpus, work, writer)
        print(writer, len(told), len(nothing), len(mended), flush=True)
        all_told += told
        all_nothing += nothing
        all_mended += mended
    rows = list(generated(all_told, all_nothing, all_mended, random.Random(7)))
    # What people really said counts more than what was put together.
    said = all_told + all_nothing + all_mended
    write(f"{work}/train.jsonl", list(marked(corpus)) * 2 + said * 3 + rows)
    for writer in DEV:
        told, nothing, mended = label(zhiju, corpus, work, writer)
        write(f"{work}/{writer}.jsonl", told + nothing + mended)


if __name__ == "__main__":
    main()
