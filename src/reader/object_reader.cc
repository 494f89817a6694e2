// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/object_reader.h"

#include <utility>

#include "base/error.h"
#include "object/object_hasher.h"
#include "reader/object_run.h"

namespace zpack {

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
  if (const auto known = cached_.find(block); known != cached_.end()) {
    recent_.splice(recent_.begin(), recent_, known->second);
    return known->second->decoded;
  }
  ZPACK_ASSIGN_OR_RETURN(DecodedBlock decoded, decoder_.Decode(pack_, block));
  auto shared = std::make_shared<const DecodedBlock>(std::move(decoded));
  cached_bytes_ += shared->memory();
  recent_.push_front({block, shared});
  cached_[block] = recent_.begin();
  while (cached_bytes_ > pack_.options().cache_size && recent_.size() > 1) {
    cached_bytes_ -= recent_.back().decoded->memory();
    cached_.erase(recent_.back().block);
    recent_.pop_back();
  }
  return shared;
}

Status ObjectReader::Stream(
    uint32_t number, const std::function<Status(const ObjectInfo&)>& start,
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
  } else {
    Bytes buffer;
    ZPACK_TRY(hash_and_pass(block->Object(index, buffer)));
  }
  const ObjectId expected = pack_.ids()[pack_.rank(number)];
  if (const ObjectId actual = hasher.Finish(); actual != expected) {
    return MakeError(ErrorCode::kCorrupt,
                     "object {} hashes to {} in block {} at offset {} of '{}'",
                     expected.ToHex(), actual.ToHex(), run.first,
                     pack_.block_offset(run.first), pack_.path());
  }
  return {};
}

Result<ObjectType> ObjectReader::Read(uint32_t number, Bytes& content) {
  ObjectType type = ObjectType::kBlob;
  content.clear();
  ZPACK_TRY(Stream(
      number,
      [&](const ObjectInfo& info) -> Status {
        type = info.type;
        if (info.size > pack_.options().max_object_size) {
          return MakeError(ErrorCode::kLimitExceeded,
                           "object {} of {} bytes is above the limit of {}",
                           pack_.ids()[pack_.rank(number)].ToHex(), info.size,
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
