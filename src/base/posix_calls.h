// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// System calls that some file systems do not know (FUSE, NFS, exFAT), so that
// tests can let them fail as such file systems do. Plain data; any thread.

#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace zpack {

// Each returns 0, or -1 and sets errno.
struct PosixCalls {
  // renameat2(2).
  int (*rename)(const char* from, const char* to, unsigned flags) =
      [](const char* from, const char* to, unsigned flags) {
        return renameat2(AT_FDCWD, from, AT_FDCWD, to, flags);
      };
  int (*link)(const char* from, const char* to) = ::link;
  // flock(2), exclusive and without waiting.
  int (*lock)(int fd) = [](int fd) { return flock(fd, LOCK_EX | LOCK_NB); };
  int (*set_mode)(const char* path, mode_t mode) = ::chmod;
  int (*sync_directory)(int fd) = ::fsync;
  int (*sync_file_system)(int fd) = ::syncfs;
};

// Whether `error_number` says that a file system does not know a call, or not
// with these flags.
inline bool IsUnsupportedCall(int error_number) {
  return error_number == EINVAL || error_number == ENOSYS ||
         error_number == EOPNOTSUPP;
}

}  // namespace zpack
