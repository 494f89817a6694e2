#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Prints the path of a Python of the architecture that is built for: the system's,
# or, where dpkg's variables name another architecture as in tools/dev/on-system,
# the same version for that, which qemu runs. Its modules are beside the system's
# already, with libpython3-dev; only the program is fetched, into build/python.

set -euo pipefail
if [[ -z ${DEB_HOST_ARCH:-} ]]; then
  echo /usr/bin/python3
  exit
fi
root=$(cd "$(dirname "$0")/../.." && pwd)
version=$(/usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
directory=$root/build/python/$DEB_HOST_ARCH
python=$directory/usr/bin/python$version
if [[ ! -x $python ]]; then
  rm -rf "$directory"
  mkdir -p "$directory"
  (
    cd "$directory"
    apt-get -qq download "python$version-minimal:$DEB_HOST_ARCH"
    dpkg-deb -x ./*.deb .
  ) >&2
fi
echo "$python"
