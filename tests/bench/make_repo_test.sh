#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs tools/bench/make-repo and checks that Git finds the repositories sound,
# and that the arguments alone decide what is in them.
#
#   make_repo_test.sh

set -euo pipefail
make_repo=$(cd "$(dirname "$0")/../.." && pwd)/tools/bench/make-repo
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
unset GIT_DIR GIT_WORK_TREE
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1

fail() {
  echo "$*" >&2
  exit 1
}

make() {
  "$make_repo" --commits "$2" --seed "$3" "$directory/$1"
  found=$(git -C "$directory/$1" rev-list --all --count)
  [[ $found == "$2" ]] || fail "$found commits in place of $2"
}

refs() {
  git -C "$directory/$1" for-each-ref
}

echo "-- Git finds it sound, and nothing unreachable in it"
make one 500 1
found=$(git -C "$directory/one" fsck --full --strict --unreachable 2>&1)
[[ -z $found ]] || fail "$found"
merges=$(git -C "$directory/one" rev-list --all --merges --count)
((merges >= 50 && merges <= 125)) || fail "$merges merges in 500 commits"

echo "-- the same arguments, the same commits"
make two 500 1
[[ $(refs one) == "$(refs two)" ]] || fail "two runs differ"

echo "-- a shorter history is the beginning of a longer one"
make short 300 1
short=$(git -C "$directory/short" rev-parse main)
git -C "$directory/one" merge-base --is-ancestor "$short" main ||
  fail "$short is not in the longer history"

echo "-- another seed, other commits"
make other 500 2
[[ $(refs one) != "$(refs other)" ]] || fail "the seed changes nothing"

echo "-- writes into no directory that exists"
if "$make_repo" --commits 10 "$directory/one" 2> "$directory/error"; then
  fail "an existing directory was accepted"
fi
grep -q "'$directory/one' exists" "$directory/error" || fail "$(cat "$directory/error")"
