#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Makes Debian packages of a build, installs them into an empty root directory,
# uses them as users do, and removes them. Compares the binary interface of
# libzpack.so with that of the last release.
#
#   packages_test.sh BUILD_DIRECTORY

set -euo pipefail
build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The environment of whoever runs this must not decide.
unset GIT_DIR GIT_WORK_TREE
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 LC_ALL=C.UTF-8

fail() {
  echo "packages_test: $*" >&2
  exit 1
}

echo "-- interface of libzpack.so"
"$here/../../tools/dev/dump-abi" "$work/libzpack.abi"
abidiff "$here/libzpack.abi" "$work/libzpack.abi" ||
  fail "the interface differs from that of the last release (see above); if" \
    "programs built with it still work, run tools/dev/dump-abi"

echo "-- cpack"
(cd "$build" && cpack -G DEB -B "$work/packages") > "$work/cpack.log" 2>&1 ||
  fail "cpack failed: $(cat "$work/cpack.log")"
rm -rf "$work/packages/_CPack_Packages"
packages=("$work"/packages/*.deb)
names=$(for package in "${packages[@]}"; do dpkg-deb -f "$package" Package; done)
for name in git-zpack git-zpack-mount libzpack0 libzpack-git2-0 libzpack-dev; do
  grep -qx -e "$name" <<< "$names" || fail "there is no package $name"
done
for library in libgit2-1. libcurl4; do
  [[ $(dpkg-deb -f "$work"/packages/git-zpack_*.deb Depends) == *"$library"* ]] ||
    fail "git-zpack does not depend on $library"
done

echo "-- lintian"
lintian --allow-root --fail-on error,warning "${packages[@]}" > "$work/lintian" 2>&1 ||
  fail "lintian: $(cat "$work/lintian")"

# dpkg_root OPTION...: of a system with nothing but its database of packages.
dpkg_root() {
  # PATH has what dpkg needs of the system that runs it.
  PATH=$PATH:/usr/sbin:/sbin dpkg --root="$work/root" --log="$work/dpkg.log" \
    --force-depends,not-root,script-chrootless "$@" > "$work/dpkg" 2>&1 ||
    fail "dpkg $*: $(cat "$work/dpkg")"
}
# What is in the root directory but for the database and directories of its own.
installed() { find "$work/root" -path "*/var/lib/dpkg" -prune -o -print | sort; }

echo "-- install"
mkdir -p "$work/root/var/lib/dpkg/"{info,updates,triggers}
touch "$work/root/var/lib/dpkg/"{status,available}
before=$(installed)
dpkg_root --install "${packages[@]}"
usr=$work/root/usr
PATH=$usr/bin:$PATH

echo "-- git zpack"
git init -q "$work/repository"
git -C "$work/repository" -c user.name=A -c user.email=a@example.com \
  commit -q --allow-empty -m first
git zpack convert -q "$work/repository" "$work/repository.zpack"
git zpack verify -q --against "$work/repository" "$work/repository.zpack"
git clone -q "zpack::$work/repository.zpack" "$work/clone"

echo "-- man pages"
for page in "$here"/../../tools/man/*.1; do
  page=${page##*/}
  found=$(MANPATH=$usr/share/man man -w "${page%.1}") || fail "man finds no ${page%.1}"
  [[ $found == "$usr/share/man/man1/$page.gz" ]] || fail "man finds $found"
done

echo "-- guides"
for guide in "$here"/../../tools/guides/*.md; do
  [[ -s $usr/share/doc/git-zpack/guides/${guide##*/} ]] || fail "no guide ${guide##*/}"
done

echo "-- completion"
"$here/completion_test.sh" "$usr"

echo "-- libraries"
library=$(find "$usr/lib" -name libzpack.so.0)
read -ra flags < <(PKG_CONFIG_PATH=${library%/*}/pkgconfig pkg-config --cflags --libs zpack-c)
cc -std=c11 "$here/../../tools/examples/read_archive.c" -o "$work/read_archive" "${flags[@]}"
[[ $(LD_LIBRARY_PATH=${library%/*} "$work/read_archive" "$work/repository.zpack") == \
  *"commit 1 "* ]] || fail "the program in C does not find the commit"
module=$usr/lib/python3/dist-packages
if [[ -d $module ]]; then
  count=$(PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$module /usr/bin/python3 -c \
    'import sys, zpack; print(len(list(zpack.open(sys.argv[1]))))' "$work/repository.zpack")
  [[ $count == 2 ]] || fail "Python finds $count objects, not 2"
fi

echo "-- removal"
# shellcheck disable=SC2086  # a list of words
dpkg_root --purge $names
[[ $(installed) == "$before" ]] ||
  fail "left behind: $(diff <(echo "$before") <(installed))"
echo "-- all as expected"
