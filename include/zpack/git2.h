// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
/*
 * .zpack files for programs that use libgit2 (1.5 to 1.9): link libzpack-git2
 * beside libgit2.
 *
 * Functions return 0 or an error code of libgit2; git_error_last() describes
 * the error. `options` are those of zpack_open and may be NULL;
 * `skip_hashes` has no effect. A file with SHA-256 ids gives GIT_EINVALID, as
 * do invalid arguments: any other NULL, and options of an unknown version.
 *
 * Everything is read-only. Objects are hashed by libgit2, which programs may
 * turn off with GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION; the checksums of the
 * file are always checked.
 */

#ifndef ZPACK_GIT2_H
#define ZPACK_GIT2_H

#include <git2.h>
#include <git2/sys/odb_backend.h>
#include <git2/sys/refdb_backend.h>
#include <zpack.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a bare repository of the file `path`: its objects, its refs and HEAD,
 * and the settings of the user and the system as they are when it is made.
 * git_repository_path() is a directory that does not exist. Objects, refs and
 * settings cannot be written; reflogs are empty. libgit2 does not learn of a
 * shallow boundary: git_repository_is_shallow gives 0, and a walk beyond the
 * boundary ends with GIT_ENOTFOUND. The caller calls git_repository_free.
 * GIT_ENOTFOUND if there is no such file. */
ZPACK_API int zpack_repository_open(git_repository** out, const char* path,
                                    const zpack_open_options* options);

/* Makes a backend of the objects in the file `path`, for git_odb_add_backend
 * or git_odb_add_alternate, which own it from then on. It does not write:
 * libgit2 asks another backend, or refuses. git_odb_foreach passes the ids in
 * the order in which reading all objects is fastest. */
ZPACK_API int zpack_odb_backend(git_odb_backend** out, const char* path,
                                const zpack_open_options* options);

/* Makes a backend of the refs in the file `path`, for git_refdb_set_backend,
 * which owns it from then on. Changes give GIT_ERROR. Reflogs are empty. */
ZPACK_API int zpack_refdb_backend(git_refdb_backend** out, const char* path,
                                  const zpack_open_options* options);

#ifdef __cplusplus
}
#endif

#endif
