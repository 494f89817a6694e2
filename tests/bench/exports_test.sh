#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs tools/bench/exports on a small repository and checks that everything it
# promises is in the table and in the JSON.
#
#   exports_test.sh GIT_ZPACK

set -euo pipefail
# shellcheck source=tests/bench/setup.sh
source "$(dirname "$0")/setup.sh"
export TMPDIR=$directory

"$bench/make-repo" --commits 60 "$directory/repo.git"

"$bench/exports" --zpack "$zpack" --threads 1 --json "$directory/result.json" "$directory/repo.git" > "$directory/table"
expect_texts "$directory/table" 'git repack -adF' 'peak MiB' 'profile cold' 'fast-export | xz -9e' 'zstd --ultra -22 --long=31'
python3 - "$directory/result.json" <<'PYTHON'
import json, sys
result = json.load(open(sys.argv[1]))
rows = {title: row["bytes"] for title, row in result["rows"].items()}
assert all(size > 1000 for size in rows.values()), rows
assert result["export_bytes"] > rows["fast-export | xz -9e"]
assert rows["convert --profile cold"] < rows["convert --profile balanced"] < rows["git repack -adF"]
PYTHON
