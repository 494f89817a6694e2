// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <utility>

#include "common_options.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

namespace fs = std::filesystem;

Error CannotCreate(const fs::path& path) {
  return {ErrorCode::kIo,
          fmt::format("unable to create '{}'", QuoteName(path.native()))};
}

Error WasChanged(const fs::path& path) {
  return {ErrorCode::kExists,
          fmt::format("another process changed '{}' in the meantime, so it is "
                      "not replaced; run the command again",
                      QuoteName(path.native()))};
}

std::optional<struct stat> StatusOf(const fs::path& path) {
  struct stat info;
  // A link that leads nowhere stands for itself.
  if (stat(path.c_str(), &info) == 0 || lstat(path.c_str(), &info) == 0) {
    return info;
  }
  return std::nullopt;
}

// Renames the file unless something has the new name. Returns whether it did,
// and sets errno. Not all file systems have the call, or hard links.
bool RenameExclusively(const fs::path& from, const fs::path& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(),
                RENAME_NOREPLACE) == 0) {
    return true;
  }
  if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) return false;
  if (link(from.c_str(), to.c_str()) == 0) {
    unlink(from.c_str());
    return true;
  }
  if (errno == EEXIST || StatusOf(to)) {
    errno = EEXIST;
    return false;
  }
  return rename(from.c_str(), to.c_str()) == 0;
}

}  // namespace

OutputFile::OutputFile(fs::path path)
    : path_(std::move(path)), old_(StatusOf(path_)) {}

bool OutputFile::exists() const { return old_.has_value(); }

bool OutputFile::IsUnchanged() const {
  const auto now = StatusOf(path_);
  return now && now->st_dev == old_->st_dev && now->st_ino == old_->st_ino &&
         now->st_size == old_->st_size &&
         now->st_mtim.tv_sec == old_->st_mtim.tv_sec &&
         now->st_mtim.tv_nsec == old_->st_mtim.tv_nsec;
}

Status OutputFile::Publish(const fs::path& temporary,
                           const fs::path& path) const {
  bool done = false;
  if (old_) {
    if (!IsUnchanged()) return std::unexpected(WasChanged(path_));
    done = rename(temporary.c_str(), path.c_str()) == 0;
  } else {
    done = RenameExclusively(temporary, path);
    if (!done && errno == EEXIST) return std::unexpected(WasChanged(path_));
  }
  if (!done) return std::unexpected(CannotCreate(path_));
  return {};
}

int OutputFile::Write(const Io& io,
                      const std::function<int(std::ostream&)>& write) const {
  if (old_ && !S_ISREG(old_->st_mode)) {
    std::ofstream out(path_, std::ios::binary | std::ios::trunc);
    if (!out) return Fail(io, CannotCreate(path_));
    const int code = write(out);
    out.close();
    return code == kDone && !out ? Fail(io, CannotCreate(path_)) : code;
  }
  std::error_code error;
  const fs::path path = old_ ? fs::canonical(path_, error) : path_;
  if (error) return Fail(io, CannotCreate(path_));
  fs::path temporary = path;
  temporary += fmt::format(".new-{}", getpid());
  std::ofstream out(temporary, std::ios::binary | std::ios::noreplace);
  if (!out) return Fail(io, CannotCreate(path_));
  if (old_) {
    fs::permissions(temporary, static_cast<fs::perms>(old_->st_mode & ALLPERMS),
                    error);
  }
  int code = error ? Fail(io, CannotCreate(path_)) : write(out);
  out.close();
  if (code == kDone && !out) code = Fail(io, CannotCreate(path_));
  if (code == kDone) {
    const Status published = Publish(temporary, path);
    if (!published) code = Fail(io, published.error());
  }
  if (code != kDone) fs::remove(temporary, error);
  return code;
}

}  // namespace zpack::cli
