// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds the files that a file depends on: beside it, by name and then by what
// they are, beside what a symbolic link leads to, and in the places that
// ReadOptions::backing names. A function without state; any thread.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reader/joined_index.h"
#include "reader/single_file.h"
#include "reader/stated_size.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// The most files of which one can depend on the next.
inline constexpr size_t kMaxChain = 255;

// kLimitExceeded if a chain of `files` files, of which the one at `path` is the
// last, is too long.
Status CheckChainLength(size_t files, const std::string& path);

// Opens the files below `top`, the first one first, then `top` itself. Each
// file that may be below is what `mend` makes of it; without `mend`,
// WithStatedSize.
//
// Errors: kNotFound names a file that is needed and not there, and where it was
// looked for; kCorrupt if the file with its name is damaged, or if files depend
// on each other in a circle;
// kLimitExceeded for more than kMaxChain files; those of SingleFile::Open for a
// file that was found by its name or its hash.
Result<OpenFiles> OpenChain(std::unique_ptr<SingleFile> top,
                            const ReadOptions& options,
                            const FileMender& mend = {});

// The directory that a symbolic link leads into; empty if `path` is no link.
std::string LinkedDirectory(const std::string& path);

}  // namespace zpack
