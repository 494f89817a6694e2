// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string_view>
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

struct CloseDirectory {
  void operator()(DIR* directory) const { closedir(directory); }
};
using DirectoryStream = std::unique_ptr<DIR, CloseDirectory>;

fs::file_type TypeOfMode(mode_t mode) {
  if (S_ISREG(mode)) return fs::file_type::regular;
  if (S_ISDIR(mode)) return fs::file_type::directory;
  if (S_ISLNK(mode)) return fs::file_type::symlink;
  return fs::file_type::unknown;
}

fs::file_type TypeOf(DIR* directory, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return TypeOfMode(DTTOIF(entry.d_type));
  struct stat info;
  if (fstatat(dirfd(directory), entry.d_name, &info, AT_SYMLINK_NOFOLLOW) !=
      0) {
    return fs::file_type::none;
  }
  return TypeOfMode(info.st_mode);
}

// Reads the directory `path`. `errno` says why `directory` is null.
Result<std::vector<DirectoryEntry>> ReadEntries(DirectoryStream directory,
                                                const std::string& path) {
  std::vector<DirectoryEntry> entries;
  while (directory != nullptr) {
    errno = 0;
    const dirent* const entry = readdir(directory.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    entries.push_back({std::string(name), TypeOf(directory.get(), *entry)});
  }
  if (errno != 0) {
    Error error = IoError("list", path, errno);
    if (errno == ENOENT) error.code = ErrorCode::kNotFound;
    return std::unexpected(std::move(error));
  }
  std::ranges::sort(entries, {}, &DirectoryEntry::name);
  return entries;
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
    const auto entries = ListEntries(path.string());
    if (!entries) continue;  // removing says what is wrong
    for (const DirectoryEntry& entry : *entries) {
      if (entry.type == fs::file_type::directory) {
        pending.push_back(path / entry.name);
      }
    }
  }
}

// Opens the directory `below` of `root`, and follows no link below `root`.
Result<DirectoryStream> OpenBelow(const std::string& root,
                                  const fs::path& below) {
  constexpr int kToRead = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int fd = open(root.c_str(), kToRead);
  for (const fs::path& name : below) {
    if (fd < 0) break;
    const Descriptor parent(fd);
    fd = openat(fd, name.c_str(), kToRead);
  }
  DirectoryStream stream(fd < 0 ? nullptr : fdopendir(fd));
  if (stream != nullptr) return stream;
  const int number = errno;
  const Descriptor unused(fd);
  return std::unexpected(IoError("remove", root, number));
}

// Removes the directory `root` with two descriptors, however deep it is. It
// opens each directory anew from `root`, so it is slow.
Status RemoveWithFewDescriptors(const std::string& root) {
  std::vector<fs::path> pending = {""};  // below `root`
  while (!pending.empty()) {
    const fs::path below = pending.back();
    ZPACK_ASSIGN_OR_RETURN(DirectoryStream stream, OpenBelow(root, below));
    const int fd = dirfd(stream.get());
    bool is_empty = true;
    errno = 0;
    while (const dirent* const entry = readdir(stream.get())) {
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (TypeOf(stream.get(), *entry) == fs::file_type::directory) {
        is_empty = false;
        pending.push_back(below / name);
      } else if (unlinkat(fd, name.c_str(), 0) != 0) {
        return std::unexpected(IoError("remove", root, errno));
      }
      errno = 0;
    }
    if (errno != 0) return std::unexpected(IoError("remove", root, errno));
    if (!is_empty) continue;
    pending.pop_back();
    stream.reset();
    if (below.empty()) break;
    ZPACK_ASSIGN_OR_RETURN(stream, OpenBelow(root, below.parent_path()));
    if (unlinkat(dirfd(stream.get()), below.filename().c_str(), AT_REMOVEDIR) !=
        0) {
      return std::unexpected(IoError("remove", root, errno));
    }
  }
  if (rmdir(root.c_str()) == 0) return {};
  return std::unexpected(IoError("remove", root, errno));
}

}  // namespace

Result<std::vector<DirectoryEntry>> ListEntries(const std::string& path) {
  return ReadEntries(DirectoryStream(opendir(path.c_str())), path);
}

Result<std::vector<DirectoryEntry>> ListEntries(const Descriptor& directory,
                                                const std::string& path) {
  DirectoryStream stream(fdopendir(fcntl(directory.get(), F_DUPFD_CLOEXEC, 0)));
  if (stream != nullptr) rewinddir(stream.get());  // the copy has its place
  return ReadEntries(std::move(stream), path);
}

Status MakeDirectory(const std::string& path, unsigned mode) {
  ZPACK_ASSIGN_OR_RETURN(const Descriptor parent,
                         OpenDirectory(DirectoryOf(path)));
  if (mkdirat(parent.get(), FileNameOf(path).c_str(), mode) != 0) {
    Error error = IoError("create", path, errno);
    if (errno == EEXIST) error.code = ErrorCode::kExists;
    return std::unexpected(std::move(error));
  }
  const auto made = OpenMade(parent.get(), path);
  if (made) return {};
  if (made.error().code == ErrorCode::kIo) {
    unlinkat(parent.get(), FileNameOf(path).c_str(), AT_REMOVEDIR);
  }
  return std::unexpected(made.error());
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
  const int number = error.value();
  if (!fs::is_directory(fs::symlink_status(path, error))) {
    return std::unexpected(IoError("remove", path, number));
  }
  MakeWritable(path);
  return RemoveWithFewDescriptors(path);
}

}  // namespace zpack
