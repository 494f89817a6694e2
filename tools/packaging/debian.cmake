# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Fields of Debian's packages. dpkg-shlibdeps finds the libraries that the
# binaries need; the packages of this project name each other here.

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
if(DEFINED ENV{DEB_HOST_ARCH})  # by default that of this machine
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE $ENV{DEB_HOST_ARCH})
endif()
set(CPACK_DEBIAN_PACKAGE_RELEASE 0zpack1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src)
# Others may depend on every function that the library has in this version.
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)  # dpkg-deb takes xz in the end

set(same_version
  "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")

# zpack_debian_package(<name> <section> SUMMARY <line> TEXT <text> DEPENDS <package>...)
macro(zpack_debian_package name section)
  cmake_parse_arguments(ARG "" "SUMMARY;TEXT" "DEPENDS" ${ARGN})
  string(TOUPPER ${name} upper)
  list(JOIN ARG_DEPENDS ", " depends)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${ARG_SUMMARY}\n${ARG_TEXT}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
  if(NOT ${name} STREQUAL git-zpack)
    set(CPACK_DEBIAN_${upper}_PACKAGE_SOURCE git-zpack)
  endif()
endmacro()

set(about "A .zpack file holds all objects, refs and reflogs of a Git repository
in about a third of the space that Git needs, with checksums for every
part.")

# The programs load libcurl by name, so dpkg-shlibdeps does not see it.
set(libcurl "")
if(ZPACK_CURL_FILE)
  execute_process(COMMAND dpkg-query --search ${ZPACK_CURL_FILE}
    OUTPUT_VARIABLE found ERROR_QUIET)
  if(found MATCHES "^([^:, ]+)")
    set(libcurl ${CMAKE_MATCH_1})
  else()
    message(STATUS "No package has '${ZPACK_CURL_FILE}'")
  endif()
endif()

zpack_debian_package(git-zpack vcs
  SUMMARY "compact, verified single-file storage for Git repositories"
  TEXT "${about}
.
This package has the program 'git zpack', which makes, verifies, reads,
repairs and restores such files and serves them to Git clients, and the
helper with which 'git clone' reads them."
  DEPENDS ${libcurl})
set(CPACK_DEBIAN_GIT-ZPACK_PACKAGE_RECOMMENDS "git")

if(ZPACK_MOUNT)
  zpack_debian_package(git-zpack-mount vcs
    SUMMARY "file system of the files in .zpack files of Git repositories"
    TEXT "${about}
.
This package has the program that 'git zpack mount' runs: it shows the files
of every branch, tag and commit as a directory."
    DEPENDS "git-zpack ${same_version}" fuse3)
endif()

zpack_debian_package(libzpack0 libs
  SUMMARY "library that reads and writes .zpack files of Git repositories"
  TEXT "${about}
.
This package has the shared library with an interface for C.")

zpack_debian_package(libzpack-git2-0 libs
  SUMMARY "backends with which libgit2 reads .zpack files"
  TEXT "${about}
.
This package has the shared library that gives libgit2 the objects and
refs of such a file. Programs that do not use libgit2 need only libzpack0."
  DEPENDS "libzpack0 ${same_version}")

# What the headers, zpack.pc and the static library need.
set(libraries libfmt-dev libxxhash-dev libssl-dev libcurl4-openssl-dev
  libzstd-dev zlib1g-dev libdeflate-dev libgit2-dev libpcre2-dev)
if(TARGET zpack_dep::ipsec_mb)
  list(APPEND libraries libipsec-mb-dev)
endif()
zpack_debian_package(libzpack-dev libdevel
  SUMMARY "headers and static library for .zpack files of Git repositories"
  TEXT "${about}
.
This package has the headers for C and C++, the static library for C++, and
what CMake and pkg-config need to find the libraries."
  DEPENDS "libzpack0 ${same_version}" "libzpack-git2-0 ${same_version}"
    ${libraries})

if(ZPACK_PYTHON)
  # The extension is for one minor version of Python.
  math(EXPR next "${Python_VERSION_MINOR} + 1")
  zpack_debian_package(python3-zpack python
    SUMMARY "reads .zpack files of Git repositories in Python"
    TEXT "${about}
.
This package has the Python module, which holds the library itself."
    DEPENDS "python3 (>= 3.${Python_VERSION_MINOR})" "python3 (<< 3.${next})")
  set(CPACK_DEBIAN_PYTHON3-ZPACK_PACKAGE_SUGGESTS "python3-fsspec")
  # They make and remove the compiled modules.
  set(CPACK_DEBIAN_PYTHON3-ZPACK_PACKAGE_CONTROL_EXTRA
    ${CMAKE_CURRENT_SOURCE_DIR}/python3/postinst
    ${CMAKE_CURRENT_SOURCE_DIR}/python3/prerm)
endif()
