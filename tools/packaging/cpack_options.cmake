# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Read by cpack before it makes packages: the date that all files get, and what
# goes into the archive of the programs.

include(${CPACK_ZPACK_SOURCE_DIR}/tools/packaging/source_date.cmake)
if("$ENV{SOURCE_DATE_EPOCH}" STREQUAL "")
  zpack_source_date(${CPACK_ZPACK_SOURCE_DIR} date)
  set(ENV{SOURCE_DATE_EPOCH} ${date})
endif()

if(CPACK_GENERATOR STREQUAL "TGZ")
  set(CPACK_COMPONENTS_ALL static common)
  set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
  set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
  set(CPACK_PACKAGING_INSTALL_PREFIX /)
  set(CPACK_PACKAGE_FILE_NAME ${CPACK_ZPACK_STATIC_NAME})
  set(CPACK_ARCHIVE_FILE_NAME ${CPACK_ZPACK_STATIC_NAME})
endif()
