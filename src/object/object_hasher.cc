// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "object/object_hasher.h"

#include <fmt/format.h>

namespace zpack {

HashAlgorithm HashAlgorithmOf(ObjectFormat format) {
  return format == ObjectFormat::kSha256 ? HashAlgorithm::kSha256
                                         : HashAlgorithm::kSha1;
}

ObjectHasher::ObjectHasher(ObjectFormat format)
    : hasher_(HashAlgorithmOf(format)) {}

ObjectId ObjectHasher::Hash(ObjectType type, ByteView content) {
  Begin({type, content.size()});
  Update(content);
  return Finish();
}

void ObjectHasher::Begin(const ObjectInfo& info) {
  std::array<char, 32> header;
  const auto end = fmt::format_to_n(header.data(), header.size() - 1, "{} {}",
                                    ObjectTypeName(info.type), info.size);
  *end.out = '\0';
  hasher_.Update(AsBytes({header.data(), end.size + 1}));
}

ObjectId ObjectHasher::Finish() {
  std::array<uint8_t, Hasher::kMaxSize> hash;
  return ObjectId(hasher_.Finish(hash));
}

}  // namespace zpack
