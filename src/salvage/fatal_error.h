// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Tells errors that end a salvage from those that cost objects.

#pragma once

#include "zpack/result.h"

namespace zpack {

// True for errors that say nothing about the content of the file.
inline bool IsFatal(const Error& error) {
  return error.code != ErrorCode::kCorrupt &&
         error.code != ErrorCode::kLimitExceeded &&
         error.code != ErrorCode::kUnsupported;
}

}  // namespace zpack
