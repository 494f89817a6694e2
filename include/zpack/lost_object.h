// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// An object that a repository needs and does not have. A plain value.

#pragma once

#include <string>

#include "zpack/object_id.h"

namespace zpack {

struct LostObject {
  ObjectId id;
  // The ref or file, relative to the git directory, that names the object or
  // needs it through other objects. Empty if that is not known.
  std::string root;
};

}  // namespace zpack
