// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/files/directory_listing.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/directory.h"
#include "base/error.h"
#include "base/file.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

bool IsLink(const std::string& path) {
  std::error_code error;
  return fs::is_symlink(fs::symlink_status(path, error));
}

}  // namespace

Result<std::vector<std::string>> ListNames(const std::string& path) {
  std::vector<std::string> names;
  Result<std::vector<DirectoryEntry>> entries = ListEntries(path);
  if (!entries) {
    Error error = std::move(entries).error();
    if (error.code != ErrorCode::kNotFound) {
      return std::unexpected(std::move(error));
    }
    if (!IsLink(path)) return names;
    error.code = ErrorCode::kIo;
    return std::unexpected(std::move(error));
  }
  names.reserve(entries->size());
  for (DirectoryEntry& entry : *entries) names.push_back(std::move(entry.name));
  return names;
}

Result<std::optional<Bytes>> ReadIfThere(const std::string& path,
                                         uint64_t limit) {
  Result<Bytes> content = ReadWholeFile(PosixFileSystem(), path, limit);
  if (content) return *std::move(content);
  if (content.error().code != ErrorCode::kNotFound || IsLink(path)) {
    return std::unexpected(std::move(content).error());
  }
  return std::nullopt;
}

bool LeadsNowhere(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0) return false;
  const bool finds_nothing = errno == ENOENT || errno == ENOTDIR ||
                             errno == ELOOP || errno == ENAMETOOLONG;
  return finds_nothing && IsLink(path);
}

std::string_view WhyNoFile(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0) {
    return S_ISREG(info.st_mode) ? "" : "is not a regular file";
  }
  return LeadsNowhere(path) ? "is a link that leads nowhere" : "";
}

std::string_view WhyUnreadable(const std::string& path) {
  const std::string_view why = WhyNoFile(path);
  if (!why.empty()) return why;
  const bool forbidden =
      faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0 &&
      errno == EACCES;
  return forbidden ? "may not be read" : "";
}

Status CheckRegular(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode)) return {};
  return MakeError(ErrorCode::kInvalidArgument, "not a regular file: '{}'",
                   AtPath{path});
}

Status RemoveIfThere(FileSystem& file_system, const std::string& path) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(path, error))) return {};
  Status removed = file_system.Remove(path);
  // Another process may have removed the file.
  if (!removed && !fs::exists(fs::symlink_status(path, error))) return {};
  return removed;
}

}  // namespace zpack
