#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# The Debian packages this project needs, and how to install those that are
# missing. To be sourced.

# shellcheck disable=SC2034  # used by those who source this
build_packages=(
  git cmake ninja-build g++ pkg-config python3
  libgit2-dev libpcre2-dev libzstd-dev zlib1g-dev libdeflate-dev libfmt-dev
  nlohmann-json3-dev libxxhash-dev libssl-dev libcurl4-openssl-dev
  libboost-program-options-dev libfuse3-dev
)
# Packaged for one architecture only; others do without.
if [[ ${DEB_HOST_GNU_TYPE:-$(uname -m)} == x86_64* ]]; then
  build_packages+=(libipsec-mb-dev)
fi
# shellcheck disable=SC2034
test_packages=(
  libgtest-dev libgmock-dev libbenchmark-dev man-db python3-dulwich
  # What 'archive' writes.
  zstd unzip
  # What the action downloads with.
  curl
  # What CI systems read.
  python3-yaml
  # The reference reader.
  python3-zstandard
  # Locales with other characters than UTF-8.
  locales
  # What unmounts.
  fuse3
  # Shells whose completions are tested.
  zsh fish
  # Debian packages, and the interface of the shared library.
  dpkg-dev file lintian abigail-tools
  # The Python package.
  pybind11-dev python3-dev python3-pytest python3-fsspec
  # git-zpack-fleet.
  python3-dask python3-distributed python3-pip
  # Servers that the tests start themselves. The installation may start others.
  nginx-light fcgiwrap openssh-server openssh-client openssl
  # What the guides sign with.
  gpg gpg-agent
  # A browser that opens the page of 'report --html'.
  chromium
)
# For the libraries of that page. Node.js from elsewhere brings its own npm, and
# excludes Debian's.
npm_packages=()
if ! command -v npm > /dev/null; then npm_packages=(npm); fi
test_packages+=("${npm_packages[@]}")
# For tools/python/build-wheel.
# shellcheck disable=SC2034
wheel_packages=(python3-dev python3-venv)
# For tools/test --full: rpm reads the recipe for Fedora, and the others build images.
# shellcheck disable=SC2034
full_packages=(rpm buildah debootstrap "${wheel_packages[@]}")
# What tools/bench/{levels,codecs,chains,stores} compare with our own codecs and
# store, for -DZPACK_BENCH_CODECS=ON. librocksdb-dev is optional and large.
# shellcheck disable=SC2034
bench_packages=(
  liblz4-dev liblzo2-dev libbz2-dev liblmdb-dev libdb-dev libsqlite3-dev
)
# For tools/package.
# shellcheck disable=SC2034
package_packages=(dpkg-dev file pybind11-dev python3-dev "${npm_packages[@]}")
# shellcheck disable=SC2034
lint_packages=(clang-format-19 clang-tidy-19 python3-clang-19)
# For the presets asan, tsan and fuzz.
# shellcheck disable=SC2034
clang_packages=(clang-19 libclang-rt-19-dev lld-19 llvm-19)
# What fuzz targets are built of, beside the above.
# shellcheck disable=SC2034
fuzz_packages=(libgtest-dev libgmock-dev)

# is_installed PACKAGE
is_installed() {
  [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null) == installed ]]
}

# for_host PACKAGE: its name where dpkg's variables name the architecture that is
# built for, as in tools/dev/on-system: the compiler for it, and its libraries.
for_host() {
  case ${DEB_HOST_ARCH:+$1} in
    g++) echo "g++-${DEB_HOST_GNU_TYPE//_/-}" ;;
    lib*-dev) echo "$1:$DEB_HOST_ARCH" ;;
    python3-dev) echo "libpython3-dev:$DEB_HOST_ARCH" ;;
    *) echo "$1" ;;
  esac
}

# install_packages PACKAGE...: installs the missing ones. Prints a sentence and
# returns 1 when that cannot be done.
install_packages() {
  local package missing=() as_root=()
  if ! command -v dpkg-query > /dev/null; then
    echo "This script installs packages with Debian's apt-get, which is not" \
      "here; install the equivalents of these and build by hand, as" \
      "CONTRIBUTING.md says: $*" >&2
    return 1
  fi
  for package in "$@"; do
    package=$(for_host "$package")
    is_installed "$package" || missing+=("$package")
  done
  if [[ ${#missing[@]} -eq 0 ]]; then
    echo "All needed packages are installed."
    return 0
  fi
  if [[ $EUID -ne 0 ]]; then
    if ! command -v sudo > /dev/null; then
      echo "Packages are missing and there is no sudo; as root, run:" \
        "apt-get install ${missing[*]}" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  echo "Installing missing packages: ${missing[*]}"
  if ! "${as_root[@]}" apt-get -qq update; then
    echo "apt-get update failed; see its message above and check the network" \
      "and /etc/apt/sources.list." >&2
    return 1
  fi
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install \
    -y --no-install-recommends "${missing[@]}"; then
    echo "apt-get could not install the packages; see its message above." \
      "Debian 12 or newer has all of them: ${missing[*]}" >&2
    return 1
  fi
}
