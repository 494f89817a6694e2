// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "fuzz/true_ids.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "fuzz/file_parts.h"
#include "object/object_hasher.h"
#include "reader/archive_file.h"
#include "reader/block_decoder.h"
#include "support/memory_file.h"

namespace zpack::testing {
namespace {

constexpr uint64_t kMaxContent = uint64_t{1} << 20;
// Each one mends the parents of what the one before mended.
constexpr int kMaxRounds = 12;

// By object number; empty where the object does not decode.
using Ids = std::vector<ObjectId>;

ReadOptions SmallLimits() {
  ReadOptions options;
  options.max_block_size = kMaxContent;
  options.max_object_size = kMaxContent;
  options.max_chunk_size = kMaxContent;
  return options;
}

// Segments of a large object, which are hashed as they come.
class SegmentHasher {
 public:
  explicit SegmentHasher(ObjectFormat format) : hasher_(format) {}

  void Add(const DecodedBlock& block, Ids& ids) {
    const format::BlockHeader& header = block.objects.header;
    const uint64_t size = block.objects.sizes[0];
    if (header.segment_offset == 0) {
      hasher_.Begin({header.type, size});
      hashed_ = 0;
    }
    if (hashed_ != header.segment_offset) return;
    hasher_.Update(block.contents());
    hashed_ += block.contents().size();
    if (hashed_ == size) ids[header.first_object.value()] = hasher_.Finish();
  }

 private:
  ObjectHasher hasher_;
  uint64_t hashed_ = UINT64_MAX;  // bytes of the object so far
};

std::optional<Ids> HashObjects(const Bytes& file) {
  const auto archive =
      ArchiveFile::Open(std::make_unique<MemoryFile>(file), SmallLimits());
  if (!archive) return std::nullopt;
  Ids ids((*archive)->ids().size());
  BlockDecoder decoder;
  ObjectHasher hasher((*archive)->header().object_format);
  SegmentHasher segments((*archive)->header().object_format);
  for (size_t i = 0; i < (*archive)->blocks().block_count(); ++i) {
    const auto block = decoder.Decode((*archive)->blocks(), i);
    if (!block) continue;
    const format::BlockHeader& header = block->objects.header;
    if (header.kind == format::BlockKind::kSegment) {
      segments.Add(*block, ids);
      continue;
    }
    uint64_t content_size = 0;
    (void)block->ForEachObject(
        kMaxContent, [&](size_t index, ByteView content) -> Status {
          content_size += content.size();
          if (content_size > kMaxContent) {
            return std::unexpected(Error{ErrorCode::kLimitExceeded, ""});
          }
          ids[header.first_object.value() + index] =
              hasher.Hash(header.type, content);
          return {};
        });
  }
  return ids;
}

// One round. False when nothing changes, or two objects are the same.
bool SetIds(FileParts& parts, const Ids& ids) {
  bool changed = false;
  std::map<ObjectId, ObjectId> renamed;
  for (NumberedId& id : *parts.ids) {
    if (id.number >= ids.size() || ids[id.number].empty()) continue;
    const ByteView now = ids[id.number].bytes();
    if (std::ranges::equal(now, id.id)) continue;
    changed = true;
    renamed[ObjectId(id.id)] = ids[id.number];
    id.id.assign(now.begin(), now.end());
  }
  if (!changed) return false;
  std::ranges::sort(*parts.ids, {}, &NumberedId::id);
  const auto rename = [&](ObjectId& id) {
    if (const auto at = renamed.find(id); at != renamed.end()) id = at->second;
  };
  if (parts.refs) {
    rename(parts.refs->head_target);
    for (Ref& ref : parts.refs->refs) {
      rename(ref.target);
      // The tag names it as text.
      if (renamed.contains(ref.peeled)) ref.peeled = {};
    }
    for (ObjectId& id : parts.refs->shallow) rename(id);
    std::ranges::sort(parts.refs->shallow);
  }
  return std::ranges::adjacent_find(*parts.ids, {}, &NumberedId::id) ==
         parts.ids->end();
}

}  // namespace

std::optional<Bytes> WithTrueIds(const Bytes& file) {
  auto parts = TakeApart(file);
  if (!parts || !parts->ids) return std::nullopt;
  std::optional<Bytes> mended;
  for (int round = 0; round < kMaxRounds; ++round) {
    const auto ids = HashObjects(mended ? *mended : file);
    if (!ids || !SetIds(*parts, *ids)) return mended;
    mended = PutTogether(*parts);
  }
  return mended;
}

}  // namespace zpack::testing
