// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/rebuild_objects.h"

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
  std::vector<uint32_t> last_uses(layout.sizes.size(), kUnused);
  for (auto index = static_cast<uint32_t>(layout.sizes.size()); index-- > 0;) {
    if (last_uses[index] == kUnused) {
      if (!wanted[index]) continue;
      last_uses[index] = index;
    }
    const std::optional<uint32_t> base = layout.base(index);
    if (base && last_uses[*base] == kUnused) last_uses[*base] = index;
  }
  return last_uses;
}

}  // namespace

Status RebuildInOrder(const format::BlockLayout& layout,
                      const WantedObjects& wanted, uint64_t max_kept,
                      const RebuildObject& rebuild,
                      const Visitor<size_t, ByteView>& visit) {
  const auto count = static_cast<uint32_t>(layout.sizes.size());
  const std::vector<uint32_t> last_uses = LastUses(layout, wanted);
  std::vector<Bytes> kept(count);
  SpareBuffers spare;
  Bytes none;
  uint64_t kept_bytes = 0;
  for (uint32_t index = 0; index < count; ++index) {
    if (last_uses[index] == kUnused) continue;
    const std::optional<uint32_t> base = layout.base(index);
    const format::BaseUse use = base && last_uses[*base] == index
                                    ? format::BaseUse::kLast
                                    : format::BaseUse::kMore;
    Bytes content = spare.Take();
    rebuild(index, use, base ? kept[*base] : none, content);
    if (wanted.empty() || wanted[index]) {
      ZPACK_VISIT(visit(index, content), {});
    }
    if (use == format::BaseUse::kLast) {
      kept_bytes -= layout.sizes[*base];
      spare.Put(std::move(kept[*base]));
      kept[*base] = Bytes();
    }
    if (last_uses[index] == index) {
      spare.Put(std::move(content));
    } else {
      // The buffer may have been used for a much larger object.
      if (content.capacity() / 2 > content.size()) content.shrink_to_fit();
      kept_bytes += content.size();
      kept[index] = std::move(content);
    }
    if (kept_bytes > max_kept) {
      return MakeError(ErrorCode::kLimitExceeded,
                       "a block needs more than {} bytes of memory", max_kept);
    }
  }
  return {};
}

}  // namespace zpack
