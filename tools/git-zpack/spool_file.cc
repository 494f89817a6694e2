// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "spool_file.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "temporary_directory.h"
#include "zpack/quote.h"

namespace zpack::cli {

std::unexpected<Error> SpoolFile::Failed(const char* action) const {
  return std::unexpected(
      Error{ErrorCode::kIo,
            fmt::format("cannot {} a temporary file in '{}': {}", action,
                        QuoteName(directory_, kMaxNameInMessage),
                        std::generic_category().message(errno))});
}

Result<SpoolFile> SpoolFile::Create() {
  SpoolFile spool(nullptr, DirectoryForTemporaries());
  std::string path = spool.directory_ + "/git-zpack-XXXXXX";
  const int fd = mkstemp(path.data());
  if (fd < 0) return spool.Failed("create");
  unlink(path.c_str());
  spool.file_.reset(fdopen(fd, "w+"));
  if (spool.file_ == nullptr) {
    const int error = errno;
    close(fd);
    errno = error;
    return spool.Failed("open");
  }
  return spool;
}

Status SpoolFile::Append(std::span<const uint8_t> bytes) {
  if (fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) {
    return Failed("write");
  }
  return {};
}

Status SpoolFile::ForEachPiece(
    const std::function<Status(std::span<const uint8_t>)>& visit) {
  constexpr size_t kPiece = size_t{1} << 16;
  if (fflush(file_.get()) != 0) return Failed("write");
  if (fseeko(file_.get(), 0, SEEK_SET) != 0) return Failed("read");
  std::vector<uint8_t> piece(kPiece);
  while (true) {
    const size_t got = fread(piece.data(), 1, kPiece, file_.get());
    if (got == 0) break;
    const Status visited = visit(std::span(piece).first(got));
    if (!visited) return visited;
  }
  if (ferror(file_.get()) != 0) return Failed("read");
  return {};
}

Result<int> SpoolFile::Descriptor() {
  if (fflush(file_.get()) != 0) return Failed("write");
  return fileno(file_.get());
}

}  // namespace zpack::cli
