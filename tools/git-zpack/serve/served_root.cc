// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/served_root.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <system_error>

#include "zpack/quote.h"

namespace zpack::cli {
namespace {

constexpr std::string_view kArchiveSuffix = ".zpack";

std::string Quoted(std::string_view name) {
  return QuoteName(name, kMaxNameInMessage);
}

std::unexpected<Error> InvalidName(std::string_view name,
                                   std::string_view why) {
  return std::unexpected(
      Error{ErrorCode::kInvalidArgument,
            fmt::format("invalid path '{}': {}", Quoted(name), why)});
}

std::unexpected<Error> NotFound(std::string_view name) {
  return std::unexpected(Error{
      ErrorCode::kNotFound,
      fmt::format("'{}' does not appear to be a .zpack file", Quoted(name))});
}

std::unexpected<Error> CannotOpen(std::string_view name, int error) {
  return std::unexpected(Error{
      ErrorCode::kIo, fmt::format("cannot open '{}': {}", Quoted(name),
                                  std::generic_category().message(error))});
}

std::string PathThrough(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

void ReplaceAll(std::string& text, const std::string& from,
                const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// Returns the path of an open file as the kernel knows it, without symbolic
// links.
Result<std::string> PathOf(int fd) {
  std::array<char, PATH_MAX + 1> target{};
  const ssize_t size =
      readlink(PathThrough(fd).c_str(), target.data(), target.size());
  if (size < 0 || static_cast<size_t>(size) == target.size()) {
    return std::unexpected(Error{
        ErrorCode::kIo, fmt::format("cannot tell where an open file is: {}",
                                    size < 0 ? "'/proc' is not mounted"
                                             : "its path is too long")});
  }
  return std::string(target.data(), static_cast<size_t>(size));
}

}  // namespace

OwnedFd& OwnedFd::operator=(OwnedFd&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

OwnedFd::~OwnedFd() {
  if (fd_ >= 0) close(fd_);
}

Result<std::string> ServedName(std::string_view name) {
  std::string_view stem = name;
  if (stem.find('\0') != std::string_view::npos) {
    return InvalidName(name, "it has a NUL byte");
  }
  if (stem.starts_with('/')) stem.remove_prefix(1);
  if (stem.ends_with('/')) stem.remove_suffix(1);
  for (const std::string_view suffix :
       {std::string_view(".git"), kArchiveSuffix}) {
    if (stem.ends_with(suffix)) {
      stem.remove_suffix(suffix.size());
      break;
    }
  }
  for (size_t begin = 0; begin <= stem.size();) {
    const size_t end = std::min(stem.find('/', begin), stem.size());
    const std::string_view part = stem.substr(begin, end - begin);
    if (part.empty()) return InvalidName(name, "a part of it is empty");
    if (part == "." || part == "..") {
      return InvalidName(name, "'.' and '..' are not allowed");
    }
    begin = end + 1;
  }
  return std::string(stem).append(kArchiveSuffix);
}

Result<ServedRoot> ServedRoot::Open(const std::string& directory) {
  OwnedFd fd(open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() < 0) return CannotOpen(directory, errno);
  auto path = PathOf(fd.get());
  if (!path) return std::unexpected(path.error());
  return ServedRoot(std::move(fd), std::move(*path));
}

Result<std::string> ServedRoot::Find(std::string_view name) const {
  const auto relative = ServedName(name);
  if (!relative) return std::unexpected(relative.error());
  std::string path = DescriptorPath() + '/' + *relative;
  const auto fd = OpenFile(path);
  if (!fd) return std::unexpected(fd.error());
  close(*fd);
  return path;
}

Result<int> ServedRoot::OpenFile(const std::string& path) const {
  // Opens nothing yet, so that a device or FIFO outside of the directory does
  // not notice.
  const OwnedFd found(open(path.c_str(), O_PATH | O_CLOEXEC));
  if (found.get() < 0) {
    const bool denied = errno == EACCES || errno == EIO || errno == EMFILE;
    return denied ? CannotOpen(NameOf(path), errno) : NotFound(NameOf(path));
  }
  struct stat status{};
  if (fstat(found.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return NotFound(NameOf(path));
  }
  const auto target = PathOf(found.get());
  if (!target) return std::unexpected(target.error());
  if (!target->starts_with(path_ == "/" ? path_ : path_ + '/')) {
    return NotFound(NameOf(path));
  }
  const int fd = open(PathThrough(found.get()).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return CannotOpen(NameOf(path), errno);
  return fd;
}

std::string ServedRoot::WithNames(std::string message) const {
  const std::string directory = '\'' + Quoted(path_);
  ReplaceAll(message, '\'' + DescriptorPath(), directory);
  ReplaceAll(message, directory + '/', "'");
  return message;
}

std::string ServedRoot::DescriptorPath() const {
  return PathThrough(fd_.get());
}

std::string ServedRoot::NameOf(const std::string& path) const {
  return path.substr(DescriptorPath().size() + 1);
}

}  // namespace zpack::cli
