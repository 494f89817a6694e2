// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Those who use a .zpack file in other ways than by a command line.

#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"

namespace zpack::testing {

// What clients of a server ask for: refs, and packs of some of `ids`.
void ServeToClients(const Bytes& file, const std::vector<std::string>& ids);

// Reads and parses all objects and refs with libgit2. It does not walk the
// history: a walk of libgit2 1.5 that fails leaks memory.
void ReadWithLibgit2(const std::string& path);

}  // namespace zpack::testing
