#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs tools/bench/{levels,codecs,chains,stores} on a small repository and checks
# that everything they promise is in the tables and in the JSON.
#
#   codecs_test.sh GIT_ZPACK DIRECTORY_OF_HELPERS

set -euo pipefail
# shellcheck source=tests/bench/setup.sh
source "$(dirname "$0")/setup.sh"
helpers=$(realpath "$2")

"$bench/make-repo" --commits 60 "$directory/small.git"

# run NAME OPTION...: leaves the table and the JSON in files.
run() {
  local name=$1
  shift
  "$bench/$name" --zpack "$zpack" --threads 2 --json "$directory/$name.json" "$@" \
    "$directory/small.git" > "$directory/$name" 2> "$directory/log" || {
    cat "$directory/log" >&2
    exit 1
  }
}

# expect NAME TEXT...: the texts are in the table.
expect() {
  local table=$directory/$1 text
  shift
  for text in "$@"; do
    grep -qF -- "$text" "$table" || {
      echo "no '$text' in the table:" >&2
      cat "$table" >&2
      exit 1
    }
  done
}

echo "-- levels"
run levels --levels 1-2 --helper "$helpers/levels_benchmark"
expect levels 'Git, zlib 9' 'git-zpack repack' 'entries: zstd 22' 'entries: none' \
  '.zpack, level 2' '.zpack, profile max' 'with new context'

echo "-- codecs"
run codecs --sample 20000 --levels 1-3 --jobs 4 --workers 2 --seconds 0.001 \
  --helper "$helpers/codecs_benchmark" --pool-helper "$helpers/pool_benchmark"
expect codecs 'commit: ' 'stream of blobs: ' 'KiB measured' 'one for each thread' pool

echo "-- chains"
run chains --files 3 --versions 20 --seconds 0.001 \
  --helper "$helpers/chains_benchmark" --reader "$helpers/levels_benchmark"
expect chains 'line deltas' 'dictionary chain' 'profile max' "Git's pack"

echo "-- stores"
run stores --random 100 --helper "$helpers/stores_benchmark" \
  --reader "$helpers/levels_benchmark"
expect stores lmdb berkeley-db sqlite .zpack 'gzip 9' 'zstd 19'

python3 - "$directory" <<'PYTHON'
import json, sys
levels, codecs, chains, stores = (
    json.load(open(f"{sys.argv[1]}/{name}.json"))
    for name in ("levels", "codecs", "chains", "stores"))

rows = {(row["name"], row["by"]): row for row in levels["rows"]}
assert len(rows) == 3 + 1 + 12 + 2 + 3 * 2, list(rows)
assert rows["the same pack", "bench"]["bytes"] == rows["Git, zlib 6", "git"]["bytes"]
assert rows["entries: none", "bench"]["bytes"] > rows["entries: lz4", "bench"]["bytes"]
for row in rows.values():
    assert row["bytes"] > 0 and all(cost["cpu"] >= 0 for cost in row["walks"].values())
assert all(row["walks"]["search"]["found"] > 0 for (_, by), row in rows.items()
           if by == "bench")

assert len(codecs["sets"]) == 6, list(codecs["sets"])
for found in codecs["sets"].values():
    assert list(found) == ["1", "2", "3"]
    assert found["1"]["stored"] < found["1"]["raw"]
    assert found["3"]["measured"] >= found["1"]["measured"] > 0
assert len(codecs["contexts"]) == 4
assert len({way["bytes"] for way in codecs["contexts"]}) == 1

assert len(chains["rows"]) == 14 + 4 + 1
sizes = {(row["form"], row["method"]): row["stored"] for row in chains["rows"]}
assert sizes["texts", "dictionary chain"] < sizes["texts", "discrete"]
assert sizes["line deltas", "no codec"] < chains["rows"][0]["raw"]

assert {"loose", "lmdb", "berkeley-db", "sqlite", "pack", ".zpack"} <= {
    row["name"] for row in stores["rows"]}
for row in stores["rows"]:
    assert row["read_all"]["objects"] == stores["objects"], row
    assert row["read_some"]["objects"] == 100, row
assert len(stores["checkout"]) == 16
PYTHON

echo "-- says what is wrong with a repository"
if "$bench/levels" --zpack "$zpack" --helper "$helpers/levels_benchmark" \
  "$directory/none" 2> "$directory/error"; then
  echo "a missing repository was accepted" >&2
  exit 1
fi
grep -q "^levels: 'git clone .*none.* ended with 128: fatal: " "$directory/error" || {
  cat "$directory/error" >&2
  exit 1
}
