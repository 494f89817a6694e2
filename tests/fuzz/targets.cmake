# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0

# Files taken apart, edited and put together again.
set(fuzz_files
  fuzz/block_edits.cc fuzz/engine_edits.cc fuzz/file_mutator.cc
  fuzz/file_parts.cc fuzz/parity_edits.cc fuzz/table_edits.cc
  fuzz/take_apart.cc fuzz/true_ids.cc)
add_library(zpack_fuzz_files STATIC ${fuzz_files})
if(ZPACK_FUZZ)
  # What the mutations themselves do is of no interest to the fuzzer.
  set_source_files_properties(${fuzz_files}
    PROPERTIES COMPILE_OPTIONS -fno-sanitize=fuzzer-no-link)
endif()
target_link_libraries(zpack_fuzz_files
  PUBLIC zpack_test_support PRIVATE zpack_settings)

# The driver asks which functions the target has.
set_source_files_properties(fuzz/standalone_driver.cc
  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# zpack_fuzz_program(<name> <source>...): with libFuzzer in the fuzz preset, as
# <name>_replay, which replays a corpus, everywhere else.
function(zpack_fuzz_program name)
  if(ZPACK_FUZZ)
    set(program ${name})
    add_executable(${program} ${ARGN})
    target_compile_options(${program} PRIVATE -fsanitize=fuzzer)
    target_link_options(${program} PRIVATE -fsanitize=fuzzer)
  else()
    set(program ${name}_replay)
    add_executable(${program} ${ARGN} fuzz/standalone_driver.cc)
    zpack_test_builds(${program})
  endif()
  target_link_libraries(${program} PRIVATE
    zpack_fuzz_files zpack_libgit2 zpack zpack_settings)
endfunction()

# zpack_replay(<test> <program> <mutations> <corpus>...): replays the inputs of
# each corpus, and <mutations> of each.
function(zpack_replay test program mutations)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/)
  add_test(NAME ${test}
    COMMAND ${program}_replay --mutations=${mutations} ${ARGN})
  set_tests_properties(${test} PROPERTIES
    LABELS fuzz TIMEOUT ${test_timeout})
endfunction()

set(fuzz_targets
  header tables block delta trees pack parity reftable file cli serve)
set(fuzz_file_mutations fuzz/edit_files.cc)
foreach(target IN LISTS fuzz_targets)
  zpack_fuzz_program(fuzz_${target}
    fuzz/fuzz_${target}.cc ${fuzz_${target}_mutations})
endforeach()
# One program; ZPACK_FUZZ_COMMAND names the command that reads the .zpack files.
zpack_fuzz_program(fuzz_commands
  fuzz/fuzz_commands.cc fuzz/edit_files.cc fuzz/file_users.cc)

if(NOT ZPACK_FUZZ)
  foreach(target IN LISTS fuzz_targets)
    # A whole file takes a hundred times as long as a part of one.
    set(mutations 2000)
    if(target STREQUAL file)
      set(mutations 100)
    endif()
    zpack_replay(fuzz_${target}_replay fuzz_${target} ${mutations} ${target})
  endforeach()
  foreach(command verify restore salvage rev-list ls-tree archive cat-file show report diff list-refs list-files convert protect repair upload-pack libgit2)
    zpack_replay(fuzz_command_${command}_replay fuzz_commands 10 file commands)
    set_tests_properties(fuzz_command_${command}_replay PROPERTIES
      ENVIRONMENT ZPACK_FUZZ_COMMAND=${command})
  endforeach()
endif()
add_executable(fuzz_make_corpus fuzz/make_corpus.cc fuzz/make_files.cc)
target_link_libraries(fuzz_make_corpus PRIVATE
  zpack_test_support zpack_settings)
