#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs tools/bench/serve on a small repository and checks that everything it
# promises is in the table and in the JSON.
#
#   serve_test.sh GIT_ZPACK

set -euo pipefail
# shellcheck source=tests/bench/setup.sh
source "$(dirname "$0")/setup.sh"
export TMPDIR=$directory

"$bench/make-repo" --commits 120 "$directory/repo.git"

echo "-- measures all that it promises"
"$bench/serve" --zpack "$zpack" --runs 2 --refs 50 --threads 1 \
  --json "$directory/result.json" "$directory/repo.git" > "$directory/table"
expect_texts "$directory/table" 'server CPU s' 'pack bytes' clone 'depth 1' blobless fetch ls-remote
python3 - "$directory/result.json" <<'PYTHON'
import json, sys
actions = json.load(open(sys.argv[1]))["actions"]
assert len(actions) == 5
for name, ways in actions.items():
    for way in ways.values():
        assert len(way["wall"]) == 2 and all(wall > 0 for wall in way["wall"])
        assert way["rss"] > 1 << 20
        # A list of refs comes without a pack.
        assert (way["pack_bytes"] > 0) == (name != "ls-remote")
    assert 0.5 < ways["zpack"]["pack_bytes"] / max(ways["git"]["pack_bytes"], 1) < 2 \
        or name == "ls-remote"
# What comes with fewer objects is smaller.
for way in ("git", "zpack"):
    sizes = {name: ways[way]["pack_bytes"] for name, ways in actions.items()}
    assert sizes["clone"] > sizes["fetch"], sizes
    assert sizes["clone"] > max(sizes["depth 1"], sizes["blobless"]), sizes
PYTHON
[[ -z $(find "$directory" -maxdepth 1 -name 'zpack-serve.*') ]]

echo "-- refuses a repository without enough commits"
"$bench/make-repo" --commits 5 "$directory/small.git"
if "$bench/serve" --zpack "$zpack" "$directory/small.git" 2> "$directory/error"; then
  echo "a small repository was accepted" >&2
  exit 1
fi
grep -q "more than 100 commits" "$directory/error"
