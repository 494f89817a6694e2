// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/files/file_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/directory.h"
#include "base/error.h"

namespace zpack {
namespace {

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
// Without O_NONBLOCK, opening a named pipe would wait for a writer.
constexpr int kFile = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

// Whether an error of open means that nothing, or something else, is there.
bool IsAbsent(int code) {
  return code == ENOENT || code == ENOTDIR || code == ELOOP;
}

// Opens `name` below `root`, one component after the other. The result is
// negative if there is nothing, or something else.
Result<Descriptor> OpenBelow(const std::string& root, const std::string& name,
                             int flags) {
  Descriptor at(open(root.c_str(), kDirectory & ~O_NOFOLLOW));
  for (size_t begin = 0; at.get() >= 0 && begin < name.size();) {
    const size_t end = std::min(name.find('/', begin), name.size());
    at = Descriptor(openat(at.get(), name.substr(begin, end - begin).c_str(),
                           end == name.size() ? flags : kDirectory));
    begin = end + 1;
  }
  if (at.get() < 0 && !IsAbsent(errno)) {
    return std::unexpected(IoError("open", root + '/' + name, errno));
  }
  return at;
}

// Sorts an entry into the listing, or into the directories to be listed.
void Take(const struct stat& info, std::string name, TreeListing& listing,
          std::vector<std::string>& pending) {
  if (S_ISDIR(info.st_mode)) {
    pending.push_back(std::move(name));
  } else if (S_ISREG(info.st_mode)) {
    listing.files.push_back({std::move(name), (info.st_mode & S_IXUSR) != 0,
                             static_cast<uint64_t>(info.st_size)});
  } else {
    listing.others.push_back(std::move(name));
  }
}

Status ListDirectory(const std::string& root, const std::string& name,
                     TreeListing& listing, std::vector<std::string>& pending) {
  ZPACK_ASSIGN_OR_RETURN(const Descriptor opened,
                         OpenBelow(root, name, kDirectory));
  if (opened.get() < 0) return {};
  ZPACK_ASSIGN_OR_RETURN(const auto entries,
                         ListEntries(opened, root + '/' + name));
  for (const auto& [child, type] : entries) {
    struct stat info;
    if (fstatat(opened.get(), child.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT) continue;
      return std::unexpected(
          IoError("stat", root + '/' + name + '/' + child, errno));
    }
    Take(info, name + '/' + child, listing, pending);
  }
  return {};
}

// Whether a listing goes on after a file was found.
enum class Extent : uint8_t { kAll, kToFirstFile };

Result<TreeListing> List(const std::string& root, const std::string& name,
                         Extent extent) {
  TreeListing listing;
  std::vector<std::string> pending;
  const size_t slash = name.rfind('/');
  const std::string parent =
      slash == std::string::npos ? "" : name.substr(0, slash);
  ZPACK_ASSIGN_OR_RETURN(const Descriptor opened,
                         OpenBelow(root, parent, kDirectory));
  if (opened.get() < 0) {
    // A symbolic link or a file, in place of the directory.
    if (errno != ENOENT) listing.others.push_back(parent);
    return listing;
  }
  struct stat info;
  // Without a slash, npos + 1 is 0.
  if (fstatat(opened.get(), name.substr(slash + 1).c_str(), &info,
              AT_SYMLINK_NOFOLLOW) != 0) {
    if (IsAbsent(errno)) return listing;
    return std::unexpected(IoError("stat", root + '/' + name, errno));
  }
  Take(info, name, listing, pending);
  while (!pending.empty() &&
         (extent == Extent::kAll || listing.files.empty())) {
    const std::string directory = std::move(pending.back());
    pending.pop_back();
    ZPACK_TRY(ListDirectory(root, directory, listing, pending));
  }
  return listing;
}

}  // namespace

Result<TreeListing> ListTree(const std::string& root, const std::string& name) {
  ZPACK_ASSIGN_OR_RETURN(TreeListing listing, List(root, name, Extent::kAll));
  std::ranges::sort(listing.files, {}, &TreeFile::name);
  std::ranges::sort(listing.others);
  return listing;
}

Result<bool> HasFile(const std::string& root, const std::string& name) {
  ZPACK_ASSIGN_OR_RETURN(const TreeListing listing,
                         List(root, name, Extent::kToFirstFile));
  return !listing.files.empty();
}

Result<std::optional<Descriptor>> OpenInTree(const std::string& root,
                                             const std::string& name) {
  ZPACK_ASSIGN_OR_RETURN(Descriptor file, OpenBelow(root, name, kFile));
  if (file.get() < 0) return std::nullopt;
  struct stat info;
  if (fstat(file.get(), &info) != 0) {
    return std::unexpected(IoError("stat", root + '/' + name, errno));
  }
  if (!S_ISREG(info.st_mode)) return std::nullopt;
  return std::optional(std::move(file));
}

Result<size_t> ReadSome(const Descriptor& file, std::span<uint8_t> out,
                        const std::string& path) {
  while (true) {
    const ssize_t got = read(file.get(), out.data(), out.size());
    if (got >= 0) return static_cast<size_t>(got);
    if (errno != EINTR) return std::unexpected(IoError("read", path, errno));
  }
}

Result<size_t> ReadFull(const Descriptor& file, std::span<uint8_t> out,
                        const std::string& path) {
  size_t size = 0;
  while (size < out.size()) {
    ZPACK_ASSIGN_OR_RETURN(const size_t got,
                           ReadSome(file, out.subspan(size), path));
    if (got == 0) break;
    size += got;
  }
  return size;
}

}  // namespace zpack
