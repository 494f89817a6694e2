#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs a build into a temporary prefix and uses it as users do: 'git zpack'
# from PATH, manual pages, completion, and the library through find_package()
# and pkg-config.
#
#   install_test.sh BUILD_DIRECTORY [C++ COMPILER]

set -euo pipefail
build=$(realpath "$1")
compiler=${2:-g++}
here=$(cd "$(dirname "$0")" && pwd)
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
# The environment of whoever runs this must not decide.
unset GIT_DIR GIT_WORK_TREE CMAKE_PREFIX_PATH PKG_CONFIG_PATH
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1

fail() {
  echo "install_test: $*" >&2
  exit 1
}

cmake --install "$build" --prefix "$prefix/usr" > "$prefix/install.log" ||
  fail "cmake --install failed: $(cat "$prefix/install.log")"
PATH=$prefix/usr/bin:$PATH

echo "-- git zpack"
version=$(git zpack --version)
[[ $version == "git-zpack version "* ]] || fail "unexpected version '$version'"
[[ $(command -v git-zpack) == "$prefix/usr/bin/git-zpack" ]] ||
  fail "git-zpack is not the installed one"

echo "-- manual pages"
# git-zpack(1) describes 'help' and 'version'.
mapfile -t pages < <(git-zpack --help |
  sed -nE '/^   (help|version) /d; s/^   ([a-z][a-z-]*) .*/git-zpack-\1/p')
[[ ${#pages[@]} -ne 0 ]] || fail "git-zpack --help lists no commands"
for page in git-zpack git-remote-zpack "${pages[@]}"; do
  file=$(find "$prefix/usr" -path "*/man/man1/$page.1")
  [[ -f $file ]] || fail "no manual page $page.1"
  # Whatever the formatter says is a mistake in the page.
  complaints=$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$file" \
    2>&1 > /dev/null) || true
  [[ -z $complaints ]] || fail "$page.1: $complaints"
done

echo "-- completion"
# packages_test.sh tries them.
for file in bash-completion/completions/git-zpack zsh/site-functions/_git-zpack \
  fish/vendor_completions.d/git-zpack.fish; do
  [[ -f $prefix/usr/share/$file ]] || fail "no completion $file"
done

echo "-- documents and the entry for file(1)"
for document in doc/git-zpack/LICENSE doc/git-zpack/FORMAT.md; do
  [[ -s $prefix/usr/share/$document ]] || fail "no $document"
done
guides=$prefix/usr/share/doc/git-zpack/guides
for guide in "$here"/../../tools/guides/*.md; do
  [[ -s $guides/${guide##*/} ]] || fail "no guide ${guide##*/}"
  while read -r link; do
    [[ -e $guides/${link%#*} ]] || fail "${guide##*/} links $link, which is not installed"
  done < <(grep -o '](\.*[/a-z][^():]*)' "$guide" | sed 's/^](//; s/)$//')
done
[[ -s $prefix/usr/share/git-zpack/magic/zpack ]] || fail "no entry for file(1)"
git zpack help verify > "$prefix/help" < /dev/null
[[ -s $prefix/help ]] || fail "no help"

echo "-- library"
git init -q "$prefix/repository"
git -C "$prefix/repository" -c user.name=A -c user.email=a@example.com \
  commit -q --allow-empty -m first
expected="${version#git-zpack version }"
expected="${expected%% *} 2 $(git -C "$prefix/repository" rev-parse HEAD)"

# check_consumer PROGRAM
check_consumer() {
  local found
  found=$("$1" "$prefix/repository" "$1.zpack")
  [[ $found == "$expected" ]] || fail "$1 printed '$found', not '$expected'"
  git zpack verify -q --against "$prefix/repository" "$1.zpack"
}

# check_exports HEADER LIBRARY VERSION: the library exports the functions that
# the header declares, with this version, and nothing else.
check_exports() {
  local declared exported others
  [[ -f $2 ]] || fail "no library for $1"
  declared=$(sed -n 's/^ZPACK_API .*\(zpack_[a-z0-9_]*\)(.*/\1/p' "$1" | sort)
  exported=$(nm -D --defined-only "$2" |
    sed -n "s/.* T \(zpack_[a-z0-9_]*\)@@$3\$/\1/p" | sort)
  [[ -n $declared && $declared == "$exported" ]] ||
    fail "$1 and $2 differ: $(diff <(echo "$declared") <(echo "$exported"))"
  others=$(nm -D --defined-only "$2" | grep -v ' [TA] ') || true
  [[ -z $others ]] || fail "$2 exports more: $others"
}

echo "-- git clone zpack::FILE"
git zpack convert -q "$prefix/repository" "$prefix/served.zpack"
git clone -q "zpack::$prefix/served.zpack" "$prefix/clone"
[[ $(git -C "$prefix/clone" rev-parse HEAD) == \
  "$(git -C "$prefix/repository" rev-parse HEAD)" ]] || fail "the clone differs"

echo "-- CGI program"
answer=$(REQUEST_METHOD=GET GIT_PROJECT_ROOT=$prefix PATH_INFO=/served.git/info/refs \
  QUERY_STRING=service=git-upload-pack git-zpack-http-backend | tr -d '\0')
[[ $answer == *"# service=git-upload-pack"* ]] || fail "no refs over HTTP"

echo "-- find_package()"
{
  cmake -S "$here/consumer" -B "$prefix/cmake" \
    -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix/usr" &&
    cmake --build "$prefix/cmake"
} > "$prefix/cmake.log" 2>&1 ||
  fail "building with find_package() failed: $(cat "$prefix/cmake.log")"
check_consumer "$prefix/cmake/consumer"
# Their RPATH names the libraries.
[[ $("$prefix/cmake/read_archive" "$prefix/served.zpack") == *"commit 1 "* ]] ||
  fail "the program in C does not find the commit"
[[ $("$prefix/cmake/git2_log" "$prefix/served.zpack") == *" first" ]] ||
  fail "the program that uses libgit2 does not list the commits"

echo "-- pkg-config"
module=$(find "$prefix/usr" -name zpack.pc)
[[ -f $module ]] || fail "no zpack.pc"
read -ra flags < <(PKG_CONFIG_PATH=${module%/*} pkg-config --cflags --libs zpack)
"$compiler" "$here/consumer/main.cc" -o "$prefix/consumer" "${flags[@]}" ||
  fail "building with '${flags[*]}' failed"
check_consumer "$prefix/consumer"

echo "-- C interface"
header=$prefix/usr/include/zpack.h
library=$(find "$prefix/usr" -name libzpack.so)
check_exports "$header" "$library" 'ZPACK_0\.[0-9]*'
read -ra flags < <(PKG_CONFIG_PATH=${module%/*} pkg-config --cflags --libs zpack-c)
cc -std=c11 -Wall -Wextra -Wpedantic -Werror "$here/../../tools/examples/read_archive.c" \
  -o "$prefix/read_archive" "${flags[@]}" || fail "building with '${flags[*]}' failed"
[[ $(LD_LIBRARY_PATH=${library%/*} "$prefix/read_archive" "$prefix/served.zpack") == \
  *"commit 1 "* ]] || fail "the program in C does not find the commit"

echo "-- libgit2"
check_exports "$prefix/usr/include/zpack/git2.h" \
  "${library%/*}/libzpack-git2.so" ZPACK_GIT2_0.9
read -ra flags < <(PKG_CONFIG_PATH=${module%/*} pkg-config --cflags --libs zpack-git2)
cc -std=c11 -Wall -Wextra -Wpedantic -Werror "$here/../../tools/examples/git2_log.c" \
  -o "$prefix/git2_log" "${flags[@]}" || fail "building with '${flags[*]}' failed"
[[ $(LD_LIBRARY_PATH=${library%/*} "$prefix/git2_log" "$prefix/served.zpack") == \
  "$(git -C "$prefix/repository" log --format='%H %s')" ]] ||
  fail "the program that uses libgit2 does not list the commits"
echo "-- Python"
python=$(sed -n 's/^Python_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
if grep -q '^ZPACK_PYTHON:BOOL=ON' "$build/CMakeCache.txt"; then
  cmake --install "$build" --component python3 --prefix "$prefix/usr" > /dev/null
  printf 'one\ntwo\n' > "$prefix/repository/file"
  git -C "$prefix/repository" add file
  GIT_COMMITTER_DATE='2021-07-01T00:00:00Z' git -C "$prefix/repository" \
    -c user.name=A -c user.email=a@example.com commit -q --amend -m lines
  git zpack convert -q "$prefix/repository" "$prefix/lines.zpack"
  lines=$(PYTHONPATH=$prefix/usr/lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1 \
    "$python" "$here/../../tools/examples/lines_by_year.py" "$prefix/lines.zpack")
  [[ $lines =~ ^2021\ +2$ ]] || fail "the program in Python printed '$lines'"
  PYTHONPATH=$prefix/usr/lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1 \
    "$python" -c 'import fsspec; fsspec.get_filesystem_class("zpack")' ||
    fail "fsspec does not know the protocol zpack://"
else
  echo "   skipped: it was not built"
fi
echo "-- all as expected"
