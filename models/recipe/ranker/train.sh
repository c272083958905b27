#!/bin/sh
# Trains the ranker: train.sh WEIGHTS
set -eu
cd "$(dirname "$0")/../../.."
cases=""
for writer in w01 w02 w03 w04 w06 w11 w12 w13 w14 w15 w16 w17 w18 w19 w20 w21 w22 w23 w24 w25 w26 w27; do
  cases="$cases tests/corpus/cases/$writer.jsonl"
done
for suite in unseen-a unseen-a2 unseen-b unseen-b2 unseen-c unseen-d unseen-e unseen-f unseen-g unseen-h \
  traps family speech-own smartthings; do
  cases="$cases tests/eval/$suite.jsonl"
done
cargo build --locked --release --example train_ranker
# shellcheck disable=SC2086 # a list of files without spaces
target/release/examples/train_ranker "$1" $cases models/recipe/reader/spans/*.txt models/recipe/ranker/needs/*.need \
  models/recipe/ranker/sayings/*.say
