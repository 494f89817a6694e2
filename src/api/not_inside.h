// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Protects a file from being removed with the directory that it is in.

#pragma once

#include <string>

#include "zpack/result.h"

namespace zpack {

// Replacing a directory removes its content. Returns kInvalidArgument if the
// file `path` is inside of `directory`.
Status CheckNotInside(const std::string& path, const std::string& directory);

}  // namespace zpack
