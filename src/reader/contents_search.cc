// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/contents_search.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "format/chunk.h"

namespace zpack {
namespace {

constexpr uint64_t kWindow = uint64_t{64} << 10;
// Ids are four characters of 94, and no id has two rows.
constexpr uint64_t kMaxRows = uint64_t{94} * 94 * 94 * 94;
constexpr uint64_t kMaxContents =
    kMaxRows * format::kContentsRowSize + format::kChunkOverhead;
// Chunks whose checksum is computed. Only a hostile file has a second one of
// the right id and size.
constexpr int kMaxTries = 4;

}  // namespace

Result<std::optional<LoadedChunk>> SearchContents(const RandomAccessFile& file,
                                                  uint64_t end, uint64_t most,
                                                  uint64_t max_chunk_size) {
  // Each row stands for a chunk before the table, which is no smaller.
  const uint64_t limit = std::min({end / 2, kMaxContents, most});
  if (limit < format::kChunkOverhead) return std::nullopt;
  const uint64_t first = end - limit;  // where the largest table would begin
  Bytes id_bytes;
  ByteWriter(id_bytes).U32(format::kTableOfContentsChunk);
  Bytes window;
  int tries = 0;
  // Looks for chunks that begin before `to`. Their headers may end behind it.
  for (uint64_t to = end - format::kChunkOverhead + 1; to > first;) {
    const uint64_t begin = to - std::min(kWindow, to - first);
    window.resize(to - begin + format::kChunkHeaderSize - 1);
    ZPACK_TRY(file.Read(begin, window));
    const std::string_view text = AsText(window);
    for (size_t at = text.rfind(AsText(id_bytes), to - begin - 1);
         at != std::string_view::npos;
         at = text.rfind(AsText(id_bytes), at - 1)) {
      const uint64_t offset = begin + at;
      if (format::CheckChunkHeader(format::kTableOfContentsChunk, end - offset,
                                   ByteView(window).subspan(at))) {
        Result<LoadedChunk> chunk =
            ReadChunk(file, format::kTableOfContentsChunk, offset, end - offset,
                      max_chunk_size);
        if (chunk) return std::optional(*std::move(chunk));
        if (chunk.error().code != ErrorCode::kCorrupt) {
          return std::unexpected(std::move(chunk).error());
        }
        if (++tries == kMaxTries) return std::nullopt;
      }
      if (at == 0) break;
    }
    to = begin;
  }
  return std::nullopt;
}

}  // namespace zpack
