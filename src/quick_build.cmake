# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# The library for tools/quickstart and tools/test, where the build takes most of
# the time. Layers are compiled together: half of what the unit of one layer takes
# is headers, and templates that all layers use.

# zpack_join(<name> <optimisation> <layer>...): one unit of these layers.
function(zpack_join name optimisation)
  add_library(zpack_${name} OBJECT)
  set_target_properties(zpack_${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 0)
  target_include_directories(zpack_${name} PRIVATE
    ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(zpack_${name} PRIVATE ${optimisation})
  target_link_libraries(zpack_${name} PRIVATE zpack_settings zpack_dep::fmt)
  foreach(layer ${ARGN})
    get_target_property(sources zpack_${layer} SOURCES)
    get_target_property(third_party zpack_${layer} ZPACK_THIRD_PARTY)
    target_sources(zpack_${name} PRIVATE ${sources})
    target_link_libraries(zpack_${name} PRIVATE ${third_party})
    set_target_properties(zpack_${layer} PROPERTIES EXCLUDE_FROM_ALL ON)
    list(REMOVE_ITEM layers ${layer})
  endforeach()
  list(APPEND ZPACK_OBJECTS $<TARGET_OBJECTS:zpack_${name}>)
  set(ZPACK_OBJECTS ${ZPACK_OBJECTS} PARENT_SCOPE)
  set(layers ${layers} PARENT_SCOPE)
endfunction()

# The layers that `convert` spends most time in keep their optimisation. With
# sanitizers, which are slow enough, so do those that tests spend theirs in, and
# what the others have is what debug builds have.
set(less -O1)
set(least -O1)
if(ZPACK_SANITIZE)
  set(less "")
  set(least -O0)
endif()
set(ZPACK_LEAST_OPTIMISED ${least} PARENT_SCOPE)  # for the programs
set(layers ${ZPACK_LAYERS})
zpack_join(formats "" base object format codec delta)
zpack_join(objects "${less}" pack inventory writer reader parity)
zpack_join(repositories "${least}" http reftable git repack)
zpack_join(archives "${least}" history verify transfer convert serve)
zpack_join(operations "${least}" salvage protect report api capi)
if(layers)
  message(FATAL_ERROR "src/quick_build.cmake: no unit has ${layers}")
endif()
