#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Asks bash, zsh and fish what they complete after installation, and compares
# that with --help: commands, options of each command, values, files, refs.
#
#   completion_test.sh PREFIX    git-zpack is installed there, and on the PATH

set -euo pipefail
shopt -s extglob
prefix=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) scratch=$(mktemp -d)
trap 'rm -rf "$work" "$scratch"' EXIT
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
  "git-zpack cat-file columns\\.zpack ma" "git-zpack cat-file 'columns.zpack' ma"
  "git-zpack convert --threads 2 col" "git-zpack help verif"
  "git-zpack verify --format " "git-zpack verify --format=s" "git-zpack convert --redundancy "
  "git-zpack mount --log c" "git-zpack repack -g " "git-zpack archive -o c"
  "git-zpack log --color c" "git-zpack log --oneline -S x --all --raw c" "git-zpack cat-file --batch c")
# Values of options, which are the same in all shells.
values=()
# These two have no --help of their own.
for command in $commands; do
  case $command in help | version) continue ;; esac
  lines+=("git-zpack $command --")
  options=$(git-zpack "$command" --help |
    sed -nE 's/^  (-[^-])?( \[ )?(--[a-z0-9-]+)?( \])? <.*/\1\n\3/p' | sort -u)
  for option in $options; do
    case "$command $option" in
    # A value may be missing, or the command takes no files.
    *" --"@(batch|batch-check|color|pretty|decorate|abbrev|expand-tabs|find-renames|find-copies)) continue ;;
    "log -"[MC]) continue ;;
    esac
    values+=("git-zpack $command $option ")
    case "$command" in
    repack | http-backend | shell | exec) continue ;;
    convert) argument=col ;;
    grep) argument="word c" ;;
    *) argument=c ;;
    esac
    [[ "$command $option" == "grep "@(-[ef]|--regexp|--file) ]] && argument=c
    lines+=("git-zpack $command $option 1 $argument")
  done
done

# expected LINE: what completes it, one a line, sorted.
expected() {
  case "$1" in
  "git-zpack ") echo "$commands" ;;
  *--profile=) printf '%s\n' fast balanced max cold ;;
  *"--level ") seq 22 ;;
  *--level=o) echo objects ;;
  # Directories, and .zpack files where there are any.
  *" --format ") printf '%s\n' text json junit github sarif ;;
  *" --format=s") echo sarif ;;
  *" --redundancy ") printf '%s\n' 1% 2% 5% 10% 20% ;;
  *" -g ") printf '%s\n' 2 3 4 8 ;;
  *" help verif") echo verify ;;
  *" c") printf '%s\n' column-directory columns.zpack ;;
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
    "$scratch/zsh" "$@"
}

in_fish() {
  # shellcheck disable=SC2016  # variables of fish
  fish -N -c 'source $argv[1]
    for line in $argv[2..]
      echo "== $line"
      complete -C $line | string replace -r "\t.*" ""
    end
    true' "$prefix/share/fish/vendor_completions.d/git-zpack.fish" "$@"
}

for shell in bash zsh fish; do
  command -v "$shell" > /dev/null ||
    fail "$shell is missing; install it (tools/lib/packages.sh, test_packages)"
  "in_$shell" "${lines[@]}" "${values[@]}" > "$scratch/answers" 2> "$scratch/errors" ||
    fail "$shell: $(cat "$scratch/errors")"
  [[ ! -s $scratch/errors ]] || fail "$shell says: $(cat "$scratch/errors")"
  for line in "${lines[@]}"; do
    # Fish prints the whole word; the others print what follows '='. Fish and zsh
    # mark directories. Fish offers options of the program beside its commands.
    found=$(awk -v line="== $line" '/^== / { on = $0 == line; next } on' \
      "$scratch/answers" | sed -E 's/^--[a-z-]+=//; s:/$::' |
      if [[ $line == "git-zpack " ]]; then sed '/^-/d'; else cat; fi | sort -u)
    if [[ $line == *" --" ]]; then found=$(grep '^--' <<< "$found") || true; fi
    [[ $found == "$(expected "$line")" ]] || fail "$shell: '$line' completes to" \
      "other words than expected: $(diff <(expected "$line") <(echo "$found"))"
  done
  echo "-- $shell: ${#lines[@]} lines complete as expected"
  for line in "${values[@]}"; do
    printf '%s\n' "$line"
    awk -v line="== $line" '/^== / { on = $0 == line; next } on' "$scratch/answers" |
      sed 's:/$::' | sort -u
  done > "$scratch/values-$shell"
  diff "$scratch/values-bash" "$scratch/values-$shell" ||
    fail "$shell completes the values of an option to other words than bash"
done
