// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Prints FileStatistics as text and as JSON.

#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>

#include "zpack/statistics.h"

namespace zpack::cli {

void PrintStatistics(const FileStatistics& statistics, std::ostream& out);
nlohmann::ordered_json HistogramJson(
    const FileStatistics::Histogram& histogram);
nlohmann::ordered_json StatisticsJson(const FileStatistics& statistics);

}  // namespace zpack::cli
