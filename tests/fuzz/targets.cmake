# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0

# Files taken apart, edited and put together again.
set(fuzz_files
  fuzz/block_edits.cc fuzz/chain_input.cc fuzz/engine_edits.cc fuzz/file_mutator.cc
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

if(ZPACK_FUZZ)
  add_custom_target(fuzz_programs)
endif()

# The driver asks which functions the target has.
set_source_files_properties(fuzz/standalone_driver.cc
  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# What the names of programs that replay a corpus end with.
if(NOT ZPACK_FUZZ)
  set(replay _replay)
endif()

# zpack_fuzz_program(<name> <source>...): <name> with ZPACK_FUZZ_ENGINE in the
# fuzz preset, <name>_replay, which replays a corpus, everywhere else.
function(zpack_fuzz_program name)
  set(program ${name}${replay})
  add_executable(${program} ${ARGN})
  target_link_libraries(${program} PRIVATE zpack_fuzz_files zpack_settings)
  if(ZPACK_FUZZ)
    target_link_libraries(${program} PRIVATE ${ZPACK_FUZZ_ENGINE})
    add_dependencies(fuzz_programs ${program})
  else()
    target_sources(${program} PRIVATE fuzz/standalone_driver.cc)
    zpack_test_builds(${program})
  endif()
endfunction()

# zpack_replay(<test> <program> <mutations> <corpus>...): replays the inputs of
# each corpus, and <mutations> of each; nothing in the fuzz preset.
function(zpack_replay test program mutations)
  if(ZPACK_FUZZ)
    return()
  endif()
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/)
  add_test(NAME ${test}
    COMMAND ${program}${replay} --mutations=${mutations} ${ARGN})
  set_tests_properties(${test} PROPERTIES
    LABELS fuzz TIMEOUT ${test_timeout})
endfunction()

foreach(target header tables block delta trees commits pack parity reftable configuration cli serve statement)
  zpack_fuzz_program(fuzz_${target} fuzz/fuzz_${target}.cc)
  zpack_replay(fuzz_${target}_replay fuzz_${target} 2000 ${target})
endforeach()
# A whole file takes a hundred times as long as a part of one.
zpack_fuzz_program(fuzz_file fuzz/fuzz_file.cc fuzz/edit_files.cc)
zpack_replay(fuzz_file_replay fuzz_file 100 file)

zpack_fuzz_program(fuzz_url fuzz/fuzz_url.cc)
zpack_replay(fuzz_url_replay fuzz_url 100 url)

zpack_fuzz_program(fuzz_repository
  fuzz/fuzz_repository.cc fuzz/repository_input.cc fuzz/run_command.cc)
zpack_replay(fuzz_repository_replay fuzz_repository 20 repository)
target_link_libraries(fuzz_repository${replay} PRIVATE zpack_cli)

# One program; ZPACK_FUZZ_COMMAND names the command that reads the .zpack files.
zpack_fuzz_program(fuzz_commands
  fuzz/fuzz_commands.cc fuzz/edit_files.cc fuzz/file_users.cc fuzz/run_command.cc)
target_link_libraries(fuzz_commands${replay} PRIVATE zpack_cli zpack_libgit2 zpack)
target_link_libraries(fuzz_cli${replay} PRIVATE zpack_cli)
target_link_libraries(fuzz_statement${replay} PRIVATE zpack_cli)
foreach(command verify attest restore salvage rev-list grep log ls-tree archive cat-file show report diff list-refs list-files convert protect repair upload-pack libgit2)
  zpack_replay(fuzz_command_${command}_replay fuzz_commands 10 file commands)
  if(TEST fuzz_command_${command}_replay)
    set_tests_properties(fuzz_command_${command}_replay PROPERTIES
      ENVIRONMENT ZPACK_FUZZ_COMMAND=${command})
  endif()
endforeach()
add_executable(fuzz_make_corpus fuzz/make_corpus.cc fuzz/make_files.cc fuzz/make_repositories.cc
  fuzz/repository_input.cc)
target_link_libraries(fuzz_make_corpus PRIVATE
  zpack_test_support zpack_settings)

# For tools/dev/serve-siege.
add_executable(edit_zpack_file fuzz/edit_zpack_file.cc)
target_link_libraries(edit_zpack_file PRIVATE zpack_fuzz_files zpack_settings)

# No test runs these two; they are to go on compiling.
if(NOT ZPACK_FUZZ)
  zpack_test_builds(fuzz_make_corpus release)
  zpack_test_builds(edit_zpack_file release)
endif()
