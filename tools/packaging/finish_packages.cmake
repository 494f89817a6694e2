# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Run by cpack after it made the packages. cpack gives packages of libraries
# scripts that call ldconfig; Debian's policy (8.1.1) wants a trigger instead.

# zpack_use_trigger(<package>)
function(zpack_use_trigger package)
  set(tree ${package}.tree)
  execute_process(COMMAND dpkg-deb --raw-extract ${package} ${tree}
    COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE ${tree}/DEBIAN/postinst ${tree}/DEBIAN/postrm)
  file(WRITE ${tree}/DEBIAN/triggers "activate-noawait ldconfig\n")
  file(CHMOD ${tree}/DEBIAN/triggers
    PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  # It takes SOURCE_DATE_EPOCH.
  execute_process(
    COMMAND dpkg-deb --root-owner-group -Zxz --build ${tree} ${package}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE_RECURSE ${tree})
endfunction()

foreach(package IN LISTS CPACK_PACKAGE_FILES)
  if(package MATCHES "/libzpack[^/_]*[0-9]_[^/]*\\.deb$")
    zpack_use_trigger(${package})
  endif()
endforeach()
