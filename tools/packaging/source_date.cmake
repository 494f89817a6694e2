# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0

# zpack_source_date(<source directory> <result variable>): seconds since 1970 of
# the source. In an archive that 'git archive' made, the file source-date has
# them; in a clone, Git has those of the last commit.
function(zpack_source_date source result)
  file(STRINGS ${source}/tools/packaging/source-date lines REGEX "^[0-9]+$")
  if(NOT lines)
    execute_process(COMMAND git -C ${source} log -1 --format=%ct
      OUTPUT_VARIABLE lines OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  if(NOT lines MATCHES "^[0-9]+$")
    message(FATAL_ERROR
      "no date: neither tools/packaging/source-date nor Git has the date of "
      "the last commit; set SOURCE_DATE_EPOCH")
  endif()
  set(${result} ${lines} PARENT_SCOPE)
endfunction()
