// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What part of its time 'convert' spends in which phase. Pure.

#pragma once

#include <vector>

#include "remaining_time.h"
#include "zpack/options.h"

namespace zpack::cli {

// The phases of Convert with these options, in their order.
std::vector<PhaseShare> ConvertPhases(Profile profile, ReadBack read_back);

}  // namespace zpack::cli
