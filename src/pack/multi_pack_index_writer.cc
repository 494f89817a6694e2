// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/multi_pack_index_writer.h"

#include <algorithm>
#include <array>
#include <limits>
#include <queue>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "object/object_hasher.h"
#include "pack/pack_format.h"

namespace zpack {
namespace {

constexpr uint32_t kFanOut = 0x4f494446;        // "OIDF"
constexpr uint32_t kIdLookup = 0x4f49444c;      // "OIDL"
constexpr uint32_t kOffsets = 0x4f4f4646;       // "OOFF"
constexpr uint32_t kLargeOffsets = 0x4c4f4646;  // "LOFF"
constexpr size_t kIndexPiece = size_t{1} << 20;

std::string FileOf(const IndexedPack& pack) { return pack.name + ".idx"; }

// Where an object is.
struct Place {
  uint32_t pack = 0;
  PackRank rank;
};

// Chooses a place for each object of all packs, in the order of ids.
class IndexMerger {
 public:
  explicit IndexMerger(const std::vector<IndexedPack>& packs)
      : packs_(packs), next_(After{&packs}) {
    for (uint32_t pack = 0; pack < packs.size(); ++pack) Push({pack, {}});
  }

  Result<std::vector<Place>> Run() {
    std::vector<Place> places;
    ObjectId last;
    while (!next_.empty()) {
      const Place place = next_.top();
      next_.pop();
      const ObjectId id = packs_[place.pack].index.ids[place.rank];
      if (places.empty() || id != last) places.push_back(place);
      last = id;
      Push({place.pack, PackRank(place.rank.value() + 1)});
    }
    if (places.size() > std::numeric_limits<uint32_t>::max()) {
      return MakeError(ErrorCode::kLimitExceeded,
                       "too many objects for a multi-pack-index");
    }
    return places;
  }

 private:
  // True if `a` comes after `b`: by id, and then the worse place.
  struct After {
    const std::vector<IndexedPack>* packs;
    bool operator()(const Place& a, const Place& b) const {
      const IndexedPack& left = (*packs)[a.pack];
      const IndexedPack& right = (*packs)[b.pack];
      const ObjectId left_id = left.index.ids[a.rank];
      const ObjectId right_id = right.index.ids[b.rank];
      if (left_id != right_id) return right_id < left_id;
      if (left.preferred != right.preferred) return right.preferred;
      if (left.modified != right.modified) {
        return left.modified < right.modified;
      }
      return a.pack > b.pack;
    }
  };

  void Push(Place place) {
    if (place.rank.value() < packs_[place.pack].index.ids.size()) {
      next_.push(place);
    }
  }

  const std::vector<IndexedPack>& packs_;
  std::priority_queue<Place, std::vector<Place>, After> next_;
};

class MultiPackIndexWriter {
 public:
  MultiPackIndexWriter(ObjectFormat format,
                       const std::vector<IndexedPack>& packs,
                       std::vector<Place> places, WritableFile& file)
      : format_(format),
        packs_(packs),
        places_(std::move(places)),
        file_(file),
        hasher_(HashAlgorithmOf(format)) {
    for (const IndexedPack& pack : packs_) names_ += FileOf(pack) + '\0';
    names_.resize((names_.size() + 3) / 4 * 4);
    bool needed = false;
    for (const Place& place : places_) {
      large_ += Offset(place) >= kFirstLargeOffset ? 1 : 0;
      needed = needed || Offset(place) > std::numeric_limits<uint32_t>::max();
    }
    // Offsets of 32 bits need no chunk of their own, as long as no offset is
    // larger.
    if (!needed) large_ = 0;
  }

  Status Write(unsigned version) {
    ZPACK_TRY(WriteHeader(version));
    to_.Raw(AsBytes(names_));
    WriteFanOut();
    ZPACK_TRY(WriteIds());
    ZPACK_TRY(WriteOffsets());
    ZPACK_TRY(Flush(0));
    std::array<uint8_t, Hasher::kMaxSize> hash;
    return file_.Append(hasher_.Finish(hash));
  }

 private:
  uint64_t Offset(const Place& place) const {
    return packs_[place.pack].index.offsets[place.rank];
  }

  Status WriteHeader(unsigned version) {
    const uint64_t count = places_.size();
    std::vector<std::pair<uint32_t, uint64_t>> chunks = {
        {kPackNamesChunk, names_.size()},
        {kFanOut, 256 * sizeof(uint32_t)},
        {kIdLookup, count * ObjectIdWidth(format_)},
        {kOffsets, count * 2 * sizeof(uint32_t)}};
    if (large_ != 0) {
      chunks.emplace_back(kLargeOffsets, large_ * sizeof(uint64_t));
    }
    to_.U32(kMultiPackIndexSignature);
    to_.U8(static_cast<uint8_t>(version));
    to_.U8(static_cast<uint8_t>(PackTableHash(format_)));
    to_.U8(static_cast<uint8_t>(chunks.size()));
    to_.U8(0);  // no layers below
    to_.U32(static_cast<uint32_t>(packs_.size()));
    uint64_t at =
        kMultiPackIndexHeader + (chunks.size() + 1) * kMultiPackIndexRow;
    chunks.emplace_back(0, 0);
    for (const auto& [id, size] : chunks) {
      to_.U32(id);
      to_.U64(at);
      at += size;
    }
    return Flush(kIndexPiece);
  }

  void WriteFanOut() {
    std::array<uint32_t, 256> counts{};
    for (const Place& place : places_) {
      ++counts[packs_[place.pack].index.ids[place.rank].bytes()[0]];
    }
    uint32_t total = 0;
    for (const uint32_t count : counts) to_.U32(total += count);
  }

  Status WriteIds() {
    for (const Place& place : places_) {
      to_.Raw(packs_[place.pack].index.ids[place.rank].bytes());
      ZPACK_TRY(Flush(kIndexPiece));
    }
    return {};
  }

  Status WriteOffsets() {
    uint32_t number = 0;
    for (const Place& place : places_) {
      to_.U32(place.pack);
      const uint64_t offset = Offset(place);
      to_.U32(large_ != 0 && offset >= kFirstLargeOffset
                  ? kFirstLargeOffset | number++
                  : static_cast<uint32_t>(offset));
      ZPACK_TRY(Flush(kIndexPiece));
    }
    if (large_ == 0) return {};
    for (const Place& place : places_) {
      if (Offset(place) >= kFirstLargeOffset) to_.U64(Offset(place));
      ZPACK_TRY(Flush(kIndexPiece));
    }
    return {};
  }

  // Writes the pending bytes if there are at least `least`.
  Status Flush(size_t least) {
    if (pending_.size() < least) return {};
    hasher_.Update(pending_);
    const Status written = file_.Append(pending_);
    pending_.clear();
    return written;
  }

  ObjectFormat format_;
  const std::vector<IndexedPack>& packs_;
  std::vector<Place> places_;
  WritableFile& file_;
  Hasher hasher_;
  std::string names_;
  uint64_t large_ = 0;  // offsets in a chunk of their own
  Bytes pending_;
  ByteWriter to_{pending_};
};

}  // namespace

Status WriteMultiPackIndex(ObjectFormat format, unsigned version,
                           std::vector<IndexedPack> packs, WritableFile& file) {
  std::ranges::sort(packs, {}, FileOf);
  ZPACK_ASSIGN_OR_RETURN(std::vector<Place> places, IndexMerger(packs).Run());
  return MultiPackIndexWriter(format, packs, std::move(places), file)
      .Write(version);
}

}  // namespace zpack
