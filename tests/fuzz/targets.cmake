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
# Fuzz targets: with libFuzzer in the fuzz preset, as replays of the corpus
# everywhere else.
set(fuzz_file_mutations fuzz/edit_files.cc)
foreach(target header tables block delta trees pack parity reftable file cli serve)
  if(ZPACK_FUZZ)
    add_executable(fuzz_${target}
      fuzz/fuzz_${target}.cc ${fuzz_${target}_mutations})
    target_compile_options(fuzz_${target} PRIVATE -fsanitize=fuzzer)
    target_link_options(fuzz_${target} PRIVATE -fsanitize=fuzzer)
    target_link_libraries(fuzz_${target} PRIVATE
      zpack_fuzz_files zpack_settings)
  else()
    add_executable(fuzz_${target}_replay
      fuzz/fuzz_${target}.cc ${fuzz_${target}_mutations}
      fuzz/standalone_driver.cc)
    target_link_libraries(fuzz_${target}_replay PRIVATE
      zpack_fuzz_files zpack_settings)
    # A whole file takes a hundred times as long as a part of one.
    set(mutations 2000)
    if(target STREQUAL file)
      set(mutations 100)
    endif()
    add_test(NAME fuzz_${target}_replay
      COMMAND fuzz_${target}_replay --mutations=${mutations}
        ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${target})
    set_tests_properties(fuzz_${target}_replay PROPERTIES
      LABELS fuzz TIMEOUT ${test_timeout})
    zpack_test_builds(fuzz_${target}_replay)
  endif()
endforeach()

# One program; ZPACK_FUZZ_COMMAND names the command that reads the .zpack files.
if(ZPACK_FUZZ)
  add_executable(fuzz_commands
    fuzz/fuzz_commands.cc fuzz/edit_files.cc fuzz/file_users.cc)
  target_compile_options(fuzz_commands PRIVATE -fsanitize=fuzzer)
  target_link_options(fuzz_commands PRIVATE -fsanitize=fuzzer)
  target_link_libraries(fuzz_commands PRIVATE
    zpack_fuzz_files zpack_libgit2 zpack zpack_settings)
else()
  add_executable(fuzz_commands_replay
    fuzz/fuzz_commands.cc fuzz/edit_files.cc fuzz/file_users.cc
    fuzz/standalone_driver.cc)
  target_link_libraries(fuzz_commands_replay PRIVATE
    zpack_fuzz_files zpack_libgit2 zpack zpack_settings)
  foreach(command verify restore salvage rev-list ls-tree archive cat-file show report diff list-refs list-files convert protect repair upload-pack libgit2)
    add_test(NAME fuzz_command_${command}_replay
      COMMAND fuzz_commands_replay --mutations=10
        ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/file
        ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/commands)
    set_tests_properties(fuzz_command_${command}_replay PROPERTIES
      LABELS fuzz TIMEOUT ${test_timeout}
      ENVIRONMENT ZPACK_FUZZ_COMMAND=${command})
  endforeach()
  zpack_test_builds(fuzz_commands_replay)
endif()
add_executable(fuzz_make_corpus fuzz/make_corpus.cc fuzz/make_files.cc)
target_link_libraries(fuzz_make_corpus PRIVATE
  zpack_test_support zpack_settings)
