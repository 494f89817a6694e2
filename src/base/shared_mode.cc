// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/shared_mode.h"

#include <filesystem>
#include <system_error>

#include "base/error.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kRead = 0444;
constexpr unsigned kWrite = 0222;
constexpr unsigned kOwnerWrite = 0200;
constexpr unsigned kOwnerExecute = 0100;
constexpr unsigned kGroup = 060;
constexpr unsigned kSetGroup = 02000;

Result<unsigned> ReadMode(const std::string& path) {
  std::error_code error;
  const fs::perms mode = fs::status(path, error).permissions();
  if (error) return std::unexpected(IoError("stat", path, error.value()));
  return static_cast<unsigned>(mode);
}

}  // namespace

unsigned SharedMode::ForFile(unsigned mode) const {
  if (kind == Kind::kUmask) return mode;
  unsigned tweak = bits;
  if ((mode & kOwnerWrite) == 0) tweak &= ~kWrite;
  if ((mode & kOwnerExecute) != 0) tweak |= (tweak & kRead) >> 2;
  return kind == Kind::kExactly ? (mode & ~0777U) | tweak : mode | tweak;
}

unsigned SharedMode::ForDirectory(unsigned mode) const {
  if (kind == Kind::kUmask) return mode;
  mode = ForFile(mode);
  mode |= (mode & kRead) >> 2;
  // If the group has any permission, new files belong to the group of the
  // directory.
  return (mode & kGroup) != 0 ? mode | kSetGroup : mode;
}

Status FinishObjectFile(FileSystem& file_system, const std::string& path,
                        const SharedMode& shared) {
  ZPACK_ASSIGN_OR_RETURN(const unsigned mode, ReadMode(path));
  return file_system.SetMode(path, shared.ForFile(mode & kRead));
}

Status MakeSharedDirectory(FileSystem& file_system, const std::string& path,
                           const SharedMode& shared) {
  std::error_code error;
  if (!fs::create_directory(path, error)) {
    if (!error) return {};
    return std::unexpected(IoError("create", path, error.value()));
  }
  ZPACK_ASSIGN_OR_RETURN(const unsigned mode, ReadMode(path));
  const unsigned wanted = shared.ForDirectory(mode);
  return wanted == mode ? Status{} : file_system.SetMode(path, wanted);
}

}  // namespace zpack
