#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Asks bash, zsh and fish what they complete after installation, and compares
# that with --help: commands, options of each command, values, files, refs.
#
#   completion_test.sh PREFIX    git-zpack is installed there, and on the PATH

set -euo pipefail
prefix=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/../golden/v1/columns.zpack" "$work/columns.zpack"
touch "$work/columns.txt"
mkdir "$work/column-directory"
export HOME=$work LC_ALL=C.UTF-8 GIT_CONFIG_GLOBAL=/dev/null
cd "$work"

fail() {
  echo "completion_test: $*" >&2
  exit 1
}

# The lines to complete: one for each command's options, then one of each kind.
commands=$(git-zpack --help | sed -n 's/^   \([a-z][a-z-]*\) .*/\1/p')
lines=("git-zpack " "git-zpack convert --profile=" "git-zpack convert --level "
  "git-zpack verify --level=o" "git-zpack show c" "git-zpack cat-file columns.zpack ma"
  "git-zpack convert --threads 2 col")
# These two have no --help of their own.
for command in $commands; do
  case $command in help | version) ;; *) lines+=("git-zpack $command --") ;; esac
done

# expected LINE: what completes it, one a line, sorted.
expected() {
  case "$1" in
  "git-zpack ") echo "$commands" ;;
  *--profile=) printf '%s\n' fast balanced max cold ;;
  *"--level ") seq 22 ;;
  *--level=o) echo objects ;;
  # Directories, and .zpack files where there are any.
  *" show c") printf '%s\n' column-directory columns.zpack ;;
  *" ma") echo main ;;
  *" col") echo column-directory ;;
  *" --")
    read -r _ command _ <<< "$1"
    git-zpack "$command" --help | sed -n '/^options:/,$p' |
      sed -nE 's/^  (-[^-] \[ )?(--[a-z0-9-]+).*/\2/p'
    ;;
  esac | sort
}

# in_SHELL LINE...: prints '== LINE' and what completes it, for each.
in_bash() {
  bash --norc --noprofile -s "$prefix" "$@" << 'BASH'
source "$1/share/bash-completion/completions/git-zpack"
compopt() { :; }  # works only while a key is handled
for line in "${@:2}"; do
  read -ra COMP_WORDS <<< "${line//=/ = }"
  [[ $line == *[\ =] ]] && COMP_WORDS+=("")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$line COMPREPLY=()
  __git_zpack_main
  printf '%s\n' "== $line" "${COMPREPLY[@]}"
done
BASH
}

in_zsh() {
  zsh -f "$here/complete.zsh" "$(dirname "$(find "$prefix" -name _git-zpack)")" \
    "$work/zsh" "$@"
}

in_fish() {
  # shellcheck disable=SC2016  # variables of fish
  fish -N -c 'source $argv[1]
    for line in $argv[2..]
      echo "== $line"
      complete -C $line | string replace -r "\t.*" ""
    end' "$prefix/share/fish/vendor_completions.d/git-zpack.fish" "$@"
}

for shell in bash zsh fish; do
  command -v "$shell" > /dev/null ||
    fail "$shell is missing; install it (tools/lib/packages.sh, test_packages)"
  "in_$shell" "${lines[@]}" > "$work/answers" 2> "$work/errors" ||
    fail "$shell: $(cat "$work/errors")"
  [[ ! -s $work/errors ]] || fail "$shell says: $(cat "$work/errors")"
  for line in "${lines[@]}"; do
    # Fish prints the whole word; the others print what follows '='. Fish and zsh
    # mark directories. Fish offers options of the program beside its commands.
    found=$(awk -v line="== $line" '/^== / { on = $0 == line; next } on' \
      "$work/answers" | sed -E 's/^--[a-z-]+=//; s:/$::' |
      if [[ $line == "git-zpack " ]]; then sed '/^-/d'; else cat; fi | sort -u)
    if [[ $line == *" --" ]]; then found=$(grep '^--' <<< "$found") || true; fi
    [[ $found == "$(expected "$line")" ]] || fail "$shell: '$line' completes to" \
      "other words than expected: $(diff <(expected "$line") <(echo "$found"))"
  done
  echo "-- $shell: ${#lines[@]} lines complete as expected"
done
