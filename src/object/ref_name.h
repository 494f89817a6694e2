// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The rules of git-check-ref-format(1). They keep a hostile file from naming a
// ref that leaves the repository when it is restored.

#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

// Bytes of a ref name, and of a component of one that is a file of its own, as
// symbolic refs are. Both are what a path may have (PATH_MAX, NAME_MAX).
inline constexpr size_t kMaxRefName = 4095;
inline constexpr size_t kMaxRefComponent = 255;

// True when Git would accept `name` as a full ref name: 'refs/' and at least
// one more component, each valid, in at most kMaxRefName bytes. Bytes above 127
// are allowed.
bool IsValidRefName(std::string_view name);

// `code` with the name of a ref that no repository can have: one with a bad
// name; one where every repository has a directory, 'refs/heads' or
// 'refs/tags'; one whose name is a directory of another; a symbolic one that no
// file can be named after. REQUIRES: `refs` ascend by name.
Status CheckRefs(const std::vector<Ref>& refs, ErrorCode code);

}  // namespace zpack
