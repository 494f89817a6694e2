// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reftable/stack_writer.h"

#include <utility>

#include "base/error.h"
#include "reftable/table_names.h"

namespace zpack::reftable {

Result<StackWriter> StackWriter::Create(FileSystem& file_system,
                                        const std::string& directory,
                                        const TableOptions& options) {
  StackWriter writer(file_system, directory);
  ZPACK_TRY(writer.Open(options));
  return writer;
}

StackWriter::StackWriter(FileSystem& file_system, std::string directory)
    : file_system_(&file_system), directory_(std::move(directory)) {}

StackWriter::StackWriter(StackWriter&& other) noexcept
    : file_system_(std::exchange(other.file_system_, nullptr)),
      directory_(std::move(other.directory_)),
      list_(std::move(other.list_)),
      file_(std::move(other.file_)),
      table_(std::move(other.table_)) {}

StackWriter::~StackWriter() {
  if (file_ != nullptr) (void)file_system_->Remove(file_->path());
  if (list_ != nullptr) (void)file_system_->Remove(list_->path());
}

std::string StackWriter::Path(std::string_view name) const {
  return directory_ + '/' + std::string(name);
}

Status StackWriter::Open(const TableOptions& options) {
  ZPACK_ASSIGN_OR_RETURN(list_,
                         file_system_->Create(Path(kTablesList) + ".lock"));
  auto existing = file_system_->OpenForRead(Path(kTablesList));
  if (existing) {
    return MakeError(ErrorCode::kExists, "'{}' exists",
                     AtPath{Path(kTablesList)});
  }
  if (existing.error().code != ErrorCode::kNotFound) {
    return std::unexpected(std::move(existing).error());
  }
  ZPACK_ASSIGN_OR_RETURN(file_, file_system_->Create(Path("zpack.temp")));
  table_ = std::make_unique<TableWriter>(
      options,
      [file = file_.get()](ByteView bytes) { return file->Append(bytes); });
  return {};
}

Status StackWriter::Commit() {
  ZPACK_TRY(table_->Finish());
  ZPACK_TRY(file_->Sync());
  const std::string name = table_->FileName();
  ZPACK_TRY(file_system_->Rename(file_->path(), Path(name), Replace::kNo));
  file_ = nullptr;
  if (Status written = WriteList(name); !written) {
    (void)file_system_->Remove(Path(name));
    return written;
  }
  return SyncPublished(*file_system_, directory_, Path(kTablesList));
}

Status StackWriter::WriteList(const std::string& name) {
  ZPACK_TRY(list_->Append(AsBytes(name + '\n')));
  ZPACK_TRY(list_->Sync());
  ZPACK_TRY(
      file_system_->Rename(list_->path(), Path(kTablesList), Replace::kNo));
  list_ = nullptr;
  return {};
}

}  // namespace zpack::reftable
