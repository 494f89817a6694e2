// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/refs.h"

#include <algorithm>

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
  if (name == "HEAD") {
    if (head_symref.empty()) return head_target;
    name = head_symref;
  }
  for (int depth = 0; depth < kMaxSymrefDepth; ++depth) {
    const Ref* const ref = Find(name);
    if (ref == nullptr) return {};
    if (!ref->symbolic()) return ref->target;
    name = ref->symref_target;
  }
  return {};
}

}  // namespace zpack
