#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Records a trace of 'convert', and checks what tools/bench/schedule computes from it.
#
#   schedule_test.sh GIT_ZPACK

set -euo pipefail
# shellcheck source=tests/bench/setup.sh
source "$(dirname "$0")/setup.sh"

"$bench/make-repo" --commits 300 "$directory/r.git"

echo "-- a trace changes nothing"
"$zpack" convert -q --threads 4 "$directory/r.git" "$directory/four.zpack"
ZPACK_TRACE=$directory/trace "$zpack" convert -q --threads 1 "$directory/r.git" \
  "$directory/one.zpack"
cmp "$directory/four.zpack" "$directory/one.zpack"
ZPACK_TRACE=$directory/none/trace "$zpack" show "$directory/one.zpack" > /dev/null

echo "-- computes the time of the trace, and gains"
"$bench/schedule" --workers 1,2,16 "$directory/trace" > "$directory/table"
expect_texts "$directory/table" '^loop .* 16 w' '^pipeline' '^outside' '^all'
python3 - "$directory/table" "$directory/trace" <<'PYTHON'
import json, sys
lines = {line.split()[0]: line.split() for line in open(sys.argv[1])}
one, two, sixteen = map(float, lines["gain"][1:])
assert 0.9 < one < 1.1, one
assert one < two <= 2.05 * one and two <= sixteen < 16.5, (two, sixteen)
names = {event["name"] for event in json.loads(open(sys.argv[2]).read().rstrip().rstrip(",") + "]")}
assert {"pipeline", "parallel for", "produce", "transform", "part", "loan", "take back", "consume"} <= names, names
PYTHON

echo "-- the longest first"
python3 - "$directory/made" <<'PYTHON'
import json, sys
events, now = [], 0
for item, seconds in enumerate((1, 1, 1, 3)):
    events.append({"name": "transform", "ts": now, "dur": seconds * 1e6, "args": {"run": 1, "item": item}})
    now += seconds * 1e6
events.append({"name": "pipeline", "ts": 0, "dur": now, "args": {"run": 1, "threads": 1, "limit": 4}})
with open(sys.argv[1], "w") as file:
    file.write("[" + "".join(json.dumps({**event, "pid": 1}) + ",\n" for event in events))
PYTHON
"$bench/schedule" --workers 1,2 "$directory/made" > "$directory/in-order"
"$bench/schedule" --workers 1,2 --longest-first "$directory/made" > "$directory/longest-first"
expect_texts "$directory/in-order" '^all .* 6.00  *4.00'
expect_texts "$directory/longest-first" '^all .* 6.00  *3.00'

echo "-- sections, whose groups are compressed one after the other"
"$zpack" convert -q --threads 3 --profile max --block-size 4k "$directory/r.git" \
  "$directory/three.zpack"
ZPACK_TRACE=$directory/sections "$zpack" convert -q --threads 1 --profile max --block-size 4k \
  "$directory/r.git" "$directory/alone.zpack"
cmp "$directory/three.zpack" "$directory/alone.zpack"
"$bench/schedule" --workers 1,2,16 "$directory/sections" > "$directory/table"
python3 - "$directory/table" "$directory/made" <<'PYTHON'
import json, sys
lines = {line.split()[0]: line.split() for line in open(sys.argv[1])}
one, two, sixteen = map(float, lines["gain"][1:])
assert 0.9 < one < 1.1, one
assert one < two <= 2.05 * one and two <= sixteen < 16.5, (two, sixteen)
spans = [("transform", 0, 4), ("part", 0, 2), ("part", 1, 1), ("part", 2, 2), ("part", 3, 1)]
events = [{"name": name, "ts": start * 1e6, "dur": seconds * 1e6, "args": {"run": 1, "item": 0}}
          for name, start, seconds in spans]
events.append({"name": "pipeline", "ts": 0, "dur": 4e6, "args": {"run": 1, "threads": 1, "limit": 4}})
with open(sys.argv[2], "w") as file:
    file.write("[" + "".join(json.dumps({**event, "pid": 1}) + ",\n" for event in events))
PYTHON
"$bench/schedule" --workers 1,2,16 "$directory/made" > "$directory/chained"
expect_texts "$directory/chained" '^all .* 4.00  *3.00  *3.00'

echo "-- loans, which two workers do while a third one waits for them"
python3 - "$directory/made" <<'PYTHON'
import json, sys
spans = [("transform", 0, 6), ("loan", 1, 2), ("loan", 3, 2), ("take back", 5, 0), ("take back", 5.5, 0)]
events = [{"name": name, "ts": start * 1e6, "dur": seconds * 1e6, "args": {"run": 1, "item": 0}}
          for name, start, seconds in spans]
events.append({"name": "pipeline", "ts": 0, "dur": 6e6, "args": {"run": 1, "threads": 1, "limit": 4}})
with open(sys.argv[1], "w") as file:
    file.write("[" + "".join(json.dumps({**event, "pid": 1}) + ",\n" for event in events))
PYTHON
"$bench/schedule" --workers 1,2,3 "$directory/made" > "$directory/lent"
expect_texts "$directory/lent" '^all .* 6.00  *6.00  *4.00'
