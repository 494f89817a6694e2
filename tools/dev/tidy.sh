#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs clang-tidy-19 with the checks of .clang-tidy over what the build directory
# compiles from src/ and tools/, or over the files given. A directory of a unity
# build takes a tenth of the time, since most of it goes into headers: its units
# are joined to larger ones. All findings are errors.
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

# check UNIT [PART...]: names that two parts of a larger unit use are no fault of
# the sources; then each part is checked alone.
check() {
  local output code=0
  output=$("$tidy" -p "$(dirname "$1")" --quiet "$1" 2>> "$log") || code=$?
  if [[ $code -ne 0 && $# -gt 1 && $output == *clang-diagnostic-error* ]]; then
    shift
    "$tidy" -p "$build" --quiet "$@" 2>> "$log"
    return
  fi
  if [[ -n $output ]]; then printf '%s\n' "$output"; fi
  return "$code"
}

# What clang-tidy says about warnings it suppressed goes to standard error, with
# its own failures; it is shown only when something failed.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export -f check
export build log tidy
if [[ $# -gt 0 ]]; then
  units=("$@")
  run=("$tidy" -p "$build" --quiet)
else
  mapfile -t units < <(tools/dev/group_units.py "$build")
  run=(bash -c 'check $1' -)
fi
if [[ ${#units[@]} -eq 0 ]]; then
  echo "tidy.sh: '$build' compiles nothing from src/ or tools/" >&2
  exit 1
fi
# One unit a process, since the slowest unit decides when all are done.
if ! printf '%s\0' "${units[@]}" |
  xargs -0 -n 1 -P "$(nproc)" "${run[@]}" 2>> "$log"; then
  grep -vE '^[0-9]+ (warnings?|errors?)' "$log" >&2 || true
  echo "tidy.sh: clang-tidy found errors; they are listed above" >&2
  exit 1
fi
echo "clang-tidy: ${#units[@]} units are clean"
