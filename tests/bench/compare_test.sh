#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs tools/bench/compare on two tiny repositories and checks that everything
# it promises is in the table and in the JSON.
#
#   compare_test.sh GIT_ZPACK DECODE_BENCHMARK

set -euo pipefail
# shellcheck source=tests/bench/setup.sh
source "$(dirname "$0")/setup.sh"
decode=$(realpath "$2")
compare=$bench/compare
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.com
export GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.com

for name in one two; do
  git init -q "$directory/$name"
  for i in 1 2 3; do
    seq $((i * 100)) > "$directory/$name/numbers"
    git -C "$directory/$name" add numbers
    git -C "$directory/$name" commit -q -m "$name $i"
  done
  git -C "$directory/$name" tag -a -m tagged v1
done

echo "-- measures all that it promises"
"$compare" --zpack "$zpack" --threads 2 --profile fast --level 3 --window 20 --window 30 --fsck \
  --walk --decode "$decode" \
  --json "$directory/result.json" "$directory/one" "$directory/two" \
  > "$directory/table"
expect_texts "$directory/table" 'commit bytes' 'index bytes' 'all but blobs' 'total bytes' 'pack: CPU s' \
  'verify: peak MiB' 'restore: wall s' 'restore: pack + idx bytes' 'git clone' 'git w=20' 'git w=30' 'git fsck' 'rev-list --objects --all s' 'decode commits' \
  'Geometric means'
python3 - "$directory/result.json" <<'PYTHON'
import json, sys
result = json.load(open(sys.argv[1]))
assert len(result["repositories"]) == 2
for repository in result["repositories"]:
    columns = repository["columns"]
    assert list(columns) == ["git", "git w=20", "git w=30", "git-zpack"]
    for column in columns.values():
        assert column["objects"] == 10, column
        assert column["types"].keys() == {"commit", "tree", "blob", "tag"}
        assert column["index_bytes"] > 0
        assert column["total_bytes"] > sum(column["types"].values())
        assert column["pack"]["wall"] > 0 and column["pack"]["rss"] > 0
    assert repository["verify"].keys() == {"git index-pack", "git fsck", "git-zpack"}
    assert repository["restore"].keys() == {"git clone", "git-zpack"}
    for cost in repository["restore"].values():
        assert cost["wall"] > 0 and cost["bytes"] > 1000
    assert list(repository["walk"]) == ["git", "git-zpack"]
    for works in repository["walk"].values():
        assert works.keys() == {"list", "decode", "decode in pack order"}
        assert all(cost["wall"] > 0 for cost in works.values())
assert result["geometric_means"]["rev-list --objects --all s"]["git"] > 0
assert result["geometric_means"]["total bytes"]["git"] > 0
PYTHON

echo "-- says which command failed, and why"
if "$compare" --zpack "$zpack" "$directory/none" 2> "$directory/error"; then
  echo "a missing repository was accepted" >&2
  exit 1
fi
grep -q "^compare: 'git clone .*none.* ended with 128: fatal: " "$directory/error" || {
  cat "$directory/error" >&2
  exit 1
}
echo "-- all as expected"

echo "-- compares stock packs"
"$compare" --zpack "$zpack" --threads 2 --repack --walk --word numbers \
  --with=--window=30 --json "$directory/repack.json" "$directory/one" \
  > "$directory/table"
expect_texts "$directory/table" 'total bytes' 'log -S --raw --all s' 'rev-list --objects --all s'
python3 - "$directory/repack.json" <<'PYTHON'
import json, sys
[repository] = json.load(open(sys.argv[1]))["repositories"]
assert list(repository["columns"]) == ["git", "git-zpack"]
for column in repository["columns"].values():
    assert column["objects"] == 10 and column["total_bytes"] > 0, column
assert repository["verify"].keys() == {"git", "git-zpack"}
assert repository["read"].keys() == {"git", "git-zpack"}
PYTHON
