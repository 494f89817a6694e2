# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# The library for tools/quickstart and tools/test, where the build takes most of
# the time. Layers are compiled together: half of what the unit of one layer takes
# is headers, and templates that all layers use.

# zpack_join(<name> <optimisation> <layer>...): one unit of these layers.
macro(zpack_join name optimisation)
  zpack_compile(${name} ${ARGN})
  set_target_properties(zpack_${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 0)
  target_compile_options(zpack_${name} PRIVATE ${optimisation})
  list(REMOVE_ITEM layers ${ARGN})
endmacro()

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
zpack_join(archives "${least}" verify transfer convert serve)
zpack_join(searches "" history search log)
zpack_join(operations "${least}" salvage protect report api capi)
if(layers)
  message(FATAL_ERROR "src/quick_build.cmake: no unit has ${layers}")
endif()
