// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/objects/other_bases.h"

#include <memory>
#include <optional>
#include <vector>

#include "base/error.h"

namespace zpack {
namespace {

// Deltas that did not fit their base, after each of which the same entries may
// be searched again.
constexpr size_t kMostDropped = 100;

}  // namespace

// A search in depth for a way over intact deltas, each in one of the entries of
// the base of the one before, to an object with a copy that can be read; and
// the way back, which rebuilds them.
class OtherBases::Search {
 public:
  Search(const OtherBases& bases, const CopyReader& read_copy)
      : bases_(bases), read_copy_(read_copy) {}

  Result<ObjectType> Run(const ObjectId& id, Bytes& content);

 private:
  using Deltas = std::vector<FallbackPacks::Delta>;
  // An object on the way, of which no copy can be read.
  struct Wanted {
    std::optional<ObjectId> id;  // unless the index does not name it
    Deltas deltas;
    size_t next = 0;          // of them, the first that was not tried
    size_t tried_before = 0;  // size of tried_ before any of them
  };

  void Want(const std::optional<ObjectId>& id, Deltas deltas) {
    way_.push_back({id, std::move(deltas), 0, tried_.size()});
  }
  // False for what was tried before.
  bool Try(const FallbackPacks::Delta& delta);
  // Reads the base of a delta, or makes it the next that is wanted.
  Status FindBase(const FallbackPacks::Delta& delta);
  // Sets content_ if a copy can be read.
  Status ReadCopy(const ObjectId& id);
  // Rebuilds a delta on the base that was found, or drops both.
  Status Rebuild(const FallbackPacks::Delta& delta);
  // What failed after the first `count` deltas may not when it is tried again,
  // as it may need an object that was on the way then, and is found now.
  void ForgetTried(size_t count);
  // Goes back from what was wanted last, which has been rebuilt.
  void GoBack();

  const OtherBases& bases_;
  const CopyReader& read_copy_;
  std::vector<Wanted> way_;
  std::vector<Entry> tried_;
  std::set<Entry> is_tried_;
  size_t dropped_ = 0;
  // What was found last, if it is of use.
  PackLookup::Content content_;
  ObjectType type_ = {};
};

bool OtherBases::Search::Try(const FallbackPacks::Delta& delta) {
  const Entry entry(delta.pack, delta.entry.offset);
  {
    const std::scoped_lock lock(bases_.mutex_);
    if (bases_.lost_.contains(entry)) return false;
  }
  if (!is_tried_.insert(entry).second) return false;
  tried_.push_back(entry);
  return true;
}

Status OtherBases::Search::FindBase(const FallbackPacks::Delta& delta) {
  const auto rank = delta.pack->RankAt(delta.entry.base);
  if (!rank) {
    // An entry that the index does not name can only be rebuilt.
    ZPACK_ASSIGN_OR_RETURN(const auto entry,
                           delta.pack->DeltaAt(delta.entry.base));
    if (entry) Want(std::nullopt, {{delta.pack, *entry}});
    return {};
  }
  const ObjectId id = delta.pack->ids()[*rank];
  ZPACK_TRY(ReadCopy(id));
  if (content_ != nullptr) return {};
  ZPACK_ASSIGN_OR_RETURN(Deltas deltas, bases_.packs_.Deltas(id));
  Want(id, std::move(deltas));
  return {};
}

Status OtherBases::Search::ReadCopy(const ObjectId& id) {
  {
    const std::scoped_lock lock(bases_.mutex_);
    if (bases_.without_copies_.contains(id)) return {};
  }
  Bytes content;
  const auto type = read_copy_(id, content);
  if (type) {
    type_ = *type;
    content_ = std::make_shared<const Bytes>(std::move(content));
    return {};
  }
  if (type.error().code == ErrorCode::kIo) {
    return std::unexpected(type.error());
  }
  const std::scoped_lock lock(bases_.mutex_);
  bases_.without_copies_.insert(id);
  return {};
}

Status OtherBases::Search::Rebuild(const FallbackPacks::Delta& delta) {
  const uint64_t offset = delta.entry.offset;
  auto rebuilt = delta.pack->Rebuild(offset, type_, content_);
  if (rebuilt) {
    content_ = *std::move(rebuilt);
    return {};
  }
  content_ = nullptr;
  if (rebuilt.error().code == ErrorCode::kIo) {
    return std::unexpected(rebuilt.error());
  }
  ++dropped_;
  const std::scoped_lock lock(bases_.mutex_);
  bases_.lost_.emplace(delta.pack, offset);
  return {};
}

void OtherBases::Search::ForgetTried(size_t count) {
  if (dropped_ > kMostDropped) return;
  for (; tried_.size() > count; tried_.pop_back()) {
    is_tried_.erase(tried_.back());
  }
}

void OtherBases::Search::GoBack() {
  const Wanted& wanted = way_.back();
  if (wanted.id) {
    // The pack keeps it.
    const std::scoped_lock lock(bases_.mutex_);
    bases_.without_copies_.erase(*wanted.id);
  }
  ForgetTried(wanted.tried_before);
  way_.pop_back();
}

Result<ObjectType> OtherBases::Search::Run(const ObjectId& id, Bytes& content) {
  ZPACK_ASSIGN_OR_RETURN(Deltas deltas, bases_.packs_.Deltas(id));
  Want(id, std::move(deltas));
  while (!way_.empty()) {
    Wanted& wanted = way_.back();
    if (content_ != nullptr) {
      ZPACK_TRY(Rebuild(wanted.deltas[wanted.next - 1]));
    }
    if (content_ != nullptr) {
      GoBack();
    } else if (wanted.next == wanted.deltas.size()) {
      way_.pop_back();
    } else {
      const FallbackPacks::Delta delta = wanted.deltas[wanted.next++];
      if (Try(delta)) ZPACK_TRY(FindBase(delta));
    }
  }
  if (content_ == nullptr) {
    // After so many, some were rebuilt that count as tried.
    if (dropped_ <= kMostDropped) {
      const std::scoped_lock lock(bases_.mutex_);
      bases_.lost_.insert(tried_.begin(), tried_.end());
    }
    return MakeError(ErrorCode::kNotFound, "no way to read {}", id);
  }
  content.assign(content_->begin(), content_->end());
  return type_;
}

Result<ObjectType> OtherBases::Read(const ObjectId& id,
                                    const CopyReader& read_copy,
                                    Bytes& content) const {
  return Search(*this, read_copy).Run(id, content);
}

}  // namespace zpack
