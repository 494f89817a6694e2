// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What a client asks for in one fetch, in any version of the protocol.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/index_spaces.h"
#include "serve/allowed_filter.h"
#include "zpack/object_id.h"

namespace zpack {

// Where the history that is sent ends (gitprotocol-v2(5), "deepen...").
struct DeepenRequest {
  uint64_t depth = 0;     // 0: no limit was asked for
  bool relative = false;  // depth counts from the client's present boundary
  std::optional<uint64_t> since;     // no commits before this time
  std::vector<ObjectNumber> not_of;  // nothing that these reach

  bool by_walk() const { return since.has_value() || !not_of.empty(); }
};

struct FetchRequest {
  // Without duplicates.
  std::vector<ObjectNumber> wants;
  // The refs among `wants` that were asked for by name (v2), with their ids.
  std::vector<std::pair<std::string, ObjectId>> wanted_refs;
  // Commits at which the client's history ends.
  std::vector<ObjectNumber> client_shallow;
  DeepenRequest deepen;
  ObjectFilter filter;

  bool thin_pack = false;
  bool offset_deltas = false;
  bool no_progress = false;
  bool include_tags = false;
};

}  // namespace zpack
