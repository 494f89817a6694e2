// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The function from which decoders of trees and commits get the ids of objects.

#pragma once

#include <cstdint>
#include <functional>

#include "base/index_spaces.h"
#include "zpack/object_id.h"

namespace zpack {

// Returns the id of an object number.
using IdOfNumber = std::function<ObjectId(ObjectNumber number)>;

}  // namespace zpack
