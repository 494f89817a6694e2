#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs tools/bench/mount on a small repository and checks that everything it
# promises is in the table and in the JSON.
#
#   mount_test.sh GIT_ZPACK

set -euo pipefail
# shellcheck source=tests/bench/setup.sh
source "$(dirname "$0")/setup.sh"
export TMPDIR=$directory

if [[ ! -w /dev/fuse ]]; then
  echo "skipped: /dev/fuse is not there"
  exit 0
fi
"$bench/make-repo" --commits 60 "$directory/repo.git"
for tag in 1 2 3; do git -C "$directory/repo.git" tag "v$tag" "HEAD~$tag"; done

echo "-- measures all that it promises"
"$bench/mount" --zpack "$zpack" --runs 2 --readers 2 --tag v1 --text a --threads 1 --keep-caches \
  --json "$directory/result.json" "$directory/repo.git" > "$directory/table"
expect_texts "$directory/table" 'grep -r' 'grep -r again' 'ls -lR' 'mount CPU s' open 'readers, all at once'
python3 - "$directory/result.json" <<'PYTHON'
import json, sys
result = json.load(open(sys.argv[1]))
assert len(result["actions"]) == 4 and len(result["open"]) == 2
for ways in result["actions"].values():
    for walls in ways.values():
        assert len(walls) == 2 and all(wall > 0 for wall in walls)
assert all(cost["rss"] > 1 << 20 for costs in result["costs"].values() for cost in costs)
PYTHON
[[ -z $(find "$directory" -maxdepth 1 -name 'zpack-mount.*') ]]
