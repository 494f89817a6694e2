# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# The programs for distributions other than this one: linked to static libraries
# where there are any. What remains dynamic is glibc, whose parts are not meant
# to be linked statically, libcurl, whose dependencies are not available as
# static libraries and which is loaded when it is needed, and what libgit2 needs
# of Kerberos. Built on demand; the objects are those of the other programs.

# zpack_static_libraries(<name>... RESULT <variable>): static where possible.
function(zpack_static_libraries)
  cmake_parse_arguments(ARG "" "RESULT" "" ${ARGN})
  set(found)
  foreach(name IN LISTS ARG_UNPARSED_ARGUMENTS)
    find_library(ZPACK_STATIC_${name} NAMES lib${name}.a)
    mark_as_advanced(ZPACK_STATIC_${name})
    if(ZPACK_STATIC_${name})
      list(APPEND found ${ZPACK_STATIC_${name}})
    else()
      list(APPEND found ${name})
    endif()
  endforeach()
  set(${ARG_RESULT} ${found} PARENT_SCOPE)
endfunction()

# What libgit2 needs is in its .pc file.
set(libraries boost_program_options fmt ${ZPACK_git2_STATIC_LIBRARIES}
  ${ZPACK_libgit2_STATIC_LIBRARIES}
  ${ZPACK_pcre2_STATIC_LIBRARIES} xxhash zstd z deflate crypto)
list(REMOVE_DUPLICATES libraries)
list(REMOVE_ITEM libraries rt)
if(TARGET zpack_dep::ipsec_mb)
  list(APPEND libraries IPSec_MB)
endif()
zpack_static_libraries(${libraries} RESULT static_libraries)
if(NOT ZPACK_STATIC_fmt)
  # Debian 12 has no libfmt.a.
  add_library(zpack_fmt OBJECT EXCLUDE_FROM_ALL fmt_instances.cc)
  list(REMOVE_ITEM static_libraries fmt)
  list(APPEND static_libraries $<TARGET_OBJECTS:zpack_fmt>)
endif()

# libgit2's .pc file leaves it out. There is no static one.
find_library(ZPACK_GSSAPI NAMES gssapi_krb5 libgssapi_krb5.so.2)
mark_as_advanced(ZPACK_GSSAPI)
if(ZPACK_GSSAPI)
  list(APPEND static_libraries ${ZPACK_GSSAPI})
endif()

# The CMake targets name shared libraries; so the archives are named themselves.
add_library(zpack_static_programs INTERFACE)
target_link_libraries(zpack_static_programs INTERFACE
  $<TARGET_FILE:zpack_cli> $<TARGET_FILE:zpack>
  -Wl,--start-group ${static_libraries} -Wl,--end-group
  $<IF:$<TARGET_EXISTS:zpack_late_curl>,${CMAKE_DL_LIBS},curl>
  Threads::Threads -static-libstdc++ -static-libgcc
  # Or libcurl's libraries would call the OpenSSL and zstd in the program.
  -Wl,--exclude-libs,ALL)

foreach(program git-zpack git-remote-zpack)
  string(REPLACE - _ main ${program})
  add_executable(${program}-static EXCLUDE_FROM_ALL
    ${PROJECT_SOURCE_DIR}/tools/git-zpack/${main}_main.cc)
  set_target_properties(${program}-static PROPERTIES
    OUTPUT_NAME ${program}
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/static)
  add_dependencies(${program}-static zpack_cli zpack)
  if(TARGET zpack_fmt)
    add_dependencies(${program}-static zpack_fmt)
  endif()
  target_include_directories(${program}-static PRIVATE
    ${PROJECT_SOURCE_DIR}/include
    $<TARGET_PROPERTY:zpack_cli,INTERFACE_INCLUDE_DIRECTORIES>)
  if(TARGET zpack_late_curl)
    target_link_libraries(${program}-static PRIVATE
      $<TARGET_OBJECTS:zpack_late_curl>)
  endif()
  target_link_libraries(${program}-static PRIVATE
    zpack_settings zpack_static_programs)
  install(TARGETS ${program}-static COMPONENT static EXCLUDE_FROM_ALL)
endforeach()
add_custom_target(static_programs
  DEPENDS git-zpack-static git-remote-zpack-static)
install(FILES $<TARGET_FILE_DIR:git-zpack>/git-zpack-http-backend
  DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT static EXCLUDE_FROM_ALL)
