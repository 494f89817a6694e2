// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Refs, HEAD and shallow boundaries of a repository at one moment. Plain
// values; thread-compatible.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "zpack/object_id.h"

namespace zpack {

// One ref. Exactly one of `target` and `symref_target` is set.
struct Ref {
  std::string name;  // full name, any bytes Git allows in one
  ObjectId target;   // the object a direct ref points at
  ObjectId peeled;   // what an annotated tag finally points at, or empty
  std::string symref_target;  // the ref a symbolic ref points at

  bool symbolic() const { return !symref_target.empty(); }
  friend bool operator==(const Ref&, const Ref&) = default;
};

struct RefsSnapshot {
  // HEAD: symbolic (`head_symref`, unborn when no such ref exists) or detached
  // (`head_target`). Exactly one is set.
  std::string head_symref;
  ObjectId head_target;
  // Sorted by name, no duplicates, HEAD not among them.
  std::vector<Ref> refs;
  // Commits whose parents are deliberately absent, sorted.
  std::vector<ObjectId> shallow;

  // The ref called `name`, or null.
  const Ref* Find(std::string_view name) const;
  // Follows symbolic refs from `name` ("HEAD" or a full name) to an object;
  // empty when the chain ends nowhere or is longer than Git's limit of five.
  ObjectId Resolve(std::string_view name) const;

  friend bool operator==(const RefsSnapshot&, const RefsSnapshot&) = default;
};

// What a repository has now and did not have in an earlier state of it.
struct MovedOn {
  // Refs, HEAD and shallow boundaries that are new, differ or are gone.
  uint64_t refs = 0;
  uint64_t objects = 0;  // that are new

  bool any() const { return refs != 0 || objects != 0; }
};

}  // namespace zpack
