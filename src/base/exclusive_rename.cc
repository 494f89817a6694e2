// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/exclusive_rename.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/same_file.h"

namespace zpack {
namespace {

std::unexpected<Error> Exists(const std::string& path) {
  return MakeError(ErrorCode::kExists, "'{}' already exists", AtPath{path});
}

// True if both are names of one file. With NFS, link(2) can report that a name
// exists because an earlier attempt of the same call made it.
bool AreSameFile(const std::string& a, const std::string& b) {
  struct stat first;
  return lstat(a.c_str(), &first) == 0 && IsNameOf(b, first);
}

// rename(2) never replaces a file, or a directory that is not empty, by a
// directory.
Status RenameDirectory(const PosixCalls& calls, const std::string& from,
                       const std::string& to) {
  if (calls.rename(from.c_str(), to.c_str(), 0) == 0) return {};
  if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR) {
    return Exists(to);
  }
  return std::unexpected(IoError("rename to", to, errno));
}

// Creates an empty file under the name `to`, which fails if the name exists,
// and then replaces that file.
Status RenameOverPlaceholder(const PosixCalls& calls, const std::string& from,
                             const std::string& to) {
  const Descriptor fd(open(
      to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (fd.get() < 0) {
    if (errno == EEXIST) return Exists(to);
    return std::unexpected(IoError("create", to, errno));
  }
  struct stat made;
  struct stat named;
  if (fstat(fd.get(), &made) != 0) {
    return std::unexpected(IoError("stat", to, errno));
  }
  const auto is_ours = [&] {
    return lstat(to.c_str(), &named) == 0 && IsSameFile(made, named) &&
           named.st_size == 0;
  };
  if (!is_ours()) return Exists(to);
  if (calls.rename(from.c_str(), to.c_str(), 0) == 0) return {};
  const int number = errno;
  if (is_ours()) unlink(to.c_str());
  return std::unexpected(IoError("rename to", to, number));
}

}  // namespace

Status RenameExclusively(const PosixCalls& calls, const std::string& from,
                         const std::string& to) {
  if (calls.rename(from.c_str(), to.c_str(), RENAME_NOREPLACE) == 0) return {};
  if (errno == EEXIST) return Exists(to);
  if (!IsUnsupportedCall(errno)) {
    return std::unexpected(IoError("rename to", to, errno));
  }
  struct stat info;
  if (lstat(from.c_str(), &info) != 0) {
    return std::unexpected(IoError("stat", from, errno));
  }
  if (S_ISDIR(info.st_mode)) return RenameDirectory(calls, from, to);
  // link(2) also fails if the name exists.
  const bool linked = calls.link(from.c_str(), to.c_str()) == 0;
  const int number = linked ? 0 : errno;
  if (linked || (number == EEXIST && AreSameFile(from, to))) {
    // If the old name stays, it is one more name of the published file. That
    // is no reason to call the file unpublished, and to write to it again. The
    // next run removes the name (temporary_file.cc).
    (void)calls.unlink(from.c_str());
    return {};
  }
  if (number == EEXIST) return Exists(to);
  if (IsUnsupportedCall(number) || number == EPERM || number == EMLINK) {
    return RenameOverPlaceholder(calls, from, to);
  }
  return std::unexpected(IoError("rename to", to, number));
}

}  // namespace zpack
