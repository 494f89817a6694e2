// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <ostream>

#include "common_options.h"
#include "zpack/archive_reader.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace list_files_command {
namespace {

using Json = nlohmann::ordered_json;

void AddOptions(po::options_description& options) {
  AddReadingOptions(options);
  AddJsonOption(options);
}

// As Git writes modes.
std::string_view Mode(const RepositoryFile& file) {
  return file.executable ? "100755" : "100644";
}

std::string HashOf(const RepositoryFile& file) {
  return fmt::format("{:02x}", fmt::join(file.sha256, ""));
}

Json ToJson(const std::vector<RepositoryFile>& files) {
  Json list = Json::array();
  for (const RepositoryFile& file : files) {
    Json row = Json::object();
    SetBytes(row, "name", file.name);
    row["group"] = FileGroupName(file.group);
    row["mode"] = Mode(file);
    row["size"] = file.size;
    row["sha256"] = HashOf(file);
    list.push_back(std::move(row));
  }
  return {{"files", list}};
}

int Run(const po::variables_map& values, const Io& io) {
  const auto reader = ArchiveReader::Open(FileToRead(values),
                                          ReadContext(values, io).options());
  if (!reader) return Fail(io, reader.error());
  const auto files = (*reader)->Files();
  if (!files) return Fail(io, files.error());
  if (Has(values, "json")) {
    PrintJson(ToJson(*files), io.out);
    return kDone;
  }
  for (const RepositoryFile& file : *files) {
    io.out << fmt::format("{} {} {:>7}\t{}\n", Mode(file), HashOf(file),
                          file.size, QuoteName(file.name));
  }
  return kDone;
}

}  // namespace
}  // namespace list_files_command

const Command kListFilesCommand = {
    "list-files",
    "List the reflogs, hooks and other files in a .zpack file",
    "[--download] [--json] <file>",
    {"file"},
    0,
    LastArgument::kOnce,
    {},
    false,
    list_files_command::AddOptions,
    list_files_command::Run};

}  // namespace zpack::cli
