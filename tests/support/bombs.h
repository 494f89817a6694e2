// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Small files that stand for much, each in another way. At most 1 MiB each.

#pragma once

#include <vector>

#include "support/hostile_file.h"

namespace zpack::testing {

struct Bomb {
  const char* name;
  HostileFile (*make)();
};

const std::vector<Bomb>& Bombs();

}  // namespace zpack::testing
