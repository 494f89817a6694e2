#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs tools/bench/shapes on some shapes: files are smaller than Git's packs, also
# of large files.
#
#   shapes_test.sh GIT_ZPACK

set -euo pipefail
# shellcheck source=tests/bench/setup.sh
source "$(dirname "$0")/setup.sh"

"$bench/shapes" --zpack "$zpack" --profile fast --json "$directory/result.json" \
  small-text large-text growing-large-text flat-directory > "$directory/table"
expect_texts "$directory/table" shape 'git CPU' large-text flat-directory
python3 - "$directory/result.json" <<'PYTHON'
import json, sys
most = {"small-text": 0.6, "large-text": 0.9, "growing-large-text": 1.4, "flat-directory": 0.4}
rows = json.load(open(sys.argv[1]))
assert [row["shape"] for row in rows] == list(most), rows
for row in rows:
    assert row["file"] < most[row["shape"]] * row["git"], row
PYTHON

echo "-- names the shapes that there are"
! "$bench/shapes" no-shape 2> "$directory/error"
grep -q "no shape 'no-shape'; there are small-text, " "$directory/error"
