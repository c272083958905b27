"""Files of marked sentences for the scorer: what people marked, what the corpus says, and both put together at random."""

import collections
import json
import os
import random
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
LONGEST = 50


def marked(corpus="tests/corpus"):
    """Sentences with brackets around what is told, a file for each home, as `(home, pieces)`."""
    for folder in ("spans", "marked"):
        folder = os.path.join(HERE, "..", folder)
        for name in sorted(name for name in os.listdir(folder) if name.endswith(".txt")):
            paths = (f"{corpus}/homes/{name[:-4]}.json", f"tests/homes/{name[:-4]}.json")
            home = next(path for path in paths if os.path.exists(path))
            with open(os.path.join(folder, name), encoding="utf8") as file:
                for line in file.read().splitlines():
                    found = re.findall(r"\[([^\[\]]*)\]|([^\[\]]+)", line)
                    yield home, [[told or said, bool(told)] for told, said in found]


def said(work):
    """What the corpus says, once each, from the lines of `label.py`: those that stand three times."""
    with open(f"{work}/train.jsonl", encoding="utf8") as file:
        often = collections.Counter(file)
    known = {json.dumps(pieces, ensure_ascii=False) for _, pieces in marked()}
    for line, times in often.items():
        row = json.loads(line)
        if times >= 3 and json.dumps(row["choices"][0], ensure_ascii=False) not in known:
            yield row


def put_together(rows, chance, number):
    """Commands of a home with comments of any, talk with comments, commands alone."""
    commands, talk, comments = collections.defaultdict(set), collections.defaultdict(set), set()
    for home, pieces in rows:
        told = "".join(text for text, tells in pieces if tells)
        if told:
            commands[home].add(told)
            comments |= {text.strip("，,。 ！？!?") for text, tells in pieces if not tells}
        else:
            talk[home].add(pieces[0][0])
    commands, talk = ({home: sorted(all) for home, all in of.items()} for of in (commands, talk))
    comments = sorted(comment for comment in comments if len(comment) > 1)
    homes = sorted(commands)
    pause = lambda: chance.choices(["", "，", " "], [0.7, 0.15, 0.15])[0]
    for _ in range(number):
        home, roll = chance.choice(homes), chance.random()
        command, before, behind = chance.choice(commands[home]), chance.choice(comments), chance.choice(comments)
        if roll < 0.3:
            pieces = [[before + pause(), False], [command, True]]
        elif roll < 0.6:
            pieces = [[command, True], [pause() + behind, False]]
        elif roll < 0.72:
            pieces = [[before + pause(), False], [command, True], [pause() + behind, False]]
        elif roll < 0.78:
            pieces = [[command, True], [pause() + behind + pause(), False], [chance.choice(commands[home]), True]]
        elif roll < 0.84 or home not in talk:
            pieces = [[command, True]]
        elif roll < 0.92:
            pieces = [[pause().join(chance.sample([chance.choice(talk[home]), before], 2)), False]]
        else:
            pieces = [[chance.choice(talk[home]), False]]
        if sum(len(text) for text, _ in pieces) <= LONGEST:
            yield {"home": home, "choices": [pieces]}


def write(work, number):
    """Writes the three files, and says where they are."""
    people = list(marked())
    corpus = list(said(work))
    both = people + [(row["home"], row["choices"][0]) for row in corpus if len(row["choices"][0]) == 1]
    files = {
        "marked": [{"home": home, "choices": [pieces]} for home, pieces in people],
        "said": corpus,
        "together": put_together(both, random.Random(5), number),
    }
    for name, rows in files.items():
        path = f"{work}/{name}.jsonl"
        if not os.path.exists(path):
            with open(path, "w", encoding="utf8") as file:
                file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return tuple(f"{work}/{name}.jsonl" for name in files)
