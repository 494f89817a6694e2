// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Names and types of Git objects. Plain values; thread-compatible.

#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace zpack {

// Hash algorithm that names the objects of a repository. The values are Git's
// format ids. The values are on disk: do not change them.
enum class ObjectFormat : uint32_t {
  kSha1 = 0x73686131,    // "sha1", ids of 20 bytes
  kSha256 = 0x73323536,  // "s256", ids of 32 bytes
};

// Bytes of an object id in `format`: 20 or 32.
constexpr size_t ObjectIdWidth(ObjectFormat format) {
  return format == ObjectFormat::kSha256 ? 32 : 20;
}

// "sha1" or "sha256".
std::string_view ObjectFormatName(ObjectFormat format);

// Type of an object, numbered as in a Git pack. The values are on disk: do not
// change them.
enum class ObjectType : uint8_t { kCommit = 1, kTree = 2, kBlob = 3, kTag = 4 };

inline constexpr std::array kAllObjectTypes = {
    ObjectType::kCommit, ObjectType::kTree, ObjectType::kBlob,
    ObjectType::kTag};

// "commit", "tree", "blob" or "tag".
std::string_view ObjectTypeName(ObjectType type);

// Name of an object: the hash of its type, size and content. Ids are ordered
// byte by byte, as in Git.
class ObjectId {
 public:
  static constexpr size_t kMaxWidth = 32;

  ObjectId() = default;

  // REQUIRES: bytes.size() is 20 or 32.
  explicit ObjectId(std::span<const uint8_t> bytes);

  // Parses 40 or 64 hexadecimal digits, upper or lower case. Returns nullopt
  // for any other text.
  static std::optional<ObjectId> FromHex(std::string_view hex);

  std::span<const uint8_t> bytes() const { return {bytes_.data(), width_}; }
  std::string ToHex() const;
  // True for a default-constructed id. Such an id names no object.
  bool empty() const { return width_ == 0; }
  // True for an id of zeros, which stands for no object, and for an empty id.
  bool is_null() const { return bytes_ == std::array<uint8_t, kMaxWidth>{}; }

  friend auto operator<=>(const ObjectId&, const ObjectId&) = default;

 private:
  std::array<uint8_t, kMaxWidth> bytes_{};
  uint8_t width_ = 0;
};

// Type of an object, and size of its content in bytes.
struct ObjectInfo {
  ObjectType type = ObjectType::kBlob;
  uint64_t size = 0;

  friend bool operator==(const ObjectInfo&, const ObjectInfo&) = default;
};

}  // namespace zpack

// The first bytes of an id are as good as any hash.
template <>
struct std::hash<zpack::ObjectId> {
  size_t operator()(const zpack::ObjectId& id) const noexcept {
    size_t value = 0;
    std::memcpy(&value, id.bytes().data(),
                std::min(id.bytes().size(), sizeof(value)));
    return value;
  }
};
