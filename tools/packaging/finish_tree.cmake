# SPDX-FileCopyrightText: The git-zpack authors
# SPDX-License-Identifier: Apache-2.0
#
# Run by cpack after it installed the components and before it packs them: what
# Debian's policy wants of a package's files, and the same bytes from each run.

# run(<program> <argument>...) ends the packaging if the program fails.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# With the date of the source instead of the time, and without the name.
function(compress)
  foreach(file IN LISTS ARGN)
    run(gzip -9nf ${file})
  endforeach()
endfunction()

# zpack_documents(<tree> <package>): copyright and both changelogs.
function(zpack_documents tree package)
  set(documents ${tree}/usr/share/doc/${package})
  file(MAKE_DIRECTORY ${documents})
  set(sources ${CPACK_ZPACK_SOURCE_DIR})
  file(COPY_FILE ${sources}/tools/packaging/copyright ${documents}/copyright)
  file(COPY_FILE ${sources}/CHANGELOG.md ${documents}/changelog)
  # It takes SOURCE_DATE_EPOCH.
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(WRITE ${documents}/changelog.Debian
"git-zpack (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) \
unstable; urgency=medium

  * Packaged with cpack; changelog.gz lists the changes.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  compress(${documents}/changelog ${documents}/changelog.Debian)
endfunction()

function(zpack_finish_debian_tree tree)
  cmake_path(GET tree FILENAME package)
  set(zsh ${tree}/usr/share/zsh)
  if(EXISTS ${zsh}/site-functions)
    file(RENAME ${zsh}/site-functions ${zsh}/vendor-completions)
  endif()
  # The file copyright names the licence.
  file(REMOVE ${tree}/usr/share/doc/git-zpack/LICENSE)
  file(GLOB pages ${tree}/usr/share/man/man*/*.[0-9]
    ${tree}/usr/share/doc/git-zpack/FORMAT.md)
  compress(${pages})
  file(GLOB_RECURSE libraries ${tree}/usr/lib/*.so*)
  foreach(library IN LISTS libraries)
    # The libraries that they need are in a directory of the system.
    if(NOT IS_SYMLINK ${library})
      file(RPATH_REMOVE FILE ${library})
      run(${CPACK_ZPACK_STRIP} --remove-section=.comment ${library})
    endif()
  endforeach()
  file(GLOB programs ${tree}/usr/bin/*)
  foreach(program IN LISTS programs)
    if(NOT IS_SYMLINK ${program})
      run(${CPACK_ZPACK_STRIP} --remove-section=.comment ${program})
    endif()
  endforeach()
  file(GLOB_RECURSE archives ${tree}/usr/lib/*.a)
  foreach(archive IN LISTS archives)
    run(${CPACK_ZPACK_STRIP} --strip-debug --remove-section=.comment
      --enable-deterministic-archives ${archive})
  endforeach()
  zpack_documents(${tree} ${package})
endfunction()

file(GLOB trees LIST_DIRECTORIES ON ${CPACK_TEMPORARY_DIRECTORY}/*)
foreach(tree IN LISTS trees)
  if(CPACK_GENERATOR STREQUAL "DEB" AND IS_DIRECTORY ${tree}/usr)
    zpack_finish_debian_tree(${tree})
  endif()
endforeach()
# Whatever the umask of this user and the time are.
run(chmod -R u=rwX,go=rX ${CPACK_TEMPORARY_DIRECTORY})
run(find ${CPACK_TEMPORARY_DIRECTORY} -exec
  touch --no-dereference --date=@$ENV{SOURCE_DATE_EPOCH} {} +)
