// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// System calls that some file systems (FUSE, NFS, exFAT) do not support. Tests
// replace them to simulate such file systems. Plain data; any thread.

#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#ifndef __GLIBC__  // musl has neither renameat2 nor the names of its flags
#include <linux/fs.h>
#include <sys/syscall.h>
#endif

namespace zpack {

// Each call returns 0, or returns -1 and sets errno.
struct PosixCalls {
  // renameat2(2).
  int (*rename)(const char* from, const char* to, unsigned flags) =
      [](const char* from, const char* to, unsigned flags) {
#ifndef __GLIBC__
        return static_cast<int>(
            syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags));
#else
        return renameat2(AT_FDCWD, from, AT_FDCWD, to, flags);
#endif
      };
  int (*link)(const char* from, const char* to) = ::link;
  int (*unlink)(const char* path) = ::unlink;
  // flock(2), exclusive and non-blocking.
  int (*lock)(int fd) = [](int fd) { return flock(fd, LOCK_EX | LOCK_NB); };
  int (*set_mode)(const char* path, mode_t mode) = ::chmod;
  int (*sync_directory)(int fd) = ::fsync;
  int (*sync_file_system)(int fd) = ::syncfs;
};

// True if `error_number` means that the file system does not support the call,
// or does not support its flags.
inline bool IsUnsupportedCall(int error_number) {
  return error_number == EINVAL || error_number == ENOSYS ||
         error_number == EOPNOTSUPP;
}

}  // namespace zpack
