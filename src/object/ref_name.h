// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The rules of git-check-ref-format(1). They keep a hostile file from writing a
// ref outside of the restored repository.

#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "zpack/refs.h"
#include "zpack/result.h"

namespace zpack {

// The ref that is outside 'refs/' and in every repository.
inline constexpr std::string_view kHeadName = "HEAD";

// Maximum bytes of a ref name (PATH_MAX), and of one component of a ref that is
// stored as a file of its own, such as a symbolic ref (NAME_MAX).
inline constexpr size_t kMaxRefName = 4095;
inline constexpr size_t kMaxRefComponent = 255;

// True if Git accepts `name` as a full ref name: 'refs/' and at least one more
// component, each component valid, at most kMaxRefName bytes in total. Bytes
// above 127 are allowed.
bool IsValidRefName(std::string_view name);

// Returns an error with `code` for the first ref that no repository can have:
// - a ref with an invalid name,
// - 'refs/heads' or 'refs/tags', which are directories in every repository,
// - a ref whose name is a directory of another ref,
// - a symbolic ref with a component that is too long for a file name.
// REQUIRES: `refs` are sorted by name.
Status CheckRefs(const std::vector<Ref>& refs, ErrorCode code);

}  // namespace zpack
