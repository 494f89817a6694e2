// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Takes names such as 'v1.0^{commit}~3:src/main.c' apart (gitrevisions(7)).
// Pure.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "zpack/object_id.h"

namespace zpack {

// A suffix of a revision, which leads from one object to another.
struct RevisionStep {
  enum class Kind : uint8_t {
    kParent,    // ^<number>; 0 is the commit itself
    kAncestor,  // ~<number>
    kPeel,      // ^{<type>}
    kPeelTag,   // ^{}
    kObject,    // ^{object}: any object
    kSearch,    // ^{/<text>}: a commit with that text in its message
  };
  Kind kind = Kind::kObject;
  uint32_t number = 0;
  ObjectType type = ObjectType::kCommit;
  std::string_view text = {};
};

// The views point into the name that was taken apart.
struct RevisionName {
  std::string_view base;  // an id or a ref
  std::vector<RevisionStep> steps;
  std::optional<std::string_view> path;
};

// A suffix that Git does not know remains a part of the base.
RevisionName ParseRevisionName(std::string_view name);

// The path in a name: RevisionName::path.
std::optional<std::string_view> PathOfName(std::string_view name);

// Whether the object that has the name depends on the parents of commits.
bool UsesParents(std::string_view name);

}  // namespace zpack
