# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# For tools/quickstart, where the build takes most of the time. The layers that
# `convert` spends most time in keep their optimisation: base, codec, delta, format,
# object.

get_property(layers GLOBAL PROPERTY ZPACK_LAYERS)
list(REMOVE_ITEM layers base codec delta format object)
foreach(layer ${layers} cli)
  target_compile_options(zpack_${layer} PRIVATE -O1)
endforeach()
# Fewer units read fewer headers, but all processors should have work.
set_target_properties(zpack_git zpack_reader PROPERTIES UNITY_BUILD_BATCH_SIZE 64)
set_target_properties(zpack_cli PROPERTIES UNITY_BUILD_BATCH_SIZE 40)
# Two thirds of the time that a command's file takes are these headers.
target_precompile_headers(zpack_cli PRIVATE
  <boost/program_options.hpp> <fmt/format.h> <nlohmann/json.hpp>
  <algorithm> <filesystem> <functional> <optional> <ostream> <string> <vector>)
