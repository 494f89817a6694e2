// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "output_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "common_options.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

namespace fs = std::filesystem;

int FailToCreate(const Io& io, const fs::path& path) {
  return Fail(io, {ErrorCode::kIo, fmt::format("unable to create '{}'",
                                               QuoteName(path.native()))});
}

}  // namespace

int WriteOutputFile(fs::path path, const Io& io,
                    const std::function<int(std::ostream&)>& write) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  const bool is_new =
      fs::symlink_status(path, error).type() == fs::file_type::not_found;
  if (!is_new && !fs::is_regular_file(status)) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    if (!out) return FailToCreate(io, path);
    const int code = write(out);
    out.close();
    return code == kDone && !out ? FailToCreate(io, path) : code;
  }
  if (!is_new) {
    path = fs::canonical(path, error);
    if (error) return FailToCreate(io, path);
  }
  fs::path temporary = path;
  temporary += fmt::format(".new-{}", getpid());
  std::ofstream out(temporary, std::ios::binary | std::ios::noreplace);
  if (!out) return FailToCreate(io, path);
  error.clear();
  if (!is_new) fs::permissions(temporary, status.permissions(), error);
  int code = error ? FailToCreate(io, path) : write(out);
  out.close();
  if (code == kDone && !out) code = FailToCreate(io, path);
  if (code == kDone) {
    fs::rename(temporary, path, error);
    if (error) code = FailToCreate(io, path);
  }
  if (code != kDone) fs::remove(temporary, error);
  return code;
}

}  // namespace zpack::cli
