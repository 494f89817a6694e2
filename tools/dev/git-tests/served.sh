#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# What the programs here share: they stand in for Git's servers and answer from a
# .zpack file of the repository. To be sourced.
#
# tools/dev/run-git-tests copies them into a tree of links to a build of Git, with
# `settings` beside them, because a web server does not pass the environment on:
#   git_source  the build of Git
#   program     git-zpack
#   server      the program that serves .zpack files: git-zpack, or restored-server
#   cache       a directory for the .zpack files
#   log         gets a line for each connection: 'zpack DIRECTORY' or
#               'git DIRECTORY: REASON'

# shellcheck disable=SC1091  # written by run-git-tests
source "${BASH_SOURCE[0]%/*}/settings"
# shellcheck disable=SC2154  # from settings
git=$git_source/git

# clean COMMAND...: runs it without what the environment says about a repository, and
# without tracing, whose output the tests read. Git's own tests choose the files of
# configuration by the rest.
clean() (
  for name in "${!GIT_@}"; do
    case $name in
      GIT_CONFIG_NOSYSTEM | GIT_CONFIG_SYSTEM | GIT_CONFIG_GLOBAL) ;;
      *) unset "$name" ;;
    esac
  done
  exec "$@"
)

# find_git_directory DIRECTORY [SUFFIX...]: sets `git_directory` to the first of
# DIRECTORY with a SUFFIX that is a repository or a gitfile.
find_git_directory() {
  local suffix
  for suffix in "${@:2}"; do
    git_directory=$(clean "$git" rev-parse --resolve-git-dir "$1$suffix" \
      2> /dev/null) && return
  done
  reason='not a repository'
  return 1
}

# print_state: everything that the .zpack file depends on.
print_state() {
  local paths objects
  mapfile -t paths < <(in_repository rev-parse --path-format=absolute \
    --git-path objects --git-path HEAD --git-path shallow)
  mapfile -t objects < <(in_repository count-objects -v |
    sed -n 's/^alternate: //p')
  in_repository for-each-ref --format='%(refname) %(objectname) %(symref)'
  cat "${paths[@]:1}"
  # The time tells a damaged file from the one it was.
  find "${paths[0]}" "${objects[@]}" -type f -printf '%p %s %T@\n' | LC_ALL=C sort
}

in_repository() { clean "$git" --git-dir="$git_directory" "$@"; }

# convert_repository: sets `snapshot` to a directory that holds repository.zpack, or
# sets `reason` and returns 1 if git-zpack refuses the repository.
convert_repository() {
  local made
  # shellcheck disable=SC2154  # from settings
  snapshot=$cache/$(print_state 2> /dev/null | sha1sum | cut -d ' ' -f 1)
  if [[ ! -d $snapshot ]]; then
    made=$(mktemp -d "$cache/made.XXXXXX")
    # shellcheck disable=SC2154  # from settings
    if clean "$program" convert --quiet --no-verify --profile fast --threads 1 \
      "$git_directory" "$made/repository.zpack" 2> "$made/refused"; then
      rm "$made/refused"
    fi
    # Fails if another connection was faster; its file is the same.
    mv -T "$made" "$snapshot" 2> /dev/null || rm -rf "$made"
  fi
  [[ -e $snapshot/refused ]] || return 0
  reason=$(head -n 1 "$snapshot/refused")
  return 1
}

# export_settings: hands on what the repository configures about serving it, as if it
# were given with `git -c`. Settings that are there already come after it, as in Git.
export_settings() {
  local names=() values=() scope entry name i known=' '
  while IFS= read -r -d '' scope && IFS= read -r -d '' entry; do
    name=${entry%%$'\n'*}
    known+="$name "
    # Git does not take the hook from a repository either.
    if [[ $scope != @(local|worktree) || $name == uploadpack.packobjectshook ]]; then
      continue
    fi
    # A name without a value is true.
    if [[ $entry != *$'\n'* ]]; then entry+=$'\n'true; fi
    names+=("$name") values+=("${entry#*$'\n'}")
  done < <(in_repository config --show-scope -z --get-regexp \
    '^(uploadpack|uploadpackfilter|transfer|lsrefs|http)\.')
  # git-zpack allows both by default, Git neither.
  for name in uploadpack.allowfilter uploadpack.allowrefinwant; do
    if [[ $known != *" $name "* ]]; then
      names=("$name" "${names[@]}") values=(false "${values[@]}")
    fi
  done
  for ((i = 0; i < ${GIT_CONFIG_COUNT:-0}; i++)); do
    name=GIT_CONFIG_KEY_$i entry=GIT_CONFIG_VALUE_$i
    names+=("${!name}") values+=("${!entry}")
  done
  for i in "${!names[@]}"; do
    export "GIT_CONFIG_KEY_$i=${names[i]}" "GIT_CONFIG_VALUE_$i=${values[i]}"
  done
  export GIT_CONFIG_COUNT=${#names[@]}
}

# prepare DIRECTORY [SUFFIX...]: finds, converts and logs. Sets `snapshot`, or
# returns 1 if Git has to answer.
prepare() {
  reason='the server asks Git'
  # shellcheck disable=SC2154  # from settings
  if [[ -z ${ZPACK_SERVES:-} ]] && find_git_directory "$@" && convert_repository; then
    printf 'zpack %s\n' "$1" >> "$log"
    export_settings
  else
    printf 'git %s: %s\n' "$1" "$reason" >> "$log"
    return 1
  fi
}

# serve ARGUMENT...: lets the server answer. One that hangs fails one case only. One that
# asks Git gets an answer of Git, not of another server.
serve() {
  export ZPACK_SERVES=1
  # shellcheck disable=SC2154  # from settings
  exec timeout 120 "$server" "$@"
}
