#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs tools/bench/damage on a small file and checks that everything it promises
# is in the tables and in the JSON.
#
#   damage_test.sh GIT_ZPACK

set -euo pipefail
# shellcheck source=tests/bench/setup.sh
source "$(dirname "$0")/setup.sh"

"$bench/make-repo" --commits 20 "$directory/repo.git"
"$zpack" convert --quiet "$directory/repo.git" "$directory/repo.zpack"

echo "-- measures all that it promises"
"$bench/damage" --zpack "$zpack" --trials 2 --directory "$directory" \
  --damage 'flips 3' --damage 'sectors 5' --damage 'run 10' \
  --damage 'truncate 20' --json "$directory/result.json" \
  "$directory/repo.zpack" > "$directory/table"
expect_texts "$directory/table" 'flips 3' 'sectors 5' 'run 10' 'truncate 20' 'objects: mean' \
  'zpack: verify .* 0 of 2' 'pack: unpack -r' 'pack: with index' \
  'bundle: unbundle'
python3 - "$directory/result.json" <<'PYTHON'
import json, sys
result = json.load(open(sys.argv[1]))
assert len(set(result["objects"].values())) == 1, result["objects"]
assert len(result["damage"]) == 4
for ways in result["damage"].values():
    for trials in ways.values():
        assert len(trials) == 2
        assert all(0 <= value <= 1 for trial in trials for value in trial.values())
    assert all(trial["accepted"] == 0 for trial in ways["pack: index-pack"])
# Git gets all that lies before the end of a pack.
assert all(0 < trial["objects"] < 1
           for trial in result["damage"]["truncate 20"]["pack: unpack -r"])
PYTHON
[[ -z $(find "$directory" -maxdepth 1 -name 'zpack-damage.*') ]]

echo "-- the same seed gives the same damage"
"$bench/damage" --zpack "$zpack" --trials 2 --directory "$directory" \
  --damage 'sectors 5' --json - "$directory/repo.zpack" > "$directory/again.json"
python3 - "$directory/result.json" "$directory/again.json" <<'PYTHON'
import json, sys
first, again = (json.load(open(name))["damage"]["sectors 5"] for name in sys.argv[1:])
assert first.keys() == again.keys()
# The pack of one thread is always the same one.
assert first["pack: with index"] == again["pack: with index"]
PYTHON

echo "-- refuses damage that it does not know"
if "$bench/damage" --damage 'fire 1' "$directory/repo.zpack" 2> "$directory/error"; then
  echo "an unknown kind of damage was accepted" >&2
  exit 1
fi
grep -q "not a kind of damage: 'fire 1'" "$directory/error"
