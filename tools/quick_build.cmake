# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# For tools/quickstart, where the build takes most of the time. The layers that
# `convert` spends most time in keep their optimisation: base, codec, delta,
# object.

foreach(layer zpack_api zpack_capi zpack_cli zpack_convert zpack_format zpack_git
    zpack_http zpack_inventory zpack_libgit2 zpack_pack zpack_parity zpack_protect
    zpack_reader zpack_reftable zpack_repack zpack_report zpack_restore
    zpack_reuse zpack_salvage zpack_serve zpack_verify zpack_writer)
  target_compile_options(${layer} PRIVATE -O1)
endforeach()
# Fewer units read fewer headers, but all processors should have work.
set_target_properties(zpack_git zpack_reader PROPERTIES UNITY_BUILD_BATCH_SIZE 64)
set_target_properties(zpack_cli PROPERTIES UNITY_BUILD_BATCH_SIZE 40)
# Two thirds of the time that a command's file takes are these headers.
target_precompile_headers(zpack_cli PRIVATE
  <boost/program_options.hpp> <fmt/format.h> <nlohmann/json.hpp>
  <algorithm> <filesystem> <functional> <optional> <ostream> <string> <vector>)
