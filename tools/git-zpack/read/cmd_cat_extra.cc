// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <span>

#include "common_options.h"
#include "read/content_writer.h"
#include "zpack/archive_reader.h"

namespace zpack::cli {
namespace cat_extra_command {
namespace {

void AddOptions(po::options_description& options) {
  AddReadingOptions(options);
}

int Run(const po::variables_map& values, const Io& io) {
  const auto reader = ArchiveReader::Open(FileToRead(values),
                                          ReadContext(values, io).options());
  if (!reader) return Fail(io, reader.error());
  const Status printed = (*reader)->StreamFile(
      Text(values, "name"),
      [&](std::span<const uint8_t> piece) -> Result<Visit> {
        return GoOn(WritePiece(piece, io.out));
      });
  return printed ? kDone : Fail(io, printed.error());
}

}  // namespace
}  // namespace cat_extra_command

const Command kCatExtraCommand = {"cat-extra",
                                  "Print a file that 'list-files' names",
                                  "[--download] <file> <name>",
                                  {"file", "name"},
                                  0,
                                  LastArgument::kOnce,
                                  {},
                                  false,
                                  cat_extra_command::AddOptions,
                                  cat_extra_command::Run};

}  // namespace zpack::cli
