#!/bin/bash
# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds the fuzz targets of tests/fuzz as OSS-Fuzz and ClusterFuzzLite ask for them. Runs
# in a clone; CC, CXX, CFLAGS, CXXFLAGS and LIB_FUZZING_ENGINE say how; into $OUT come
# programs with the libraries, seeds, dictionaries and options that they need. What is
# built stays in $WORK.

set -euo pipefail

# The distribution's C++ libraries are built for libstdc++.
export CXXFLAGS=${CXXFLAGS//-stdlib=libc++/}
cmake -S . -B "$WORK/build" -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_UNITY_BUILD=ON \
  -DZPACK_FUZZ=ON -DZPACK_FUZZ_ENGINE="$LIB_FUZZING_ENGINE" -DZPACK_TESTS=OFF \
  -DCMAKE_BUILD_RPATH='$ORIGIN/lib' \
  -DCMAKE_EXE_LINKER_FLAGS="${LDFLAGS:-} -Wl,--disable-new-dtags"
cmake --build "$WORK/build" --target fuzz_programs
python3 tools/fuzzing/collect.py "$WORK/build/tests" "$OUT"
