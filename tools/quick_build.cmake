# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# For tools/quickstart and tools/test, where the build takes most of the time.

# The layers that `convert` spends most time in keep their optimisation. With
# sanitizers, which are slow enough, so do those that tests spend theirs in, and
# what the others have is what debug builds have.
set(optimised base codec delta format object)
set(less -O1)
if(ZPACK_SANITIZE)
  list(APPEND optimised inventory pack parity reader writer)
  set(less -O0)
endif()
get_property(layers GLOBAL PROPERTY ZPACK_LAYERS)
list(REMOVE_ITEM layers ${optimised})
foreach(layer ${layers})
  target_compile_options(zpack_${layer} PRIVATE ${less})
endforeach()
# Fewer units read fewer headers, but all processors should have work.
set_target_properties(zpack_git zpack_reader PROPERTIES UNITY_BUILD_BATCH_SIZE 64)
if(NOT ZPACK_PROGRAMS)
  return()
endif()
target_compile_options(zpack_cli PRIVATE ${less})
set_target_properties(zpack_cli PROPERTIES UNITY_BUILD_BATCH_SIZE 40)
# Two thirds of the time that a command's file takes are these headers.
target_precompile_headers(zpack_cli PRIVATE
  <boost/program_options.hpp> <fmt/format.h> <nlohmann/json.hpp>
  <algorithm> <filesystem> <functional> <optional> <ostream> <string> <vector>)
