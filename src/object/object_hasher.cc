// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "object/object_hasher.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "object/object_source.h"

namespace zpack {

HashAlgorithm HashAlgorithmOf(ObjectFormat format) {
  return format == ObjectFormat::kSha256 ? HashAlgorithm::kSha256
                                         : HashAlgorithm::kSha1;
}

ObjectHeader::ObjectHeader(const ObjectInfo& info) {
  const auto end = fmt::format_to_n(bytes_.begin(), bytes_.size() - 1, "{} {}",
                                    ObjectTypeName(info.type), info.size);
  *end.out = '\0';
  size_ = end.size + 1;
}

ObjectHasher::ObjectHasher(ObjectFormat format)
    : hasher_(HashAlgorithmOf(format)) {}

ObjectId ObjectHasher::Hash(ObjectType type, ByteView content) {
  Begin({type, content.size()});
  Update(content);
  return Finish();
}

Result<ObjectId> ObjectHasher::Hash(ObjectStream& object) {
  constexpr uint64_t kPiece = uint64_t{1} << 20;
  Begin(object.info());
  Bytes piece;
  for (uint64_t left = object.info().size; left != 0; left -= piece.size()) {
    piece.resize(std::min(left, kPiece));
    if (Status read = object.Read(piece); !read) {
      Finish();
      return std::unexpected(std::move(read).error());
    }
    Update(piece);
  }
  return Finish();
}

void ObjectHasher::Begin(const ObjectInfo& info) {
  hasher_.Update(ObjectHeader(info).bytes());
}

ObjectId ObjectHasher::Finish() {
  std::array<uint8_t, Hasher::kMaxSize> hash;
  return ObjectId(hasher_.Finish(hash));
}

ObjectId EmptyTreeId(ObjectFormat format) {
  return ObjectHasher(format).Hash(ObjectType::kTree, ByteView());
}

}  // namespace zpack
