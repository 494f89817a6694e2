// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "protect/image_file.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace zpack {
namespace {

constexpr uint64_t kZeros = uint64_t{1} << 20;  // bytes per write

}  // namespace

Result<ImageFile> ImageFile::Create(FileSystem& file_system,
                                    const std::string& path,
                                    Overwrite overwrite) {
  ZPACK_ASSIGN_OR_RETURN(AtomicFile output,
                         AtomicFile::Create(file_system, path, overwrite));
  return ImageFile(file_system, std::move(output));
}

Status ImageFile::Put(uint64_t offset, ByteView bytes) {
  ZPACK_TRY(Extend(offset));
  const uint64_t again = std::min<uint64_t>(size() - offset, bytes.size());
  if (again != 0) ZPACK_TRY(output_.file().WriteAt(offset, bytes.first(again)));
  if (again == bytes.size()) return {};
  return output_.file().Append(bytes.subspan(again));
}

Status ImageFile::Extend(uint64_t target) {
  while (size() < target) {
    const Bytes zeros(std::min(kZeros, target - size()), 0);
    ZPACK_TRY(output_.file().Append(zeros));
  }
  return {};
}

Result<std::unique_ptr<RandomAccessFile>> ImageFile::Open() const {
  return file_system_->OpenForRead(output_.temporary_path());
}

}  // namespace zpack
