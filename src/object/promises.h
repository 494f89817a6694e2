// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What a partial clone lacks on purpose, and who has it.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "object/object_id_table.h"
#include "zpack/promisor_remote.h"

namespace zpack {

// Maximum number of promisor remotes of a .zpack file.
inline constexpr size_t kMaxPromisorRemotes = 256;

// Objects that are not there, and that remotes have promised to have.
struct Promises {
  // In the order in which Git asks them. Empty only if `ids` is empty.
  std::vector<PromisorRemote> remotes;
  ObjectIdTable ids;

  bool empty() const { return ids.size() == 0; }
  bool Has(const ObjectId& id) const { return ids.Find(id).has_value(); }

  friend bool operator==(const Promises&, const Promises&) = default;
};

// The promisor remotes of a repository.
struct PromisorRemotes {
  std::vector<PromisorRemote> remotes;  // in the order in which Git asks them
  // For people: what was configured and is not in `remotes`.
  std::vector<std::string> left_out;
};

// True if Git's configuration can hold a remote of this name, and the name is
// safe as an argument of Git.
bool IsValidRemoteName(std::string_view name);
// True if the text fits in one line of Git's configuration and has at most
// 4,095 bytes.
bool IsValidRemoteValue(std::string_view text);

}  // namespace zpack
