#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs clang-tidy-19 with the checks of .clang-tidy over what the build directory
# compiles from src/ and tools/, or over the files given. A directory of a unity
# build takes a fifth of the time. All findings are errors.
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

files=("$@")
if [[ ${#files[@]} -eq 0 ]]; then
  mapfile -t files < <(python3 - "$build/compile_commands.json" << 'EOF'
import json, re, sys
for entry in json.load(open(sys.argv[1])):
    if re.search(r"-o (src|tools)/", entry["command"]):
        print(entry["file"])
EOF
  )
fi
if [[ ${#files[@]} -eq 0 ]]; then
  echo "tidy.sh: '$build' compiles nothing from src/ or tools/" >&2
  exit 1
fi

# One file a process, since the slowest file decides when all are done. What
# clang-tidy says about warnings it suppressed goes to standard error, with its
# own failures; it is shown only when something failed.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$(nproc)" "$tidy" -p "$build" --quiet 2> "$log"; then
  grep -vE '^[0-9]+ (warnings?|errors?)' "$log" >&2 || true
  echo "tidy.sh: clang-tidy found errors; they are listed above" >&2
  exit 1
fi
echo "clang-tidy: ${#files[@]} units are clean"
