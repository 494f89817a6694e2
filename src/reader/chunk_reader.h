// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads whole chunks of a file.

#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"
#include "zpack/result.h"

namespace zpack {

// A complete chunk, its offset in the file, and its payload.
struct LoadedChunk {
  LoadedChunk() = default;
  // Not copyable: the `payload` of a copy would refer to the original.
  LoadedChunk(LoadedChunk&&) = default;
  LoadedChunk& operator=(LoadedChunk&&) = default;

  uint64_t offset = 0;
  Bytes bytes;
  ByteView payload;
};

// Adds path and offset to the error of a pure decoder.
template <typename T>
Result<T> Locate(Result<T> result, uint64_t offset, const std::string& path) {
  if (result) return result;
  return std::unexpected(Extend(std::move(result).error(),
                                " at offset {} of '{}'", AtOffset{offset},
                                AtPath{path}));
}

// Calls `read`, which reads and checks [begin, end) of `file`. What is damaged
// is forgotten there, and read once more if it can be other bytes then.
template <typename Read>
auto ReadChecked(const RandomAccessFile& file, uint64_t begin, uint64_t end,
                 const Read& read) {
  auto result = read();
  if (result || result.error().code != ErrorCode::kCorrupt ||
      !file.Forget(begin, end)) {
    return result;
  }
  return read();
}

// Returns kLimitExceeded if the `size` bytes of a chunk are more than
// `max_size`.
Status CheckChunkSize(const RandomAccessFile& file, uint32_t id,
                      uint64_t offset, uint64_t size, uint64_t max_size);

// Reads and checks the chunk `id` at `offset`, which takes `size` bytes in all.
// Errors name the file and the offset: kCorrupt, kIo, and kLimitExceeded if
// `size` is more than `max_size`.
Result<LoadedChunk> ReadChunk(const RandomAccessFile& file, uint32_t id,
                              uint64_t offset, uint64_t size,
                              uint64_t max_size);

}  // namespace zpack
