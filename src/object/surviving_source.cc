// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "object/surviving_source.h"

#include <utility>

#include "base/error.h"
#include "object/object_links.h"
#include "object/peel.h"

namespace zpack {
namespace {

class SurvivingSource : public ObjectSource {
 public:
  SurvivingSource(ObjectSource& source, const DamagedObjects& damaged,
                  std::unique_ptr<ObjectSource> owned)
      : source_(source), damaged_(damaged), owned_(std::move(owned)) {}

  const std::string& path() const override { return source_.path(); }
  ObjectFormat object_format() const override {
    return source_.object_format();
  }

  Result<ObjectIdTable> ListObjects() override {
    ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable all, source_.ListObjects());
    Bytes ids;
    ids.reserve(all.bytes().size());
    for (uint32_t i = 0; i < all.size(); ++i) {
      if (!damaged_.contains(all[i])) Append(ids, all[i].bytes());
    }
    return ObjectIdTable::FromSorted(object_format(), std::move(ids));
  }

  Result<ObjectInfo> ReadInfo(const ObjectId& id) override {
    ZPACK_TRY(CheckSound(id));
    return source_.ReadInfo(id);
  }
  Result<ObjectType> Read(const ObjectId& id, Bytes& content) override {
    ZPACK_TRY(CheckSound(id));
    return source_.Read(id, content);
  }
  void PrefetchReads(std::span<const ObjectId> ids) override {
    source_.PrefetchReads(ids);
  }
  Result<std::unique_ptr<ObjectStream>> Open(const ObjectId& id) override {
    ZPACK_TRY(CheckSound(id));
    return source_.Open(id);
  }
  bool UseOtherCopy(const ObjectId& id) override {
    return CheckSound(id) && source_.UseOtherCopy(id);
  }

  // A tag of a damaged object cannot be peeled.
  Result<RefsSnapshot> ReadRefs() override {
    ZPACK_ASSIGN_OR_RETURN(RefsSnapshot refs, source_.ReadRefs());
    TagPeeler peeler(object_format(),
                     {[this](const ObjectId& id) -> std::optional<ObjectType> {
                        const auto info = ReadInfo(id);
                        return info ? std::optional(info->type) : std::nullopt;
                      },
                      [this](const ObjectId& id) {
                        Bytes content;
                        return Read(id, content)
                                   ? ParseTagTarget(content, object_format())
                                   : ObjectId();
                      }});
    for (Ref& ref : refs.refs) {
      if (!ref.peeled.empty()) ref.peeled = peeler.Peel(ref.target);
    }
    return refs;
  }
  Result<std::vector<TipGroup>> ListOtherTips() override {
    return source_.ListOtherTips();
  }

  Result<IndexedVector<PathNumber, bool>> FindUndeltified(
      const PathTable& paths) override {
    return source_.FindUndeltified(paths);
  }
  Result<ListedFiles> ListFiles(std::span<const std::string> others) override {
    return source_.ListFiles(others);
  }
  Result<std::unique_ptr<FileStream>> OpenFile(
      const ListedFile& file) override {
    return source_.OpenFile(file);
  }

  uint64_t PackedBytes() override { return source_.PackedBytes(); }
  bool IsPartialClone() override { return source_.IsPartialClone(); }
  Result<PromisorRemotes> ReadPromisorRemotes() override {
    return source_.ReadPromisorRemotes();
  }
  Result<ObjectIdTable> ListPromisorObjects() override {
    return source_.ListPromisorObjects();
  }
  std::vector<std::string> MissingAlternates() override {
    return source_.MissingAlternates();
  }
  Result<std::vector<std::string>> UnusablePacks() override {
    return source_.UnusablePacks();
  }
  std::vector<std::string> SkippedFiles() override {
    return source_.SkippedFiles();
  }

 private:
  Status CheckSound(const ObjectId& id) const {
    if (!damaged_.contains(id)) return {};
    return MakeError(ErrorCode::kNotFound, "object {} of '{}' is damaged", id,
                     AtPath{source_.path()});
  }

  ObjectSource& source_;
  const DamagedObjects& damaged_;
  std::unique_ptr<ObjectSource> owned_;  // `source_`, or null
};

}  // namespace

std::unique_ptr<ObjectSource> WithoutDamaged(ObjectSource& source,
                                             const DamagedObjects& damaged) {
  return std::make_unique<SurvivingSource>(source, damaged, nullptr);
}

std::unique_ptr<ObjectSource> WithoutDamaged(
    std::unique_ptr<ObjectSource> source, const DamagedObjects& damaged) {
  ObjectSource& from = *source;
  return std::make_unique<SurvivingSource>(from, damaged, std::move(source));
}

}  // namespace zpack
