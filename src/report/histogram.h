// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes the distributions of statistics. Pure.

#pragma once

#include <cstdint>
#include <vector>

#include "zpack/file_statistics.h"

namespace zpack {

// The distribution of `values`, with one bucket for each power of two.
FileStatistics::Histogram MakeHistogram(std::vector<uint64_t> values);

}  // namespace zpack
