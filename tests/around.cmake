# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Tests of what stands around the programs: installation, packages, benches,
# scripts for CI, documents, the page, Python, the reference reader, the fleet.
# They do not depend on how the programs were built, so they run once, in the
# optimised build.

add_dependencies(release_tests git-remote-zpack zpack_c zpack_git2)  # `install` installs them
add_test(NAME install
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/install/install_test.sh
    ${PROJECT_BINARY_DIR} ${CMAKE_CXX_COMPILER})
add_test(NAME install_packages
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/install/packages_test.sh
    ${PROJECT_BINARY_DIR})
add_test(NAME install_recipes
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/install/recipes_test.py ${PROJECT_BINARY_DIR})
add_test(NAME install_serve_http
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/install/serve_http_test.py $<TARGET_FILE:git-zpack>)
add_test(NAME install_statements
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/install/statements_test.py)
add_test(NAME bench_compare
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/bench/compare_test.sh
    $<TARGET_FILE:git-zpack> $<TARGET_FILE:decode_benchmark>)
foreach(name scale search exports nightly schedule shapes serve damage)
  add_test(NAME bench_${name}
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/bench/${name}_test.sh
      $<TARGET_FILE:git-zpack>)
endforeach()
if(ZPACK_MOUNT)
  add_test(NAME bench_mount
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/bench/mount_test.sh
      $<TARGET_FILE:git-zpack>)
  set_tests_properties(bench_mount PROPERTIES LABELS release)
endif()
add_test(NAME bench_parity_odds
  COMMAND ${PROJECT_SOURCE_DIR}/tools/bench/parity-odds --trials 5 --size "1 MB")
set_tests_properties(bench_parity_odds PROPERTIES
  PASS_REGULAR_EXPRESSION "1 MB . long . 1 . 1,954 . 98")
add_test(NAME bench_make_repo
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/bench/make_repo_test.sh)
add_test(NAME bench_rehash_sha256
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/bench/rehash_sha256_test.sh)
set_tests_properties(install install_recipes install_serve_http install_statements
  bench_compare bench_scale bench_search bench_exports bench_nightly bench_schedule bench_parity_odds bench_make_repo bench_rehash_sha256 PROPERTIES LABELS release)
set_tests_properties(install_packages bench_serve bench_damage PROPERTIES
  LABELS "release;full")

# The Git on PATH: repositories that it makes, and that Git as a client.
foreach(name repositories leftovers served)
  add_test(NAME git_${name}
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/git/${name}_test.py $<TARGET_FILE:git-zpack>)
endforeach()
add_test(NAME git_other COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/git/other_git_test.py)
set_tests_properties(git_other PROPERTIES LABELS release)
# For another Git than the one that all other tests run with.
set_tests_properties(git_repositories git_leftovers git_served PROPERTIES
  LABELS "release;full")
set_tests_properties(git_repositories git_leftovers git_served git_other PROPERTIES
  TIMEOUT ${test_timeout} ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)

add_test(NAME ci COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/ci/ci_test.py $<TARGET_FILE:git-zpack>)
foreach(name attest attestation)
  add_test(NAME ci_${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/ci/${name}_test.py $<TARGET_FILE:git-zpack>)
  set_tests_properties(ci_${name} PROPERTIES
    LABELS release ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
endforeach()
add_test(NAME ci_https COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/ci/https_test.py $<TARGET_FILE:git-zpack>)
add_test(NAME ci_nightly COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/ci/nightly_test.py $<TARGET_FILE:git-zpack>)
# Records what a program does to files, for tools/dev/power-cut.
add_library(zpack_record_preload MODULE support/record_preload.cc)
target_link_libraries(zpack_record_preload PRIVATE zpack_settings ${CMAKE_DL_LIBS})
target_include_directories(zpack_record_preload PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
add_test(NAME ci_trials
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/ci/trials_test.py $<TARGET_FILE:git-zpack>
    $<TARGET_FILE:zpack_record_preload>)
set_tests_properties(ci_trials PROPERTIES LABELS release ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
add_dependencies(release_tests zpack_record_preload)
# With the Python for which the package is built, if it is.
set(documents_python python3)
if(ZPACK_PYTHON)
  set(documents_python ${Python_EXECUTABLE})
endif()
add_test(NAME documents
  COMMAND ${documents_python} ${CMAKE_CURRENT_SOURCE_DIR}/documents/documents_test.py
    $<TARGET_FILE:git-zpack>)
add_test(NAME git_news
  COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/documents/git_news_test.py)
set_tests_properties(git_news PROPERTIES ENVIRONMENT PYTHONDONTWRITEBYTECODE=1)
set_tests_properties(ci ci_https documents git_news PROPERTIES LABELS release)
set_tests_properties(documents PROPERTIES
  ENVIRONMENT "PYTHONPATH=${PROJECT_BINARY_DIR}/python;PYTHONDONTWRITEBYTECODE=1")

# Debian's chromium, and the npm packages of the page.
find_program(ZPACK_CHROMIUM chromium)
if(ZPACK_CHROMIUM AND EXISTS ${ZPACK_PAGE_PACKAGES}/node_modules/d3-shape)
  add_test(NAME report_page
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/page/page_test.py
      $<TARGET_FILE:git-zpack> ${ZPACK_CHROMIUM})
  set_tests_properties(report_page PROPERTIES LABELS release)
else()
  message(STATUS "No chromium or no npm packages: the page of 'report' is not tested")
endif()

if(ZPACK_PYTHON)
  add_test(NAME python
    COMMAND ${Python_EXECUTABLE} -m pytest -q -p no:cacheprovider
      ${CMAKE_CURRENT_SOURCE_DIR}/python)
  set_tests_properties(python PROPERTIES LABELS release
    ENVIRONMENT "PYTHONPATH=${PROJECT_BINARY_DIR}/python;PYTHONDONTWRITEBYTECODE=1")
  add_dependencies(release_tests zpack_python)
  add_test(NAME install_wheel
    COMMAND ${Python_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/install/wheel_test.py)
  set_tests_properties(install_wheel PROPERTIES LABELS "release;full" TIMEOUT ${test_timeout}
    ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1")
  # For python3-zstandard, the system's Python.
  add_test(NAME reference
    COMMAND ${Python_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/reference/reference_test.py
      $<TARGET_FILE:git-zpack>)
  set_tests_properties(reference PROPERTIES LABELS release TIMEOUT ${test_timeout}
    ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1")
  add_test(NAME fleet
    COMMAND ${Python_EXECUTABLE} -m pytest -q -rs -p no:cacheprovider
      ${CMAKE_CURRENT_SOURCE_DIR}/fleet --ignore-glob=*/test_s3.py)
  # tools/lib/fleet_environment.sh fills build/fleet; without it, and without
  # an S3 server, tests are skipped.
  add_test(NAME fleet_s3
    COMMAND ${Python_EXECUTABLE} -m pytest -q -rs -p no:cacheprovider
      ${CMAKE_CURRENT_SOURCE_DIR}/fleet/test_s3.py)
  set(fleet_tools ${PROJECT_SOURCE_DIR}/build/fleet)
  set_tests_properties(fleet PROPERTIES LABELS release COST 100)
  set_tests_properties(fleet_s3 PROPERTIES LABELS "release;full")
  set_tests_properties(fleet fleet_s3 PROPERTIES TIMEOUT ${test_timeout}
    ENVIRONMENT "PYTHONPATH=${PROJECT_SOURCE_DIR}/tools/fleet:${fleet_tools}/site;PYTHONDONTWRITEBYTECODE=1;ZPACK_BINARY=$<TARGET_FILE:git-zpack>;ZPACK_S3_SERVER=${fleet_tools}/bin/gofakes3;ZPACK_S3_LOCK_SERVER=${fleet_tools}/bin/versitygw")
  add_dependencies(release_tests git-zpack)
endif()
