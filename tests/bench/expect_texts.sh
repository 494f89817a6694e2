#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# What the tests of tools/bench share. To be sourced.

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
