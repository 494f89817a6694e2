#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs tools/bench/scale on two small repositories and checks that everything it
# promises is in the tables and in the JSON.
#
#   scale_test.sh GIT_ZPACK

set -euo pipefail
# shellcheck source=tests/bench/setup.sh
source "$(dirname "$0")/setup.sh"

"$bench/make-repo" --commits 20 "$directory/small.git"
"$bench/make-repo" --commits 60 "$directory/large.git"

echo "-- measures all that it promises"
"$bench/scale" --zpack "$zpack" --threads 2 --stock --json "$directory/result.json" \
  "$directory/small.git" "$directory/large.git" > "$directory/table"
expect_texts "$directory/table" commits 'CPU s' 'file bytes' 'peak MiB' 'bytes/object' '  growth  *3.00 ' \
  small.git large.git 'git: wall s' 'Compressing objects' 'Verifying objects'
python3 - "$directory/result.json" <<'PYTHON'
import json, sys
result = json.load(open(sys.argv[1]))
small, large = result["repositories"]
[growth] = result["growth"]
assert small["commits"] == 20 and large["commits"] == 60
assert small["objects"] < large["objects"] and small["bytes"] < large["bytes"]
for row in small, large:
    assert row["wall"] > 0 and row["cpu"] > 0 and row["rss"] > 0, row
    assert row["stock"]["bytes"] > 0 and row["stock"]["wall"] > 0, row
assert growth["commits"] == 3
assert growth["bytes"] == large["bytes"] / small["bytes"]
more = large["objects"] - small["objects"]
assert growth["rss_per_object"] == (large["rss"] - small["rss"]) / more
PYTHON

echo "-- says which command failed, and why"
if "$bench/scale" --zpack "$zpack" "$directory/none" 2> "$directory/error"; then
  echo "a missing repository was accepted" >&2
  exit 1
fi
grep -q "^scale: .*convert.* ended with 128: fatal: " "$directory/error" || {
  cat "$directory/error" >&2
  exit 1
}
