# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Run by cpack after it made the packages. dpkg-deb builds Debian's again: what
# cpack writes depends on the umask.

# zpack_rebuild(<package>)
function(zpack_rebuild package)
  set(tree ${package}.tree)
  execute_process(COMMAND dpkg-deb --raw-extract ${package} ${tree}
    COMMAND_ERROR_IS_FATAL ANY)
  if(package MATCHES "/libzpack[^/_]*[0-9]_[^/]*\\.deb$")
    # cpack's scripts call ldconfig; Debian's policy (8.1.1) wants a trigger.
    file(REMOVE ${tree}/DEBIAN/postinst ${tree}/DEBIAN/postrm)
    file(WRITE ${tree}/DEBIAN/triggers "activate-noawait ldconfig\n")
  endif()
  # SOURCE_DATE_EPOCH is the latest date that dpkg-deb writes.
  execute_process(COMMAND chmod -R u=rwX,go=rX ${tree}
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(
    COMMAND dpkg-deb --root-owner-group -Zxz --build ${tree} ${package}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE_RECURSE ${tree})
endfunction()

foreach(package IN LISTS CPACK_PACKAGE_FILES)
  if(package MATCHES "\\.deb$")
    zpack_rebuild(${package})
  endif()
endforeach()
