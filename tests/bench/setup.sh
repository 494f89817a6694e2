#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# What the tests of tools/bench share. To be sourced by a test whose first argument
# is git-zpack. Sets zpack, bench and directory, which is removed at the end, and
# keeps anyone's configuration of Git away.

zpack=$(realpath "$1")
bench=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/tools/bench
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
unset GIT_DIR GIT_WORK_TREE
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1

# expect_texts FILE PATTERN...: ends the test unless each pattern is in the file.
expect_texts() {
  local file=$1 text
  for text in "${@:2}"; do
    grep -q "$text" "$file" || {
      echo "no '$text' in the table:" >&2
      cat "$file" >&2
      exit 1
    }
  done
}
