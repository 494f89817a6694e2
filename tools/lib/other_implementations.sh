#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# How tools/dev builds the programs that use other implementations of Git. To be
# sourced; `cache` is the directory to build in.

# shellcheck disable=SC2034  # read by those who source this
jgit_version=7.8.1.202611041320-r
jgit_artifacts=(
  "org.eclipse.jgit:org.eclipse.jgit:$jgit_version"
  com.googlecode.javaewah:JavaEWAH:1.2.3
  commons-codec:commons-codec:1.22.1
  org.slf4j:slf4j-api:2.0.18
  org.slf4j:slf4j-simple:2.0.18
)
maven_copy=org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy
# Problems shown of each implementation; damage makes many.
max_problems=3

# need COMMAND...: sets `reason` and returns 1 if one is missing.
need() {
  local command
  for command in "$@"; do
    if ! command -v "$command" > /dev/null; then
      reason="'$command' is missing"
      return 1
    fi
  done
}

# build LOG COMMAND...: sets `reason` and returns 1 if the command fails.
build() {
  # shellcheck disable=SC2154  # set by those who source this
  local log=$cache/$1.log
  shift
  if ! "$@" >> "$log" 2>&1; then
    # shellcheck disable=SC2034
    reason="cannot be built; see $log"
    return 1
  fi
}

# build_with_libgit2 SOURCE PROGRAM: sets `version`, or `reason` and returns 1.
build_with_libgit2() {
  local flags
  need cc pkg-config || return 1
  # shellcheck disable=SC2034
  if ! version=$(pkg-config --modversion libgit2 2> /dev/null); then
    reason="'libgit2-dev' is missing"
    return 1
  fi
  read -ra flags <<< "$(pkg-config --cflags --libs libgit2)"
  build libgit2 cc -std=c11 -O2 -Wall -Wextra -Werror -o "$2" "$1" "${flags[@]}"
}

# build_with_jgit SOURCE: sets `version`, and `jgit_path` to the class path, or
# sets `reason` and returns 1.
build_with_jgit() {
  local artifact name number jgit=$cache/jgit-$jgit_version
  need java javac mvn || return 1
  # shellcheck disable=SC2034
  version=$jgit_version
  jgit_path=$jgit
  mkdir -p "$jgit"
  for artifact in "${jgit_artifacts[@]}"; do
    IFS=: read -r _ name number <<< "$artifact"
    jgit_path+=:$jgit/$name-$number.jar
    [[ -e $jgit/$name-$number.jar ]] ||
      build jgit mvn -B -C "$maven_copy" "-Dartifact=$artifact" \
        "-DoutputDirectory=$jgit" || return 1
  done
  build jgit javac -cp "$jgit_path" -d "$jgit" "$1"
}

# copy_changed SOURCE... DIRECTORY: leaves files alone that are the same, so that
# they are not built again.
copy_changed() {
  local directory=${*: -1} file
  mkdir -p "$directory"
  for file in "${@:1:$#-1}"; do
    cmp -s "$file" "$directory/${file##*/}" || cp "$file" "$directory"
  done
}

# show PROBLEMS: the first lines of the file.
show() {
  awk -v most="$max_problems" 'NR <= most { print "    " $0 }
    END { if (NR > most) printf "    and %d more\n", NR - most }' "$1"
}
