// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reftable/reftable_stack.h"

#include <optional>
#include <utility>

#include "base/error.h"
#include "reftable/table_names.h"

namespace zpack::reftable {
namespace {

// Each repetition needs a compaction by another process at the wrong moment.
constexpr int kMaxAttempts = 100;

using Tables = std::vector<std::shared_ptr<const Table>>;
using Names = std::vector<std::string>;

Result<Names> ReadTablesList(FileSystem& file_system, const std::string& path) {
  auto content = ReadWholeFile(file_system, path, kMaxTablesList);
  if (content) return ParseTablesList(AsText(*content), path);
  if (content.error().code == ErrorCode::kNotFound) return Names();
  // The list is replaced, never changed, so it does not shrink.
  if (content.error().code == ErrorCode::kCorrupt) {
    content.error().code = ErrorCode::kSourceCorrupt;
  }
  return std::unexpected(std::move(content).error());
}

// kNotFound if one of the tables is gone.
Result<Tables> OpenTables(FileSystem& file_system, const std::string& directory,
                          const Names& names, ObjectFormat format) {
  Tables tables;
  tables.reserve(names.size());
  for (const std::string& name : names) {
    std::string path = directory;
    path += '/';
    path += name;
    ZPACK_ASSIGN_OR_RETURN(auto file, file_system.OpenForRead(path));
    ZPACK_ASSIGN_OR_RETURN(Table table, Table::Open(std::move(file), format));
    tables.push_back(std::make_shared<const Table>(std::move(table)));
  }
  return tables;
}

}  // namespace

Result<Stack> Stack::Open(FileSystem& file_system, const std::string& directory,
                          ObjectFormat format) {
  const std::string list = directory + '/' + std::string(kTablesList);
  std::optional<Names> missing;  // the names in an attempt that failed
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    ZPACK_ASSIGN_OR_RETURN(Names names, ReadTablesList(file_system, list));
    auto tables = OpenTables(file_system, directory, names, format);
    if (tables) {
      Stack stack;
      stack.tables_ = *std::move(tables);
      return stack;
    }
    if (tables.error().code != ErrorCode::kNotFound) {
      return std::unexpected(std::move(tables).error());
    }
    if (missing == names) {
      tables.error().code = ErrorCode::kSourceCorrupt;
      return std::unexpected(
          Extend(std::move(tables).error(), ", which '{}' lists", list));
    }
    missing = std::move(names);
  }
  return MakeError(ErrorCode::kIo,
                   "'{}' lists tables that are gone, each time it is read",
                   AtPath{list});
}

}  // namespace zpack::reftable
