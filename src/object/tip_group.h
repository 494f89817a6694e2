// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Ids that keep objects of a repository alive in addition to refs and HEAD.
// Plain values.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zpack/object_id.h"

namespace zpack {

// What it means, by the rules of 'git repack', if an object is missing.
enum class TipRule : uint8_t {
  // As for a ref: neither the object of an id nor an object that it needs may
  // be missing.
  kRequired,
  // As for a reflog: an id whose object is missing is skipped. If the object
  // exists, no object that it needs may be missing.
  kLogged,
  // Git does not follow the ids. Any object may be missing.
  kExtra,
};

struct TipGroup {
  // The file or ref that has the ids, relative to the git directory.
  std::string name;
  TipRule rule = TipRule::kRequired;
  // Sorted, each once. The objects need not exist.
  std::vector<ObjectId> ids;
};

}  // namespace zpack
