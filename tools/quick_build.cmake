# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# For tools/quickstart, where the build takes most of the time. Two thirds of the
# time that a command's file takes are the headers of Boost and nlohmann-json.
# The layers that convert, verify and restore keep their optimisation.

target_precompile_headers(zpack_cli PRIVATE
  <boost/program_options.hpp> <fmt/format.h> <nlohmann/json.hpp>
  <algorithm> <filesystem> <functional> <optional> <ostream> <string> <vector>)
foreach(layer zpack_cli zpack_api zpack_capi zpack_http zpack_libgit2
    zpack_protect zpack_reftable zpack_repack zpack_salvage zpack_serve)
  target_compile_options(${layer} PRIVATE -O1)
endforeach()
