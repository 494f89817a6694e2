// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/refs.h"

#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/hex.h"
#include "object/refs_listing.h"

namespace zpack {
namespace {

// Git's own limit on chains of symbolic refs (SYMREF_MAXDEPTH).
constexpr int kMaxSymrefDepth = 5;

}  // namespace

const Ref* RefsSnapshot::Find(std::string_view name) const {
  const auto at = std::ranges::lower_bound(refs, name, {}, &Ref::name);
  return at != refs.end() && at->name == name ? &*at : nullptr;
}

ObjectId RefsSnapshot::Resolve(std::string_view name) const {
  if (name == "HEAD" && head_symref.empty()) return head_target;
  const Ref* const ref = Find(ResolveName(name));
  return ref == nullptr ? ObjectId() : ref->target;
}

std::string_view RefsSnapshot::ResolveName(std::string_view name) const {
  int depth = 0;
  if (name == "HEAD") {
    name = head_symref;
    ++depth;
  }
  for (; depth < kMaxSymrefDepth; ++depth) {
    const Ref* const ref = Find(name);
    if (ref == nullptr || !ref->symbolic()) return name;
    name = ref->symref_target;
  }
  return {};
}

bool HashRefsListing(const RefsSnapshot& refs, Hasher& hasher) {
  bool any = false;
  for (const Ref& ref : refs.refs) {
    const ObjectId id = refs.Resolve(ref.name);
    if (id.empty()) continue;
    hasher.Update(AsBytes(id.ToHex() + ' ' + ref.name + '\n'));
    any = true;
  }
  return any;
}

std::string RefsSnapshot::Fingerprint() const {
  Hasher hasher(HashAlgorithm::kSha1);
  if (!HashRefsListing(*this, hasher)) return "";
  std::array<uint8_t, Hasher::kMaxSize> hash;
  return ToHex(hasher.Finish(hash));
}

}  // namespace zpack
