// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Options that 'verify' and 'attest' share, and 'protect' and 'repair'.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli.h"
#include "common_options.h"

namespace zpack::cli {

// The value of --against; empty without the option. Throws UsageError if it is
// empty, or for an option that needs --against and is alone.
std::string RepositoryToCompare(const po::variables_map& values);

// The value of --output; nothing without the option. Throws UsageError if the
// output would replace a .zpack file, or what one of `files` depends on.
std::optional<std::string> ReportPath(const po::variables_map& values,
                                      const std::vector<InputFile>& files,
                                      const ReadOptions& options);

// The value of --output for a .zpack file; empty without the option. Throws
// UsageError if it is empty or standard output.
std::string PathOfOutput(const po::variables_map& values);

}  // namespace zpack::cli
