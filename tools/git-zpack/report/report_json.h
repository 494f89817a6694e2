// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// RepositoryReport as JSON. Pure.

#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "zpack/report.h"

namespace zpack::cli {

nlohmann::ordered_json ReportJson(const RepositoryReport& report);

// One sentence.
std::string AdviceText(const RepositoryReport::Recommendation& advice);
// "2024-05-31", or "unknown" for a time that no calendar has.
std::string DayText(int64_t time);

}  // namespace zpack::cli
