// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/object_id.h"

#include <algorithm>

#include "base/check.h"
#include "base/hex.h"

namespace zpack {

std::string_view ObjectFormatName(ObjectFormat format) {
  return format == ObjectFormat::kSha256 ? "sha256" : "sha1";
}

std::string_view ObjectTypeName(ObjectType type) {
  switch (type) {
    case ObjectType::kCommit:
      return "commit";
    case ObjectType::kTree:
      return "tree";
    case ObjectType::kBlob:
      return "blob";
    case ObjectType::kTag:
      return "tag";
  }
  return "unknown";
}

ObjectId::ObjectId(std::span<const uint8_t> bytes)
    : width_(static_cast<uint8_t>(bytes.size())) {
  ZPACK_CHECK(bytes.size() == 20 || bytes.size() == 32);
  std::ranges::copy(bytes, bytes_.begin());
}

std::optional<ObjectId> ObjectId::FromHex(std::string_view hex) {
  const std::optional<Bytes> bytes = zpack::FromHex(hex);
  if (!bytes || (bytes->size() != 20 && bytes->size() != 32)) {
    return std::nullopt;
  }
  return ObjectId(*bytes);
}

std::string ObjectId::ToHex() const { return zpack::ToHex(bytes()); }

}  // namespace zpack
