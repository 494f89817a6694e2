// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What 'salvage' and 'restore --keep-going' print.

#pragma once

#include <string>

#include "cli.h"
#include "common_options.h"
#include "zpack/salvage.h"

namespace zpack::cli {

// Salvages values["file"] to values["directory"], prints the report as the
// options --json and --quiet demand, and returns the exit code: kDone if
// everything was brought back, otherwise kNo.
int RunSalvage(const po::variables_map& values, const RunContext& context,
               const SalvageOptions& options, const Io& io);

}  // namespace zpack::cli
