// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The options that 'restore' and 'salvage' share.

#pragma once

#include "common_options.h"
#include "zpack/options.h"

namespace zpack::cli {

void AddRestoreOptions(po::options_description& options);

// Throws UsageError if a value is not valid.
RestoreOptions RestoreOptionsOf(const po::variables_map& values,
                                const RunOptions& run, const ReadOptions& read);

}  // namespace zpack::cli
