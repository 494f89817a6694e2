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
  std::string name;  // full name; any bytes that Git allows in a ref name
  ObjectId target;   // direct ref: the object that the ref points at
  // If `target` is an annotated tag: the first object in the chain of tags that
  // is not a tag. Empty for any other ref, and for a tag whose
  // chain is broken, endless or malformed.
  ObjectId peeled;
  std::string symref_target;  // symbolic ref: the ref that it points at

  bool symbolic() const { return !symref_target.empty(); }
  friend bool operator==(const Ref&, const Ref&) = default;
};

struct RefsSnapshot {
  // HEAD. Exactly one of the two is set: `head_symref` for a symbolic HEAD,
  // which is unborn if no such ref exists, `head_target` for a detached HEAD.
  std::string head_symref;
  ObjectId head_target;
  // Sorted by name, without duplicates and without HEAD.
  std::vector<Ref> refs;
  // Commits whose parents are deliberately absent, sorted.
  std::vector<ObjectId> shallow;

  // The ref with the full name `name`; null if there is no such ref.
  const Ref* Find(std::string_view name) const;
  // Follows symbolic refs from `name` ("HEAD" or a full name) to an object id.
  // The result is empty if a ref of the chain does not exist, or if the chain
  // is longer than Git's limit of five.
  ObjectId Resolve(std::string_view name) const;
  // Follows symbolic refs from `name` as Resolve does, to the name of the last
  // ref, which need not exist. Empty if the chain is longer than Git's limit,
  // or if `name` is HEAD and HEAD is detached.
  std::string_view ResolveName(std::string_view name) const;
  // The SHA-1 of what `git show-ref` prints, in hexadecimal: a line with id and
  // name for each ref that leads to an object, without HEAD. This is the
  // "fingerprint" in the manifests of grokmirror. Empty if there is no such
  // ref.
  std::string Fingerprint() const;

  friend bool operator==(const RefsSnapshot&, const RefsSnapshot&) = default;
};

// How a repository differs from an earlier state of the repository.
struct MovedOn {
  // Refs, HEAD and shallow boundaries that are new, changed or gone.
  uint64_t refs = 0;
  uint64_t objects = 0;  // new objects

  bool any() const { return refs != 0 || objects != 0; }
};

}  // namespace zpack
