// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/object_reader.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "object/object_hasher.h"
#include "reader/bulk_reader.h"
#include "reader/visit_run.h"

namespace zpack {
namespace {

// The part of ReadOptions::cache_size that is for rebuilt objects.
constexpr uint64_t kRebuiltShare = 4;

}  // namespace

ObjectReader::ObjectReader(const ArchiveFile& archive)
    : archive_(archive),
      blocks_(archive.blocks(),
              archive.options().cache_size -
                  archive.options().cache_size / kRebuiltShare),
      rebuilt_(archive.options().cache_size / kRebuiltShare) {}

Result<ObjectReader::ContentPtr> ObjectReader::Rebuild(
    const DecodedBlock& block, ObjectNumber number) {
  const ObjectNumber first = block.objects.header.first_object;
  // Follow the chain to an object that is cached or has no base, then rebuild.
  std::vector<uint32_t> chain;
  ContentPtr known;
  for (std::optional<uint32_t> index = number - first; index;
       index = block.layout()->base(*index)) {
    if (block.layout()->IsFar(*index)) {
      FarBudget unlimited;  // what one object may need is bounded
      ZPACK_ASSIGN_OR_RETURN(
          known, block.read_far(block.layout()->FarAt(*index), unlimited));
      break;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    known = rebuilt_.Find(first + *index);
    if (known) break;
    chain.push_back(*index);
  }
  if (chain.empty()) return known;
  Bytes rebuilt;
  block.RebuildChain(chain, known ? ByteView(*known) : ByteView(), rebuilt);
  auto content = std::make_shared<const Bytes>(std::move(rebuilt));
  const std::lock_guard<std::mutex> lock(mutex_);
  // Another thread may have inserted the object meanwhile.
  if (rebuilt_.Find(number) == nullptr) {
    rebuilt_.Insert(number, content, content->size());
  }
  return content;
}

ObjectReader::ContentPtr ObjectReader::Held(ObjectNumber number) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto held = held_.find(number);
  return held == held_.end() ? nullptr : held->second;
}

Status ObjectReader::ReadAhead(std::vector<ObjectNumber> numbers) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    held_.clear();
  }
  std::ranges::sort(numbers);
  Status read = ReadObjects(
      archive_.blocks(),
      {.numbers = numbers, .max_content = archive_.options().cache_size},
      {.max_waiting = archive_.options().cache_size / 4},
      [&](const BulkEntry& entry) -> Status {
        if (!entry.content) return {};
        const auto content = std::make_shared<const Bytes>(
            entry.content->begin(), entry.content->end());
        const std::lock_guard<std::mutex> lock(mutex_);
        held_.insert_or_assign(entry.number, content);
        return {};
      });
  if (!read) {
    const std::lock_guard<std::mutex> lock(mutex_);
    held_.clear();
  }
  return read;
}

Status ObjectReader::Stream(
    ObjectNumber number, const ObjectId& id,
    const std::function<Status(const ObjectInfo&)>& start,
    const Visitor<ByteView>& piece, HashObject hash) {
  if (number == archive_.empty_tree()) return start(kEmptyTree);
  if (const ContentPtr held = Held(number)) {
    ZPACK_ASSIGN_OR_RETURN(const ObjectInfo info, ReadInfo(number));
    ZPACK_TRY(start(info));
    ZPACK_TRY(piece(*held));
    return {};
  }
  const BlockRun run =
      RunAt(archive_.blocks(), archive_.blocks().FindBlock(number));
  ZPACK_ASSIGN_OR_RETURN(const BlockCache::BlockPtr block,
                         blocks_.Block(run.first));
  const uint32_t index = number - block->objects.header.first_object;
  const ObjectInfo info{block->objects.header.type,
                        block->objects.sizes[index]};
  ZPACK_TRY(start(info));
  if (IsSegmented(run, *block)) {
    return StreamSegmented(run, *block, id, piece, hash);
  }
  ZPACK_ASSIGN_OR_RETURN(const ContentPart whole,
                         ReadWhole(run, block, number, id, hash));
  ZPACK_TRY(piece(whole.bytes));
  return {};
}

Status ObjectReader::StreamSegmented(const BlockRun& run,
                                     const DecodedBlock& first,
                                     const ObjectId& id,
                                     const Visitor<ByteView>& piece,
                                     HashObject hash) const {
  const bool check = hash == HashObject::kYes;
  const bool hold =
      check && first.objects.sizes.front() <= archive_.options().cache_size;
  Bytes held;
  RunVisitor visitor;
  if (hold) {
    visitor.piece = [&](ByteView bytes) -> Status {
      Append(held, bytes);
      return {};
    };
  } else {
    visitor.piece = piece;
  }
  if (check) {
    visitor.end = [&](const ObjectId& actual) {
      return CheckId(run, actual, id);
    };
  }
  // A decoder of its own, because a long stream must not block a decoder of the
  // cache.
  BlockDecoder decoder;
  ZPACK_VISIT(VisitRun({archive_.blocks(), decoder}, run, first, {}, visitor),
              {});
  if (hold) ZPACK_TRY(piece(held));
  return {};
}

Result<ContentPart> ObjectReader::ReadPart(ObjectNumber number,
                                           const ObjectId& id, uint64_t offset,
                                           HashObject hash) {
  if (number == archive_.empty_tree()) return ContentPart{};
  if (const ContentPtr held = Held(number)) return ContentPart{0, *held, held};
  const BlockRun run =
      RunAt(archive_.blocks(), archive_.blocks().FindBlock(number));
  ZPACK_ASSIGN_OR_RETURN(const BlockCache::BlockPtr block,
                         blocks_.Block(run.first));
  if (IsSegmented(run, *block)) return ReadSegment(run, block, offset);
  return ReadWhole(run, block, number, id, hash);
}

Result<ContentPart> ObjectReader::ReadWhole(const BlockRun& run,
                                            const BlockCache::BlockPtr& block,
                                            ObjectNumber number,
                                            const ObjectId& id,
                                            HashObject hash) {
  ContentPart part;
  if (block->layout() != nullptr) {
    ZPACK_ASSIGN_OR_RETURN(const ContentPtr content, Rebuild(*block, number));
    part = {0, *content, content};
  } else {
    part = {0, block->Whole(number - block->objects.header.first_object),
            block};
  }
  if (hash == HashObject::kYes) {
    ZPACK_TRY(CheckContent(run, block->objects.header.type, part.bytes, id));
  }
  return part;
}

Result<ContentPart> ObjectReader::ReadSegment(const BlockRun& run,
                                              const BlockCache::BlockPtr& first,
                                              uint64_t offset) {
  const ObjectInfo info{first->objects.header.type,
                        first->objects.sizes.front()};
  if (offset >= info.size) return ContentPart{info.size, {}, first};
  // All segments but the last one have the same size in files of our writer.
  // For others, the headers of the segments say which one it is.
  const uint64_t size = std::max<size_t>(first->contents().size(), 1);
  size_t at = run.first + std::min<uint64_t>(offset / size, run.size() - 1);
  ZPACK_ASSIGN_OR_RETURN(BlockCache::BlockPtr part, blocks_.Block(at));
  const auto holds = [&] {
    const format::BlockHeader& header = part->objects.header;
    return header.kind == format::BlockKind::kSegment &&
           ObjectInfo{header.type, part->objects.sizes.front()} == info &&
           header.segment_offset <= offset &&
           offset - header.segment_offset < part->contents().size();
  };
  if (!holds()) {
    size_t end = run.last;
    for (at = run.first; end - at > 1;) {
      const size_t middle = at + (end - at) / 2;
      ZPACK_ASSIGN_OR_RETURN(const BlockObjects* const objects,
                             blocks_.Objects(middle));
      (objects->header.segment_offset <= offset ? at : end) = middle;
    }
    ZPACK_ASSIGN_OR_RETURN(part, blocks_.Block(at));
  }
  if (holds()) {
    return ContentPart{part->objects.header.segment_offset, part->contents(),
                       part};
  }
  return std::unexpected(archive_.blocks().InBlock(
      NewError(ErrorCode::kCorrupt, "segment does not continue its object"),
      at));
}

Status ObjectReader::CheckContent(const BlockRun& run, ObjectType type,
                                  ByteView content, const ObjectId& id) const {
  ObjectHasher hasher(archive_.header().object_format);
  return CheckId(run, hasher.Hash(type, content), id);
}

Status ObjectReader::CheckId(const BlockRun& run, const ObjectId& actual,
                             const ObjectId& id) const {
  if (actual == id) return {};
  return std::unexpected(HashMismatch(archive_.blocks(), run, id, actual));
}

Result<ObjectType> ObjectReader::Read(ObjectNumber number, const ObjectId& id,
                                      Bytes& content, HashObject hash) {
  ObjectType type = ObjectType::kBlob;
  content.clear();
  ZPACK_TRY(Stream(
      number, id,
      [&](const ObjectInfo& info) -> Status {
        type = info.type;
        if (info.size > archive_.options().max_object_size) {
          return MakeError(ErrorCode::kLimitExceeded,
                           "object {} of {} bytes is above the limit of {}", id,
                           info.size, archive_.options().max_object_size);
        }
        return {};
      },
      [&](ByteView bytes) -> Status {
        Append(content, bytes);
        return {};
      },
      hash));
  return type;
}

}  // namespace zpack
