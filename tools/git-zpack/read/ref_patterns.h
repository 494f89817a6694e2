// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Matches names of refs with patterns, as git-for-each-ref(1) does. Pure.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace zpack::cli {

// True if a pattern is the whole name, or the beginning of the name up to a
// slash, or a glob that matches the whole name. In a glob, '*', '?' and '[...]'
// match no slash, '**/' and '/**' match whole components, and '\' takes the
// meaning from the next character. Takes time in proportion to the product of
// both lengths.
bool MatchesRefPattern(std::string_view name,
                       const std::vector<std::string>& patterns);

}  // namespace zpack::cli
