// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "content_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace zpack::mount {
namespace {

// The kernel asks for this much at a time: a file that is no larger is read in
// one request.
constexpr uint64_t kLarge = uint64_t{128} << 10;
constexpr uint64_t kKeptBytes = uint64_t{64} << 20;
// A part may hold the block that it is from, so their number is limited, too.
constexpr size_t kKeptParts = 16;

bool Holds(const ContentPart& part, uint64_t offset) {
  return part.offset <= offset && offset - part.offset < part.bytes.size();
}

}  // namespace

ContentReader::ContentReader(const ArchiveReader& reader)
    : reader_(reader), parts_(kKeptBytes, kKeptParts) {}

Result<FileBytes> ContentReader::Read(const ObjectId& id, uint64_t object_size,
                                      const Range& range) {
  FileBytes result;
  uint64_t at = range.offset;
  const uint64_t end =
      at >= object_size ? at : at + std::min(range.size, object_size - at);
  while (at < end) {
    auto part =
        object_size > kLarge ? LargePart(id, at) : reader_.ReadPart(id, at);
    if (!part) return std::unexpected(part.error());
    if (!Holds(*part, at)) {
      return std::unexpected(
          Error{ErrorCode::kCorrupt,
                fmt::format("object {} has fewer than {} bytes", id.ToHex(),
                            object_size),
                id});
    }
    const uint64_t skipped = at - part->offset;
    const uint64_t taken = std::min(end - at, part->bytes.size() - skipped);
    result.pieces.push_back(part->bytes.subspan(skipped, taken));
    result.owners.push_back(*std::move(part));
    at += taken;
  }
  return result;
}

Result<ContentPart> ContentReader::LargePart(const ObjectId& id,
                                             uint64_t offset) {
  {
    // The kernel reads ahead with several requests at once. One of them loads
    // the part.
    std::unique_lock<std::mutex> lock(mutex_);
    loaded_.wait(lock, [&] { return !loading_.contains(id); });
    auto known = parts_.Find(id);
    if (known && Holds(*known, offset)) return *std::move(known);
    loading_.insert(id);
  }
  auto part = reader_.ReadPart(id, offset);
  const std::lock_guard<std::mutex> lock(mutex_);
  loading_.erase(id);
  loaded_.notify_all();
  if (part) parts_.Insert(id, *part, part->bytes.size());
  return part;
}

}  // namespace zpack::mount
