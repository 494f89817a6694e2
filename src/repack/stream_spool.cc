// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/stream_spool.h"

#include <utility>

#include "base/error.h"
#include "base/guarded.h"

namespace zpack {
namespace {

constexpr const char* kSpoolName = "/tmp_objects_zpack";

}  // namespace

Result<std::unique_ptr<StreamSpool>> StreamSpool::Create(
    FileSystem& file_system, const std::string& directory,
    uint32_t object_count) {
  const std::string path = directory + kSpoolName;
  ZPACK_ASSIGN_OR_RETURN(auto file, file_system.CreateLocked(path));
  return std::unique_ptr<StreamSpool>(
      new StreamSpool(file_system, path, std::move(file), object_count));
}

StreamSpool::~StreamSpool() {
  CleanUp([this] { (void)file_system_.Remove(path_); });
}

Status StreamSpool::Add(const SearchStretch& stretch) {
  ZPACK_TRY(file_->Append(stretch.streams));
  for (const PlannedEntry& entry : stretch.entries) {
    entries_[entry.rank] = entry;
    offsets_[entry.rank] = size_;
    size_ += entry.stored_size;
  }
  return {};
}

Status StreamSpool::Finish() {
  ZPACK_ASSIGN_OR_RETURN(reader_, file_system_.OpenForRead(path_));
  return {};
}

Status StreamSpool::Read(ListRank rank, Bytes& stream) const {
  stream.resize(entries_[rank].stored_size);
  return reader_->Read(offsets_[rank], stream);
}

}  // namespace zpack
