// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The rules of git-check-ref-format(1). They keep a hostile file from naming a
// ref that leaves the repository when it is restored.

#pragma once

#include <string_view>

namespace zpack {

// True when Git would accept `name` as a full ref name: 'refs/' and at least
// one more component, each valid. Bytes above 127 are allowed.
bool IsValidRefName(std::string_view name);

}  // namespace zpack
