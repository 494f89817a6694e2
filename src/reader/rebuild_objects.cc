// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/rebuild_objects.h"

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"

namespace zpack {
namespace {

// Maximum number and size of buffers that are kept for reuse.
constexpr size_t kMaxSpare = 4;
constexpr size_t kMaxSpareBytes = size_t{8} << 20;

// Buffers for reuse.
class SpareBuffers {
 public:
  Bytes Take() {
    if (buffers_.empty()) return {};
    Bytes buffer = std::move(buffers_.back());
    buffers_.pop_back();
    return buffer;
  }
  void Put(Bytes buffer) {
    if (buffers_.size() < kMaxSpare && buffer.capacity() <= kMaxSpareBytes) {
      buffers_.push_back(std::move(buffer));
    }
  }

 private:
  std::vector<Bytes> buffers_;
};

// By index: the last object to rebuild that has this object as its base, or
// the object itself if it is not a base. kUnused for an object that is neither
// wanted nor a base of a wanted one.
constexpr uint32_t kUnused = UINT32_MAX;
std::vector<uint32_t> LastUses(const format::BlockLayout& layout,
                               const WantedObjects& wanted) {
  if (wanted.empty()) return layout.LastUses();
  std::vector<uint32_t> last_uses(layout.index_end(), kUnused);
  for (uint32_t index = layout.count(); index-- > 0;) {
    if (last_uses[index] == kUnused) {
      if (!wanted[index]) continue;
      last_uses[index] = index;
    }
    const std::optional<uint32_t> base = layout.base(index);
    if (base && last_uses[*base] == kUnused) last_uses[*base] = index;
  }
  return last_uses;
}

class Rebuilding {
 public:
  Rebuilding(const format::BlockLayout& layout, const WantedObjects& wanted,
             uint64_t max_kept, const ObjectRebuilding& work)
      : layout_(layout),
        wanted_(wanted),
        max_kept_(max_kept),
        work_(work),
        last_uses_(LastUses(layout, wanted)),
        kept_(layout.index_end()),
        lost_(layout.far.empty() ? 0 : layout.index_end()) {}

  Status Run() {
    for (uint32_t index = 0; index < layout_.count(); ++index) {
      if (last_uses_[index] == kUnused) continue;
      ZPACK_VISIT(Rebuild(index), {});
    }
    return {};
  }

 private:
  bool IsWanted(uint32_t index) const {
    return wanted_.empty() || wanted_[index];
  }

  Result<Visit> Rebuild(uint32_t index) {
    const std::optional<uint32_t> base = layout_.base(index);
    if (base && layout_.IsFar(*base)) ZPACK_TRY(ReadFar(*base));
    if (base && !lost_.empty() && lost_[*base]) return Lose(index, *base);
    const format::BaseUse use = base && last_uses_[*base] == index
                                    ? format::BaseUse::kLast
                                    : format::BaseUse::kMore;
    Bytes content = spare_.Take();
    Bytes none;
    work_.rebuild(index, use, base ? kept_[*base] : none, content);
    if (IsWanted(index)) {
      ZPACK_VISIT(work_.visit(index, content), Visit::kStop);
    }
    if (use == format::BaseUse::kLast) {
      kept_bytes_ -= layout_.size(*base);
      spare_.Put(std::move(kept_[*base]));
      kept_[*base] = Bytes();
    }
    if (last_uses_[index] == index) {
      spare_.Put(std::move(content));
      return Visit::kContinue;
    }
    // The buffer may have been used for a much larger object.
    if (content.capacity() / 2 > content.size()) content.shrink_to_fit();
    ZPACK_TRY(Keep(index, std::move(content)));
    return Visit::kContinue;
  }

  Status Keep(uint32_t index, Bytes content) {
    kept_bytes_ += content.size();
    kept_[index] = std::move(content);
    if (kept_bytes_ <= max_kept_) return {};
    return MakeError(ErrorCode::kLimitExceeded,
                     "a block needs more than {} bytes of memory", max_kept_);
  }

  // Reads the base, unless that was tried before.
  Status ReadFar(uint32_t base) {
    if (lost_[base] || has_far_.contains(base)) return {};
    FarBudget unlimited;
    const auto content =
        work_.read_far(layout_.FarAt(base),
                       work_.budget == nullptr ? unlimited : *work_.budget);
    if (content) {
      has_far_.insert(base);
      return Keep(base, **content);
    }
    if (work_.lost == nullptr) return std::unexpected(content.error());
    lost_[base] = std::make_shared<const Error>(content.error());
    return {};
  }

  Result<Visit> Lose(uint32_t index, uint32_t base) {
    lost_[index] = lost_[base];
    if (!IsWanted(index)) return Visit::kContinue;
    return (*work_.lost)(index, *lost_[index]);
  }

  const format::BlockLayout& layout_;
  const WantedObjects& wanted_;
  const uint64_t max_kept_;
  const ObjectRebuilding& work_;
  const std::vector<uint32_t> last_uses_;
  // By index: the content of bases that are needed again.
  std::vector<Bytes> kept_;
  // By index: why an object cannot be rebuilt. Empty without far bases.
  std::vector<std::shared_ptr<const Error>> lost_;
  std::set<uint32_t> has_far_;  // bases in earlier blocks that were read
  SpareBuffers spare_;
  uint64_t kept_bytes_ = 0;
};

}  // namespace

Status RebuildInOrder(const format::BlockLayout& layout,
                      const WantedObjects& wanted, uint64_t max_kept,
                      const ObjectRebuilding& work) {
  return Rebuilding(layout, wanted, max_kept, work).Run();
}

}  // namespace zpack
