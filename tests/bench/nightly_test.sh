#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs tools/bench/nightly on a small repository, and checks that everything it
# promises is in the tables and in the JSON, and that nights stay small.
#
#   nightly_test.sh GIT_ZPACK

set -euo pipefail
# shellcheck source=tests/bench/setup.sh
source "$(dirname "$0")/setup.sh"

"$bench/make-repo" --commits 120 "$directory/r.git"

echo "-- measures all that it promises"
"$bench/nightly" --zpack "$zpack" --threads 2 --nights 20 --commits 3 --objects 5 \
  --json "$directory/result.json" "$directory/r.git" > "$directory/table"
expect_texts "$directory/table" nights grown/bundles 'worst night' 'file/fresh' 'verify, CPU' 'object, median'
python3 - "$directory/result.json" <<'PYTHON'
import json, sys
result = json.load(open(sys.argv[1]))
nights = result["nights"]
assert len(nights) == 20, len(nights)
assert result["first"] + sum(night["grown"] for night in nights) == result["nightly"]["bytes"]
for kind in "nightly", "fresh":
    assert result[kind]["verify"]["cpu"] > 0 and result[kind]["object"]["median"] > 0
# More than a chain of far bases may have blocks.
grown, bundles = (sum(night[key] for night in nights) for key in ("grown", "bundle"))
assert grown < bundles, (grown, bundles)
assert result["nightly"]["bytes"] < 1.5 * result["fresh"]["bytes"], result
PYTHON

echo "-- consolidates after each night"
"$bench/nightly" --zpack "$zpack" --threads 2 --nights 20 --commits 3 --objects 5 --onto --geometric 2 \
  --json "$directory/geometric.json" "$directory/r.git" > "$directory/table"
expect_texts "$directory/table" 'files at the end' 'rewritten/all files' 'nights with a consolidation'
python3 - "$directory/geometric.json" <<'PYTHON'
import json, sys
result = json.load(open(sys.argv[1]))
after = [night["geometric"] for night in result["nights"]]
rewritten = sum(row["rewritten"] for row in after)
joined = sum(row["consolidation"] is not None for row in after)
assert max(row["files"] for row in after) <= 8, after
assert 0 < joined < 20, joined
assert 0 < rewritten < 4 * result["nightly"]["bytes"], rewritten
PYTHON

echo "-- says that there are too few commits"
if "$bench/nightly" --zpack "$zpack" --nights 20 --commits 100 "$directory/r.git" 2> "$directory/error"; then
  exit 1
fi
grep -q "^nightly: .* has 1 nights of 100 commits, not 20" "$directory/error" || {
  cat "$directory/error" >&2
  exit 1
}
