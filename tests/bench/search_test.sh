#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs tools/bench/search on a small repository and checks that everything it
# promises is in the table and in the JSON.
#
#   search_test.sh GIT_ZPACK

set -euo pipefail
# shellcheck source=tests/bench/setup.sh
source "$(dirname "$0")/setup.sh"
export TMPDIR=$directory

"$bench/make-repo" --commits 40 "$directory/repo.git"

echo "-- measures all that it promises"
"$bench/search" --zpack "$zpack" --runs 2 --threads 1 --json "$directory/result.json" \
  "$directory/repo.git" > "$directory/table"
expect_texts "$directory/table" 'tree, git' history 'history, nothing' many verify \
  'log -S' 'log -S, git' 'log -G' 'log -G, git' 'log PATH' 'log PATH, git'
python3 - "$directory/result.json" <<'PYTHON'
import json, sys
searches = json.load(open(sys.argv[1]))["searches"]
assert len(searches) == 12
assert all(run["wall"] > 0 and run["rss"] > 1 << 20 for runs in searches.values() for run in runs)
PYTHON

echo "-- random searches are those of Git"
GIT_ZPACK=$zpack "$bench/../dev/compare-search" --count 20 --seed 3 "$directory/repo.git"

echo "-- random logs are those of Git"
GIT_ZPACK=$zpack "$bench/../dev/compare-log" --count 60 --seed 4 "$directory/repo.git"
