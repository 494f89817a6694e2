#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# What the tests of git-zpack-fleet need and Debian does not have: the Python
# package s3fs, of the version that fits Debian's fsspec, an S3 server, and one
# that knows retention.
#
#   fleet_environment.sh DIRECTORY
#
# Writes DIRECTORY/site, DIRECTORY/bin/gofakes3 and DIRECTORY/bin/versitygw. What
# cannot be had is left out with a sentence; the tests that need it are then skipped.

set -uo pipefail
directory=$(mkdir -p "$1" && cd "$1" && pwd)
site=$directory/site

if [[ ! -e $site/s3fs ]]; then
  if ! /usr/bin/python3 -m pip install -q --root-user-action=ignore --target "$site.new" \
    s3fs==2022.11.0; then
    echo "No s3fs: the tests of a store on S3 are skipped." >&2
    rm -rf "$site.new"
    exit 0
  fi
  rm -rf "$site"
  mv "$site.new" "$site"
fi
# server MODULE: a program in Go
server() {
  local name=${1##*/}
  name=${name%@*}
  [[ -x $directory/bin/$name ]] && return
  if ! command -v go > /dev/null; then
    echo "No go to build the S3 server $name with: the tests that need it are skipped." >&2
  elif ! GOBIN=$directory/bin GOFLAGS=-modcacherw go install "$1"; then
    echo "go cannot build the S3 server $name: the tests that need it are skipped." >&2
  fi
}
server github.com/johannesboyne/gofakes3/cmd/gofakes3@v1.2.0
server github.com/versity/versitygw/cmd/versitygw@v1.8.0
exit 0
