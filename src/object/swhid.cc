// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "object/swhid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/hex.h"

namespace zpack {
namespace {

std::string_view TargetTypeName(ObjectType type) {
  switch (type) {
    case ObjectType::kCommit:
      return "revision";
    case ObjectType::kTree:
      return "directory";
    case ObjectType::kBlob:
      return "content";
    case ObjectType::kTag:
      return "release";
  }
  return "dangling";
}

// The branches of a snapshot, as they are hashed.
class Manifest {
 public:
  explicit Manifest(const TypeOfObject& type_of) : type_of_(type_of) {}

  void Add(std::string_view name, std::string_view symref_target,
           const ObjectId& target) {
    if (!symref_target.empty()) return Add("alias", name, symref_target);
    const auto type = type_of_(target);
    if (!type) return Add("dangling", name, "");
    Add(TargetTypeName(*type), name, AsText(target.bytes()));
  }

  const std::string& text() const { return text_; }

 private:
  void Add(std::string_view type, std::string_view name,
           std::string_view target) {
    text_.append(type).append(" ").append(name);
    text_ += '\0';
    text_.append(fmt::format("{}:", target.size())).append(target);
  }

  const TypeOfObject& type_of_;
  std::string text_;
};

}  // namespace

std::string SnapshotSwhid(const RefsSnapshot& refs,
                          const TypeOfObject& type_of) {
  constexpr std::string_view kHead = "HEAD";
  Manifest manifest(type_of);
  const auto after_head = std::ranges::upper_bound(
      refs.refs, kHead, {},
      [](const Ref& ref) -> std::string_view { return ref.name; });
  const auto add = [&](auto begin, auto end) {
    for (; begin != end; ++begin) {
      manifest.Add(begin->name, begin->symref_target, begin->target);
    }
  };
  add(refs.refs.begin(), after_head);
  if (!refs.head_symref.empty() || !refs.head_target.empty()) {
    manifest.Add(kHead, refs.head_symref, refs.head_target);
  }
  add(after_head, refs.refs.end());
  Hasher hasher(HashAlgorithm::kSha1);
  hasher.Update(AsBytes(fmt::format("snapshot {}", manifest.text().size())));
  hasher.Update(AsBytes(std::string_view("\0", 1)));
  hasher.Update(AsBytes(manifest.text()));
  std::array<uint8_t, Hasher::kMaxSize> hash;
  return "swh:1:snp:" + ToHex(hasher.Finish(hash));
}

std::string RevisionSwhid(const ObjectId& commit) {
  return "swh:1:rev:" + commit.ToHex();
}

}  // namespace zpack
