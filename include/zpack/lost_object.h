// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Objects that a repository needs and does not have. Plain values.

#pragma once

#include <optional>
#include <string>

#include "zpack/object_id.h"

namespace zpack {

struct LostObject {
  ObjectId id;
  // The ref or file, relative to the git directory, that names the object or
  // needs it through other objects. Empty if that is not known.
  std::string root;
};

// An object that a .zpack file lists as lost when the file was made.
struct ListedLoss {
  ObjectId id;
  // As the links to the object say. Empty if nothing tells.
  std::optional<ObjectType> type;
};

// An object that a conversion with KeepGoing::kYes could not store.
struct SourceLoss {
  ListedLoss object;
  // What needs the object, in words: "'src/a.c' in commit <id>". Empty if
  // nothing that could be read needs it.
  std::string needed_by;
  // Why the object cannot be read. Empty if the object is missing.
  std::string damage;
};

}  // namespace zpack
