// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/object_reader.h"

#include <utility>

#include "base/error.h"
#include "object/object_hasher.h"
#include "reader/object_run.h"

namespace zpack {
namespace {

// Parts of ReadOptions::cache_size that are for rebuilt blobs and for entries
// of trees.
constexpr uint64_t kRebuiltShare = 8;
constexpr uint64_t kEntriesShare = 8;

}  // namespace

ObjectReader::ObjectReader(const PackFile& pack)
    : pack_(pack),
      blocks_(pack.options().cache_size -
              pack.options().cache_size / kRebuiltShare -
              pack.options().cache_size / kEntriesShare),
      rebuilt_(pack.options().cache_size / kRebuiltShare),
      entries_(pack.options().cache_size / kEntriesShare) {}

Result<ObjectInfo> ObjectReader::ReadInfo(uint32_t number) {
  const size_t block = pack_.blocks().FindBlock(number);
  const std::lock_guard<std::mutex> lock(mutex_);
  auto at = objects_.find(block);
  if (at == objects_.end()) {
    ZPACK_ASSIGN_OR_RETURN(BlockObjects objects,
                           decoder_.DecodeObjects(pack_, block));
    at = objects_.emplace(block, std::move(objects)).first;
  }
  const uint32_t index = number - pack_.blocks().rows[block].first_object;
  return ObjectInfo{at->second.header.type, at->second.sizes[index]};
}

Result<ObjectReader::BlockPtr> ObjectReader::Block(size_t block) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (BlockPtr known = blocks_.Find(block)) return known;
  ZPACK_ASSIGN_OR_RETURN(DecodedBlock decoded, decoder_.Decode(pack_, block));
  auto shared = std::make_shared<const DecodedBlock>(std::move(decoded));
  blocks_.Insert(block, shared, shared->memory());
  return shared;
}

ObjectReader::ContentPtr ObjectReader::Rebuild(const DecodedBlock& block,
                                               uint32_t number) {
  const uint32_t first = block.objects.header.first_object;
  // Up to an object that is known or has no base, then forward again.
  std::vector<uint32_t> chain;
  ContentPtr content;
  for (std::optional<uint32_t> index = number - first; index;
       index = block.deltas->base(*index)) {
    const std::lock_guard<std::mutex> lock(mutex_);
    content = rebuilt_.Find(first + *index);
    if (content) break;
    chain.push_back(*index);
  }
  if (chain.empty()) return content;
  for (; !chain.empty(); chain.pop_back()) {
    auto next = std::make_shared<Bytes>();
    block.deltas->Rebuild(chain.back(), content ? *content : ByteView(), *next);
    content = std::move(next);
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  // Another thread may have been here meanwhile.
  if (rebuilt_.Find(number) == nullptr) {
    rebuilt_.Insert(number, content, content->size());
  }
  return content;
}

void ObjectReader::RebuildTree(const DecodedBlock& block, uint32_t number,
                               Bytes& content) {
  const TreeBlock& trees = *block.trees;
  const uint32_t first = block.objects.header.first_object;
  using EntriesPtr = std::shared_ptr<const TreeBlock::Entries>;
  std::vector<uint32_t> chain;
  EntriesPtr entries;
  for (std::optional<uint32_t> index = number - first; index;
       index = trees.base(*index)) {
    const std::lock_guard<std::mutex> lock(mutex_);
    entries = entries_.Find(first + *index);
    if (entries) break;
    chain.push_back(*index);
  }
  static const TreeBlock::Entries none;
  for (; !chain.empty(); chain.pop_back()) {
    auto next = std::make_shared<TreeBlock::Entries>();
    if (!trees.IsVerbatim(chain.back())) {
      trees.ApplyEdits(chain.back(), entries ? *entries : none, *next);
    }
    entries = std::move(next);
  }
  trees.Serialize(number - first, *entries, block.id_of, content);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (entries_.Find(number) == nullptr) {
    entries_.Insert(number, entries,
                    entries->size() * sizeof(TreeBlock::Entry));
  }
}

Status ObjectReader::Stream(
    uint32_t number, const ObjectId& id,
    const std::function<Status(const ObjectInfo&)>& start,
    const std::function<Status(ByteView)>& piece) {
  const BlockRun run = RunAt(pack_, pack_.blocks().FindBlock(number));
  ZPACK_ASSIGN_OR_RETURN(const BlockPtr block, Block(run.first));
  const uint32_t index = number - block->objects.header.first_object;
  const ObjectInfo info{block->objects.header.type,
                        block->objects.sizes[index]};
  ZPACK_TRY(start(info));
  ObjectHasher hasher(pack_.header().object_format);
  hasher.Begin(info);
  const auto hash_and_pass = [&](ByteView bytes) {
    hasher.Update(bytes);
    return piece(bytes);
  };
  if (IsSegmented(run, *block)) {
    // A decoder of its own, so that a long stream does not hold the lock.
    BlockDecoder decoder;
    ZPACK_TRY(StreamSegments(pack_, run, *block, decoder, hash_and_pass));
  } else if (block->trees) {
    Bytes content;
    RebuildTree(*block, number, content);
    ZPACK_TRY(hash_and_pass(content));
  } else if (block->deltas) {
    const ContentPtr content = Rebuild(*block, number);
    ZPACK_TRY(hash_and_pass(*content));
  } else {
    Bytes unused;
    ZPACK_TRY(hash_and_pass(block->Object(index, unused)));
  }
  if (const ObjectId actual = hasher.Finish(); actual != id) {
    return MakeError(ErrorCode::kCorrupt,
                     "object {} hashes to {} in block {} at offset {} of '{}'",
                     id.ToHex(), actual.ToHex(), run.first,
                     pack_.block_offset(run.first), pack_.path());
  }
  return {};
}

Result<ObjectType> ObjectReader::Read(uint32_t number, const ObjectId& id,
                                      Bytes& content) {
  ObjectType type = ObjectType::kBlob;
  content.clear();
  ZPACK_TRY(Stream(
      number, id,
      [&](const ObjectInfo& info) -> Status {
        type = info.type;
        if (info.size > pack_.options().max_object_size) {
          return MakeError(ErrorCode::kLimitExceeded,
                           "object {} of {} bytes is above the limit of {}",
                           id.ToHex(), info.size,
                           pack_.options().max_object_size);
        }
        return {};
      },
      [&](ByteView bytes) -> Status {
        Append(content, bytes);
        return {};
      }));
  return type;
}

}  // namespace zpack
