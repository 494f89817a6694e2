// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/file.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

constexpr int kDirectory = O_PATH | O_DIRECTORY | O_CLOEXEC;

std::unexpected<Error> InTheWay(const fs::path& path) {
  return MakeError(ErrorCode::kExists,
                   "'{}' already exists: another process "
                   "created it meanwhile",
                   AtPath{path.string()});
}

// Opens a directory that was just made in `parent`. A user who may rename
// entries of `parent` may have put something else in its place.
Result<Descriptor> OpenMade(int parent, const fs::path& path) {
  Descriptor fd(
      openat(parent, path.filename().c_str(), kDirectory | O_NOFOLLOW));
  struct stat above;
  struct stat made;
  if (fd.get() < 0 || fstat(parent, &above) != 0 ||
      fstat(fd.get(), &made) != 0) {
    if (errno == ENOTDIR || errno == ELOOP) return InTheWay(path);
    return std::unexpected(IoError("open", path.string(), errno));
  }
  // On some file systems all files belong to one user.
  if (made.st_uid != geteuid() && made.st_uid != above.st_uid) {
    return InTheWay(path);
  }
  return fd;
}

Result<Descriptor> OpenDirectory(const std::string& path) {
  Descriptor fd(open(path.c_str(), kDirectory));
  if (fd.get() < 0) return std::unexpected(IoError("open", path, errno));
  return fd;
}

// Gives this user read and write permission for all of its directories below
// `root`.
void MakeWritable(const fs::path& root) {
  std::vector<fs::path> pending = {root};
  while (!pending.empty()) {
    const fs::path path = std::move(pending.back());
    pending.pop_back();
    std::error_code error;
    fs::permissions(path, fs::perms::owner_all,
                    fs::perm_options::add | fs::perm_options::nofollow, error);
    for (fs::directory_iterator it(path, error), end; !error && it != end;
         it.increment(error)) {
      std::error_code gone;
      if (fs::is_directory(it->symlink_status(gone))) {
        pending.push_back(it->path());
      }
    }
  }
}

}  // namespace

Status MakeDirectory(const std::string& path, unsigned mode) {
  ZPACK_ASSIGN_OR_RETURN(const Descriptor parent,
                         OpenDirectory(DirectoryOf(path)));
  if (mkdirat(parent.get(), FileNameOf(path).c_str(), mode) != 0) {
    Error error = IoError("create", path, errno);
    if (errno == EEXIST) error.code = ErrorCode::kExists;
    return std::unexpected(std::move(error));
  }
  ZPACK_TRY(OpenMade(parent.get(), path));
  return {};
}

Result<Descriptor> OpenOwnDirectory(const std::string& path) {
  ZPACK_ASSIGN_OR_RETURN(const Descriptor parent,
                         OpenDirectory(DirectoryOf(path)));
  return OpenMade(parent.get(), path);
}

Status MakeDirectories(const std::string& path) {
  std::vector<fs::path> missing;
  fs::path existing = path;
  std::error_code error;
  while (fs::symlink_status(existing, error).type() ==
         fs::file_type::not_found) {
    missing.push_back(existing);
    existing = DirectoryOf(existing.string());
  }
  ZPACK_ASSIGN_OR_RETURN(Descriptor parent, OpenDirectory(existing.string()));
  for (; !missing.empty(); missing.pop_back()) {
    const fs::path& next = missing.back();
    if (mkdirat(parent.get(), next.filename().c_str(), 0777) != 0 &&
        errno != EEXIST) {
      return std::unexpected(IoError("create", next.string(), errno));
    }
    // Another run of the same user may have made the directory.
    ZPACK_ASSIGN_OR_RETURN(parent, OpenMade(parent.get(), next));
  }
  return {};
}

Status RemoveTree(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (!error) return {};
  if (fs::is_directory(fs::symlink_status(path, error))) MakeWritable(path);
  fs::remove_all(path, error);
  if (!error) return {};
  return std::unexpected(IoError("remove", path, error.value()));
}

}  // namespace zpack
