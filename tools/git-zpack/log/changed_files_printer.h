// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The files that a commit changes, as lines like those of git-diff-tree(1).
// Thread-compatible.

#pragma once

#include <span>
#include <string>

#include "log/log_look.h"
#include "zpack/log.h"
#include "zpack/result.h"

namespace zpack::cli {

// REQUIRES: look.files is not kNone. Errors: those of ShortIds.
Result<std::string> ChangedFilesText(std::span<const ChangedFile> files,
                                     const LogLook& look, const ShortIds& ids);

}  // namespace zpack::cli
