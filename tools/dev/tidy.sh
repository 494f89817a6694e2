#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs clang-tidy-19 with the checks of .clang-tidy over what the build directory
# compiles from src/ and tools/, or over the files given. Most of the time goes into
# headers, so a quick build (-DZPACK_QUICK_BUILD=ON), which has few units, takes
# least. All findings are errors.
#
#   tools/dev/tidy.sh [-p BUILD_DIRECTORY] [FILE...]

set -euo pipefail
cd "$(dirname "$0")/../.."

build=build/release
if [[ ${1:-} == -p ]]; then
  build=${2:?"tidy.sh: -p needs a build directory"}
  shift 2
fi
tidy=${CLANG_TIDY:-clang-tidy-19}

if ! command -v "$tidy" > /dev/null; then
  echo "tidy.sh: '$tidy' is missing; run 'apt-get install clang-tidy-19'" >&2
  exit 1
fi
if [[ ! -f $build/compile_commands.json ]]; then
  echo "tidy.sh: '$build' is not configured; run 'cmake --preset release'" >&2
  exit 1
fi

# What clang-tidy says about warnings it suppressed goes to standard error, with
# its own failures; it is shown only when something failed.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
units=("$@")
if [[ $# -eq 0 ]]; then
  # tools/packaging compiles the same sources once more.
  here=$(realpath .)
  directory=$(realpath "$build")
  mapfile -t units < <(sed -n 's/^  "file": "\(.*\)",\?$/\1/p' "$build/compile_commands.json" |
    grep -E "^($here|$directory)/(src|tools)/" | grep -v "^$directory/tools/packaging/")
fi
if [[ ${#units[@]} -eq 0 ]]; then
  echo "tidy.sh: '$build' compiles nothing from src/ or tools/" >&2
  exit 1
fi
# One unit a process, since the slowest unit decides when all are done.
if ! printf '%s\0' "${units[@]}" |
  xargs -0 -n 1 -P "$(nproc)" "$tidy" -p "$build" --quiet 2>> "$log"; then
  grep -vE '^[0-9]+ (warnings?|errors?)' "$log" >&2 || true
  echo "tidy.sh: clang-tidy found errors; they are listed above" >&2
  exit 1
fi
echo "clang-tidy: ${#units[@]} units are clean"
