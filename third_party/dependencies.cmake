# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Finds every library that this project uses. The folder holds no sources of
# others: all libraries are those of the system.
#
# - Each library becomes a target zpack_dep::<name>, and names the oldest version
#   that was tested. If it is missing, the message names its Debian package.
# - Which layer may use which library is in the zpack_layer() calls of
#   src/CMakeLists.txt; tools/dev/check_layers.py has the headers.
# - To add a library: a zpack_dependency() here, its package in
#   tools/lib/packages.sh and in tools/guides/install.md (a test compares the two),
#   the layer that uses it, and Requires in src/zpack.pc.in.
# - What is needed only for programs, tests, Python or benchmarks is at the end,
#   behind the option that needs it.

find_package(PkgConfig)
if(NOT PKG_CONFIG_FOUND)
  message(FATAL_ERROR "pkg-config is missing: apt-get install pkg-config")
endif()

# zpack_dependency(<name> <pkg-config module> <oldest version> <Debian package>)
# makes an imported target zpack_dep::<name>.
function(zpack_dependency name module version package)
  pkg_check_modules(ZPACK_${name} IMPORTED_TARGET GLOBAL "${module}>=${version}")
  if(NOT ZPACK_${name}_FOUND)
    message(FATAL_ERROR
      "${module} ${version} or newer is missing: apt-get install ${package}")
  endif()
  add_library(zpack_dep::${name} ALIAS PkgConfig::ZPACK_${name})
endfunction()

zpack_dependency(fmt fmt 9.1 libfmt-dev)
zpack_dependency(xxhash libxxhash 0.8.1 libxxhash-dev)
zpack_dependency(crypto libcrypto 3.0 libssl-dev)
zpack_dependency(curl libcurl 7.88 libcurl4-openssl-dev)
zpack_dependency(zstd libzstd 1.5.4 libzstd-dev)
zpack_dependency(zlib zlib 1.2.13 zlib1g-dev)
zpack_dependency(libdeflate libdeflate 1.14 libdeflate-dev)
zpack_dependency(libgit2 libgit2 1.5.1 libgit2-dev)
zpack_dependency(pcre2 libpcre2-8 10.42 libpcre2-dev)

# For x86-64 only, and without pkg-config file. Without it, objects are hashed one
# after the other.
find_path(ZPACK_IPSEC_MB_INCLUDE intel-ipsec-mb.h)
find_library(ZPACK_IPSEC_MB_LIBRARY IPSec_MB)
if(ZPACK_IPSEC_MB_INCLUDE AND ZPACK_IPSEC_MB_LIBRARY)
  add_library(ZPACK_ipsec_mb UNKNOWN IMPORTED GLOBAL)
  set_target_properties(ZPACK_ipsec_mb PROPERTIES
    IMPORTED_LOCATION "${ZPACK_IPSEC_MB_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${ZPACK_IPSEC_MB_INCLUDE}")
  add_library(zpack_dep::ipsec_mb ALIAS ZPACK_ipsec_mb)
else()
  message(STATUS "No libipsec-mb (libipsec-mb-dev): verification takes longer")
endif()

find_package(Threads REQUIRED)

if(ZPACK_PROGRAMS)
  find_package(Boost 1.74 CONFIG QUIET COMPONENTS program_options)
  if(NOT Boost_FOUND)
    message(FATAL_ERROR "Boost.Program_options 1.74 or newer is missing: "
      "apt-get install libboost-program-options-dev")
  endif()
  find_package(nlohmann_json 3.11 QUIET)
  if(NOT nlohmann_json_FOUND)
    message(FATAL_ERROR "nlohmann-json 3.11 or newer is missing: "
      "apt-get install nlohmann-json3-dev")
  endif()
endif()

if(ZPACK_MOUNT)
  zpack_dependency(fuse fuse3 3.12 libfuse3-dev)
endif()

if(ZPACK_PYTHON)
  find_package(Python 3.11 COMPONENTS Interpreter Development.Module)
  if(NOT Python_FOUND)
    message(FATAL_ERROR
      "Python 3.11 or newer is missing: apt-get install python3-dev")
  endif()
  find_package(pybind11 2.10 QUIET)
  if(NOT pybind11_FOUND)
    message(FATAL_ERROR
      "pybind11 2.10 or newer is missing: apt-get install pybind11-dev")
  endif()
endif()

if(ZPACK_TESTS)
  find_package(GTest 1.12 QUIET)
  if(NOT GTest_FOUND)
    message(FATAL_ERROR "GoogleTest 1.12 or newer is missing: "
      "apt-get install libgtest-dev libgmock-dev")
  endif()
  find_package(benchmark 1.7 QUIET)
  if(NOT benchmark_FOUND)
    message(FATAL_ERROR "Google Benchmark 1.7 or newer is missing: "
      "apt-get install libbenchmark-dev")
  endif()
endif()

# Codecs and stores that tools/bench compares with our own. No program that is
# installed needs them.
if(ZPACK_BENCH_CODECS)
  zpack_dependency(lz4 liblz4 1.9.4 liblz4-dev)
  zpack_dependency(lzo lzo2 2.10 liblzo2-dev)
  zpack_dependency(lmdb lmdb 0.9.24 liblmdb-dev)
  zpack_dependency(sqlite sqlite3 3.40 libsqlite3-dev)

  # zpack_plain_dependency(<name> <header> <library> <Debian package>), for
  # libraries without a pkg-config file.
  function(zpack_plain_dependency name header library package)
    find_path(ZPACK_${name}_INCLUDE ${header})
    find_library(ZPACK_${name}_LIBRARY ${library})
    if(NOT ZPACK_${name}_INCLUDE OR NOT ZPACK_${name}_LIBRARY)
      message(FATAL_ERROR "${header} is missing: apt-get install ${package}")
    endif()
    add_library(ZPACK_${name} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(ZPACK_${name} PROPERTIES
      IMPORTED_LOCATION "${ZPACK_${name}_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${ZPACK_${name}_INCLUDE}")
    add_library(zpack_dep::${name} ALIAS ZPACK_${name})
  endfunction()
  zpack_plain_dependency(bzip2 bzlib.h bz2 libbz2-dev)
  zpack_plain_dependency(berkeley_db db.h db libdb-dev)

  # Large; without it, tools/bench/stores leaves its row out.
  pkg_check_modules(ZPACK_rocksdb IMPORTED_TARGET GLOBAL rocksdb>=7.8)
  if(ZPACK_rocksdb_FOUND)
    add_library(zpack_dep::rocksdb ALIAS PkgConfig::ZPACK_rocksdb)
  else()
    message(STATUS "No RocksDB (librocksdb-dev): tools/bench/stores goes without")
  endif()
endif()
