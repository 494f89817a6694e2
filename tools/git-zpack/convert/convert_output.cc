// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "convert/convert_output.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <ostream>
#include <system_error>
#include <vector>

#include "named_output.h"
#include "zpack/quote.h"

namespace zpack::cli {

Result<ConvertOutput> ConvertOutput::Open(const std::string& name,
                                          const Io& io) {
  ConvertOutput output(name);
  if (name != "-") return output;
  if (io.out_is_terminal) {
    return std::unexpected(
        Error{ErrorCode::kInvalidArgument,
              "refusing to write a .zpack file to a terminal"});
  }
  auto directory = TemporaryDirectory::Create();
  if (!directory) return std::unexpected(directory.error());
  output.path_ = directory->path() + "/stdout.zpack";
  output.directory_.emplace(*std::move(directory));
  return output;
}

Status ConvertOutput::Send(const Io& io) {
  if (!is_stream()) return {};
  std::ifstream in(path_, std::ios::binary);
  if (!in) {
    return std::unexpected(Error{
        ErrorCode::kIo, fmt::format("cannot read '{}': {}", QuoteName(path_),
                                    std::generic_category().message(errno))});
  }
  // The process may die of SIGPIPE from here on.
  directory_.reset();
  std::vector<char> piece(size_t{1} << 16);
  while (in) {
    if (io.stop.stop_requested()) {
      return std::unexpected(Error{ErrorCode::kInterrupted, "interrupted"});
    }
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    io.out.write(piece.data(), in.gcount());
    if (!io.out) return std::unexpected(NamedOutput{io.out}.Failure());
  }
  if (in.bad()) {
    return std::unexpected(Error{
        ErrorCode::kIo, fmt::format("cannot read '{}'", QuoteName(path_))});
  }
  io.out.flush();
  return {};
}

}  // namespace zpack::cli
