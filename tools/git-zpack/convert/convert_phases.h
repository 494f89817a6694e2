// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The share of time that 'convert' usually spends in each phase. Pure.

#pragma once

#include <vector>

#include "remaining_time.h"
#include "zpack/options.h"

namespace zpack::cli {

// Returns the phases of Convert with these options, in order.
std::vector<PhaseShare> ConvertPhases(Profile profile, ReadBack read_back);

}  // namespace zpack::cli
