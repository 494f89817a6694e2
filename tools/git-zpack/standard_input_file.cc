// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "standard_input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <system_error>
#include <vector>

#include "fd_streams.h"
#include "spool_file.h"

namespace zpack::cli {
namespace {

constexpr const char* kPath = "/dev/stdin";

// Returns whether the library can open standard input by its path.
bool IsReadableFile() {
  struct stat status{};
  if (fstat(STDIN_FILENO, &status) != 0 || !S_ISREG(status.st_mode) ||
      lseek(STDIN_FILENO, 0, SEEK_CUR) != 0) {
    return false;
  }
  const int fd = open(kPath, O_RDONLY | O_CLOEXEC);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

Status CopyTo(SpoolFile& spool) {
  FdInput input(STDIN_FILENO);
  std::vector<uint8_t> piece(size_t{1} << 16);
  while (true) {
    const auto got = input.Read(piece);
    if (!got) return std::unexpected(got.error());
    if (*got == 0) return {};
    const Status written = spool.Append(std::span(piece).first(*got));
    if (!written) return written;
  }
}

}  // namespace

std::string WithStandardInputNamed(std::string message) {
  const std::string quoted = fmt::format("'{}'", kPath);
  const std::string name = fmt::format("'{}'", kStandardInputName);
  for (size_t at = message.find(quoted); at != std::string::npos;
       at = message.find(quoted, at + name.size())) {
    message.replace(at, quoted.size(), name);
  }
  return message;
}

Result<std::string> StandardInputAsFile() {
  if (isatty(STDIN_FILENO) == 1) {
    return std::unexpected(
        Error{ErrorCode::kInvalidArgument,
              "refusing to read a .zpack file from a terminal"});
  }
  if (IsReadableFile()) return kPath;
  auto spool = SpoolFile::Create();
  if (!spool) return std::unexpected(spool.error());
  const Status copied = CopyTo(*spool);
  if (!copied) return std::unexpected(copied.error());
  const auto fd = spool->Descriptor();
  if (!fd) return std::unexpected(fd.error());
  if (dup2(*fd, STDIN_FILENO) < 0) {
    return std::unexpected(Error{
        ErrorCode::kIo, fmt::format("cannot replace standard input: {}",
                                    std::generic_category().message(errno))});
  }
  return kPath;
}

}  // namespace zpack::cli
