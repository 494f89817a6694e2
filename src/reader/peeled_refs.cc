// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/peeled_refs.h"

#include <optional>
#include <set>
#include <unordered_map>

#include "base/error.h"
#include "object/object_links.h"
#include "object/peel.h"
#include "reader/block_decoder.h"
#include "reader/object_reader.h"

namespace zpack {
namespace {

// Finds the targets of tags. Decodes each block at most once, no matter how
// refs and tags refer to each other, so a hostile file cannot cause more work.
class Tags {
 public:
  explicit Tags(const ArchiveFile& archive)
      : archive_(archive), objects_(archive) {}

  // The first error of reading the file. Reading errors are not damage.
  const Status& readable() const { return readable_; }

  std::optional<ObjectType> Type(const ObjectId& id) {
    const auto rank = archive_.ids().Find(id);
    if (!rank) return std::nullopt;
    const auto info = objects_.ReadInfo(archive_.number(*rank));
    if (info) return info->type;
    Note(info.error());
    return std::nullopt;
  }

  ObjectId Target(const ObjectId& id) {
    const auto rank = archive_.ids().Find(id);
    if (!rank) return {};
    const ObjectNumber number = archive_.number(*rank);
    const size_t block = archive_.blocks().FindBlock(number);
    if (loaded_.insert(block).second) Load(block);
    const auto target = targets_.find(number);
    return target == targets_.end() ? ObjectId() : target->second;
  }

 private:
  void Note(const Error& error) {
    if (readable_ && error.code == ErrorCode::kIo) {
      readable_ = std::unexpected(error);
    }
  }

  void Load(size_t block) {
    const auto view = decoder_.Load(archive_.blocks(), block);
    if (!view) return Note(view.error());
    if (view->header.type != ObjectType::kTag) return;
    const auto decoded = decoder_.Decode(archive_.blocks(), block);
    if (!decoded) return Note(decoded.error());
    const ObjectFormat format = archive_.header().object_format;
    const ObjectNumber first = decoded->objects.header.first_object;
    Bytes buffer;
    for (uint32_t i = 0; i < decoded->objects.sizes.size(); ++i) {
      // The target is in the first line of a tag.
      const Result<ByteView> tag = decoded->Beginning(i, buffer);
      if (!tag) return Note(tag.error());
      targets_[first + i] = ParseTagTarget(*tag, format);
    }
  }

  const ArchiveFile& archive_;
  ObjectReader objects_;
  BlockDecoder decoder_;
  Status readable_;
  std::set<size_t> loaded_;
  std::unordered_map<ObjectNumber, ObjectId> targets_;
};

}  // namespace

Result<std::vector<PeeledMismatch>> FindPeeledMismatches(
    const ArchiveFile& archive, const std::stop_token& stop) {
  Tags tags(archive);
  TagPeeler peeler(archive.header().object_format,
                   {[&](const ObjectId& id) { return tags.Type(id); },
                    [&](const ObjectId& id) { return tags.Target(id); }});
  std::vector<PeeledMismatch> mismatches;
  for (const Ref& ref : archive.refs().refs) {
    ZPACK_TRY(CheckStop(stop));
    if (ref.symbolic()) continue;
    const ObjectId actual = peeler.Peel(ref.target);
    ZPACK_TRY(tags.readable());
    if (actual != ref.peeled) {
      mismatches.push_back({ref.name, ref.peeled, actual});
    }
  }
  return mismatches;
}

}  // namespace zpack
