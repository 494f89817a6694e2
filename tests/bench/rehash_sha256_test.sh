#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs tools/bench/rehash-sha256 and compares the histories of both repositories.
#
#   rehash_sha256_test.sh

set -euo pipefail
rehash=$(cd "$(dirname "$0")/../.." && pwd)/tools/bench/rehash-sha256
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
unset GIT_DIR GIT_WORK_TREE
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
for who in AUTHOR COMMITTER; do
  export "GIT_${who}_NAME=A" "GIT_${who}_EMAIL=a@example.com"
done

fail() {
  echo "$*" >&2
  exit 1
}

in_source() { git -C "$directory/source" "$@"; }
in_target() { git -C "$directory/target" "$@"; }

# Everything but ids.
history() {
  git -C "$1" log --all --reverse --topo-order --raw --no-abbrev \
    --format='%an %ad %s' | sed -E 's/[0-9a-f]{40,}/ID/g'
}
refs() {
  git -C "$1" for-each-ref \
    --format='%(refname) %(objecttype) %(symref) %(contents:subject)'
}

# Without tags of tags, which are left out.
expect_same() {
  rm -rf "$directory/target"
  "$rehash" "$directory/source" "$directory/target"
  [[ $(in_target rev-parse --show-object-format) == sha256 ]] ||
    fail "the object format is not sha256"
  in_target fsck --full --strict
  diff <(history "$directory/source") <(history "$directory/target")
  diff <(refs "$directory/source" |
    grep -v "^refs/tags/nested ") <(refs "$directory/target")
}

echo "-- a repository without commits"
git init -q -b trunk "$directory/source"
expect_same
[[ $(in_target symbolic-ref HEAD) == refs/heads/trunk ]] || fail "wrong HEAD"

echo "-- branches, merges, nested tags, symbolic refs"
for name in one two; do
  echo "commit HEAD" > "$directory/source/$name"
  in_source add .
  in_source commit -qm "$name"
done
in_source checkout -qb side HEAD~1
in_source commit -qm side --allow-empty
in_source checkout -q trunk
in_source merge -qm merge side
for id in 1 2; do
  in_source update-index --add --cacheinfo "160000,$(printf "$id%.0s" {1..40}),sub/module"
  in_source commit -qm "submodule at $id"
done
in_source tag light
in_source tag -m annotated annotated
in_source tag -m nested nested annotated 2> /dev/null
in_source symbolic-ref refs/remotes/origin/HEAD refs/heads/trunk
expect_same
[[ $(in_target symbolic-ref HEAD) == refs/heads/trunk ]] || fail "wrong HEAD"

[[ $(in_target rev-parse HEAD:sub/module) == 2222* ]] || fail "wrong submodule"

echo "-- a detached HEAD that no ref reaches"
in_source checkout -q --detach
in_source commit -qm detached --allow-empty
expect_same
[[ $(in_target log -1 --format=%s HEAD) == detached ]] || fail "wrong HEAD"
! in_target symbolic-ref -q HEAD || fail "HEAD is not detached"

echo "-- wrong arguments"
code=0
"$rehash" "$directory/source" 2> /dev/null || code=$?
[[ $code == 129 ]] || fail "exit code $code"
code=0
"$rehash" "$directory/source" "$directory/target" 2> "$directory/message" || code=$?
[[ $code == 128 ]] || fail "exit code $code"
grep -q "exists" "$directory/message" || fail "no reason"
[[ -d $directory/target ]] || fail "the target is gone"
"$rehash" --help | grep -q usage || fail "no help"
