// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Says without a diff that only surplus lines of two texts differ. Pure.

#pragma once

#include <string_view>

namespace zpack::log {

// True if no line is among both the removed and the added lines of a shortest
// edit script from one text to the other: no line moved. Then each shortest
// script removes and adds these same lines, and so does Git's diff.
// False also if there are so many changes, or so close to each other, that
// Git's diff may be none of the shortest.
//
// The method: E. Myers, "An O(ND) Difference Algorithm and Its Variations",
// 1986.
bool NothingMoved(std::string_view one, std::string_view two);

}  // namespace zpack::log
