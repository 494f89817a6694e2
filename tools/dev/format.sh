#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Formats all C++ files in place with clang-format-19, or with --check only
# says which are not formatted and fails.
#
#   tools/dev/format.sh [--check]

set -euo pipefail
cd "$(dirname "$0")/../.."

format=${CLANG_FORMAT:-clang-format-19}
if ! command -v "$format" > /dev/null; then
  echo "format.sh: '$format' is missing; run 'apt-get install clang-format-19'" >&2
  exit 1
fi

case ${1:-} in
  "") mode=(-i) ;;
  --check) mode=(--dry-run -Werror) ;;
  *)
    echo "usage: tools/dev/format.sh [--check]" >&2
    exit 129
    ;;
esac

if ! find src include tools tests \( -name '*.cc' -o -name '*.h' \) -print0 |
  sort -z | xargs -0 "$format" --style=file "${mode[@]}"; then
  echo "format.sh: run tools/dev/format.sh to format the files above" >&2
  exit 1
fi
