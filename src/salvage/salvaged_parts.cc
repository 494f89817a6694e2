// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "salvage/salvaged_parts.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "format/expansion.h"
#include "format/file_header.h"
#include "format/lost_chunk.h"
#include "format/object_index.h"
#include "format/promises_chunk.h"
#include "format/refs_chunk.h"
#include "reader/index_cache.h"

namespace zpack {
namespace {

using format::ChunkLocation;

class PartsReader {
 public:
  PartsReader(const RandomAccessFile& file, const FoundParts& found,
              const SalvageOptions& options)
      : file_(file), found_(found), options_(options) {}

  Result<SalvagedParts> Read() {
    ZPACK_TRY(ReadToc());
    ReadHeader();
    if (HasFileBelow()) {
      parts_.lost.emplace_back("file below");
      ZPACK_TRY(ReadBackedRefs());
      ZPACK_TRY(ReadOwnIds());
    } else {
      ZPACK_TRY(ReadTable());
      ZPACK_TRY(ReadIds());
      ZPACK_TRY(ReadRefs());
    }
    if (!parts_.format_known) {
      parts_.format = options_.fallback_format;
      parts_.format_source = "assumption";
    }
    ZPACK_TRY(ReadKeptIds());
    ZPACK_TRY(ReadPromises());
    ZPACK_TRY(ReadLostBefore());
    ZPACK_TRY(ReadFiles());
    NoteLost();
    return std::move(parts_);
  }

 private:
  using Use = std::function<bool(ByteView)>;

  // Passes the payloads of chunks `id` to `use`, until `use` returns true.
  // Returns whether it did. A file inside of a damaged block may have chunks,
  // too, so those that lie among the blocks come last.
  Result<bool> TryChunks(uint32_t id, const Use& use) {
    const auto chunks = found_.chunks.find(id);
    if (chunks == found_.chunks.end()) return false;
    for (const bool among_blocks : {false, true}) {
      for (const ChunkLocation& chunk : chunks->second) {
        if (IsAmongBlocks(chunk) != among_blocks) continue;
        Bytes payload(chunk.payload_size);
        ZPACK_TRY(file_.Read(chunk.offset + format::kChunkHeaderSize, payload));
        if (use(payload)) return true;
      }
    }
    return false;
  }

  bool IsAmongBlocks(const ChunkLocation& chunk) const {
    const bool between = !found_.blocks.empty() &&
                         chunk.offset > found_.blocks.front().offset &&
                         chunk.offset < found_.blocks.back().offset;
    if (between) return true;
    const auto after = std::ranges::upper_bound(
        found_.damaged_blocks, chunk.offset, {}, &DamagedRange::offset);
    return after != found_.damaged_blocks.begin() &&
           chunk.end() <= std::prev(after)->offset + std::prev(after)->size;
  }

  void SetFormat(ObjectFormat format, std::string source) {
    parts_.format = format;
    parts_.format_source = std::move(source);
    parts_.format_known = true;
  }

  bool HasFileBelow() const {
    return found_.header && format::HasFeature(found_.header->required_features,
                                               format::kBackingFeature);
  }

  void ReadHeader() {
    if (!found_.header) return;
    SetFormat(found_.header->object_format, "header");
    if (!HasFileBelow()) parts_.object_count = found_.header->object_count;
  }

  // Their beginnings are in a file that is not there.
  void DropContinued(const format::FileTable& table) {
    for (size_t i = table.files.size(); i-- > 0;) {
      if (!table.continued[i]) continue;
      const auto at = static_cast<ptrdiff_t>(i);
      parts_.files->files.erase(parts_.files->files.begin() + at);
      parts_.files->parts.erase(parts_.files->parts.begin() + at);
    }
  }

  // What a file tells without the one that it depends on.
  Status ReadBackedRefs() {
    const auto use = [this](ByteView payload) {
      auto refs = format::DecodeBackedRefs(payload, parts_.format);
      if (!refs) return false;
      const uint32_t below = refs->below.object_count;
      const uint32_t end = below + found_.header->object_count;
      if (end < below) return false;
      parts_.object_ends = {below, end};
      parts_.object_count = end;
      parts_.refs = std::move(refs->changed);
      return true;
    };
    const auto read = TryChunks(format::kRefsChunk, use);
    if (!read) return std::unexpected(read.error());
    return {};
  }

  // The numbers say nothing, since the ids below are not known.
  Status ReadOwnIds() {
    const auto use = [this](ByteView payload) {
      auto ids = format::DecodeObjectIds(payload, parts_.format,
                                         found_.header->object_count,
                                         format::FanOut::kIfMany);
      if (!ids) return false;
      parts_.ids = *std::move(ids);
      return true;
    };
    const auto read = TryChunks(format::kObjectIdsChunk, use);
    if (!read) return std::unexpected(read.error());
    return {};
  }

  Status ReadToc() {
    const auto use = [this](ByteView payload) {
      auto toc = format::DecodeTableOfContents(payload, 0, UINT64_MAX);
      if (toc) toc_ = *std::move(toc);
      return toc_.has_value();
    };
    const auto read = TryChunks(format::kTableOfContentsChunk, use);
    if (!read) return std::unexpected(read.error());
    return {};
  }

  Status ReadTable() {
    const auto use = [this](ByteView payload) {
      auto table = DecodeTableAlone(payload);
      if (!table || table->rows.front().first_object != ObjectNumber()) {
        return false;
      }
      const uint32_t count = table->rows.back().first_object.value();
      if (parts_.object_count.value_or(count) != count) return false;
      parts_.object_count = count;
      parts_.table = *std::move(table);
      return true;
    };
    const auto read = TryChunks(format::kBlockTableChunk, use);
    if (!read) return std::unexpected(read.error());
    return {};
  }

  // Decodes ids in the known format or in any.
  bool UseIds(ByteView payload) {
    constexpr size_t kFanOutEnd =
        format::kObjectIdsHeaderSize + format::kFanOutSize;
    if (payload.size() < kFanOutEnd) return false;
    const auto count = LoadBigEndian<uint32_t>(&payload[kFanOutEnd - 4]);
    if (parts_.object_count.value_or(count) != count) return false;
    for (const ObjectFormat format :
         {ObjectFormat::kSha1, ObjectFormat::kSha256}) {
      if (parts_.format_known && parts_.format != format) continue;
      auto ids = format::DecodeObjectIds(payload, format, count);
      if (!ids) continue;
      // Without ids, both formats fit.
      if (!parts_.format_known && count != 0) SetFormat(format, "object ids");
      parts_.object_count = count;
      parts_.ids = *std::move(ids);
      return true;
    }
    return false;
  }

  bool UseNumbers(ByteView payload) {
    auto numbers = format::DecodeObjectNumbers(payload, *parts_.object_count);
    if (!numbers) return false;
    parts_.index.emplace();
    parts_.index->ids = *parts_.ids;
    parts_.index->ranks = format::InversePermutation(*numbers);
    parts_.index->numbers = *std::move(numbers);
    return true;
  }

  Status ReadIds() {
    const auto ids =
        TryChunks(format::kObjectIdsChunk,
                  [this](ByteView payload) { return UseIds(payload); });
    if (!ids) return std::unexpected(ids.error());
    if (!parts_.ids) return {};
    const auto numbers =
        TryChunks(format::kObjectNumbersChunk,
                  [this](ByteView payload) { return UseNumbers(payload); });
    if (!numbers) return std::unexpected(numbers.error());
    return {};
  }

  // Ids that an earlier command derived from the file when it was whole, and
  // that the file's digest proves.
  Status ReadKeptIds() {
    if (!DerivesIds() || !found_.trailer || !parts_.format_known ||
        !parts_.object_count) {
      return {};
    }
    const auto use = [&](ByteView payload) {
      const auto digest = format::DecodeIdsDigest(payload);
      if (!digest) return false;
      parts_.index = ReadCachedIndex(options_.restore.read,
                                     {found_.trailer->file_hash, parts_.format,
                                      *parts_.object_count, *digest});
      return parts_.index.has_value();
    };
    ZPACK_ASSIGN_OR_RETURN(const bool found,
                           TryChunks(format::kIdsDigestChunk, use));
    if (found) parts_.ids = parts_.index->ids;
    return {};
  }

  bool UseRefs(ByteView payload) {
    std::vector<std::pair<ObjectFormat, RefsSnapshot>> fitting;
    for (const ObjectFormat format :
         {ObjectFormat::kSha1, ObjectFormat::kSha256}) {
      if (parts_.format_known && parts_.format != format) continue;
      auto refs = format::DecodeRefs(payload, format);
      if (refs) fitting.emplace_back(format, *std::move(refs));
    }
    if (fitting.empty()) return false;
    // Without ids, both formats fit.
    if (fitting.size() == 1 && !parts_.format_known) {
      SetFormat(fitting.front().first, "refs");
    }
    parts_.refs = std::move(fitting.front().second);
    return true;
  }

  Status ReadRefs() {
    const auto read = TryChunks(format::kRefsChunk, [this](ByteView payload) {
      return UseRefs(payload);
    });
    if (!read) return std::unexpected(read.error());
    return {};
  }

  Status ReadPromises() {
    const auto use = [this](ByteView payload) {
      auto promises = format::DecodePromises(payload, parts_.format);
      if (!promises) return false;
      parts_.promises = *std::move(promises);
      return true;
    };
    const auto read = TryChunks(format::kPromisesChunk, use);
    if (!read) return std::unexpected(read.error());
    return {};
  }

  Status ReadLostBefore() {
    const auto use = [this](ByteView payload) {
      auto lost = format::DecodeLostObjects(payload, parts_.format);
      if (!lost) return false;
      parts_.lost_before = *std::move(lost);
      return true;
    };
    const auto read = TryChunks(format::kLostChunk, use);
    if (!read) return std::unexpected(read.error());
    return {};
  }

  // Chunks that may hold the contents of files, undamaged ones first.
  std::vector<ChunkLocation> DataChunks() const {
    std::vector<ChunkLocation> chunks;
    const auto whole = found_.chunks.find(format::kFileDataChunk);
    if (whole != found_.chunks.end()) chunks = whole->second;
    chunks.insert(chunks.end(), found_.damaged_data.begin(),
                  found_.damaged_data.end());
    const auto* const listed =
        toc_ ? toc_->Find(format::kFileDataChunk) : nullptr;
    if (listed != nullptr) chunks.push_back(*listed);
    return chunks;
  }

  Status ReadFiles() {
    const std::vector<ChunkLocation> data = DataChunks();
    const auto use = [&](ByteView payload) {
      for (const ChunkLocation& chunk : data) {
        auto files = format::DecodeFileTable(
            payload, chunk.payload_size,
            format::MaxExpansion(file_.size()).content, HasFileBelow());
        if (!files) continue;
        parts_.files = FilesOf(file_, *files, chunk.offset);
        if (files->backed) DropContinued(*files);
        return true;
      }
      return false;
    };
    const auto read = TryChunks(format::kFileTableChunk, use);
    if (!read) return std::unexpected(read.error());
    return {};
  }

  bool Found(uint32_t id) const { return found_.chunks.contains(id); }

  // Whether the file left out the ids of its objects.
  bool DerivesIds() const {
    // A file in a damaged block may have the chunk, too, so it tells least.
    if (toc_) return toc_->Find(format::kIdsDigestChunk) != nullptr;
    if (!found_.header) return Found(format::kIdsDigestChunk);
    return format::HasFeature(found_.header->required_features,
                              format::kDerivedIdsFeature);
  }

  void NoteLost() {
    if (!found_.header_in_place) parts_.lost.emplace_back("header");
    if (!parts_.refs) parts_.lost.emplace_back("REFS");
    if (!parts_.table && !HasFileBelow()) parts_.lost.emplace_back("BTAB");
    if (DerivesIds()) {
      if (!Found(format::kIdsDigestChunk)) parts_.lost.emplace_back("OIDH");
    } else {
      if (!parts_.ids) parts_.lost.emplace_back("OIDP");
      if (!Found(format::kObjectNumbersChunk)) {
        parts_.lost.emplace_back("ONBP");
      }
    }
    NoteOtherLost();
  }

  void NoteOtherLost() {
    for (const uint32_t id : {format::kFileDataChunk, format::kFileTableChunk,
                              format::kPromisesChunk, format::kLostChunk}) {
      if (toc_ && toc_->Find(id) != nullptr && !Found(id)) {
        parts_.lost.push_back(format::ChunkName(id));
      }
    }
    if (!Found(format::kTableOfContentsChunk)) parts_.lost.emplace_back("TOCC");
    if (!found_.trailer) parts_.lost.emplace_back("trailer");
    parts_.all_parts_known = toc_.has_value();
  }

  const RandomAccessFile& file_;
  const FoundParts& found_;
  const SalvageOptions& options_;
  SalvagedParts parts_;
  std::optional<format::TableOfContents> toc_;
};

}  // namespace

std::optional<format::BlockTable> DecodeTableAlone(ByteView payload) {
  constexpr size_t kRow = 12;
  if (payload.size() < kRow) return std::nullopt;
  const uint8_t* const last = &payload[payload.size() - kRow];
  auto table =
      format::DecodeBlockTable(payload, LoadBigEndian<uint64_t>(payload.data()),
                               LoadBigEndian<uint64_t>(last),
                               {LoadBigEndian<uint32_t>(&payload[8]),
                                LoadBigEndian<uint32_t>(last + 8)});
  if (!table) return std::nullopt;
  return *std::move(table);
}

Result<SalvagedParts> ReadParts(const RandomAccessFile& file,
                                const FoundParts& found,
                                const SalvageOptions& options) {
  return PartsReader(file, found, options).Read();
}

}  // namespace zpack
