// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes a report as one self-contained page of HTML.

#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "zpack/result.h"

namespace zpack::cli {

// The page with `report`, which is ReportJson's result.
std::string ReportPage(const nlohmann::ordered_json& report);

// Writes the page to `path` under a temporary name, and renames it. Replaces
// what is there. kIo; kUnsupported if the program was built without the page.
Status WriteReportPage(const nlohmann::ordered_json& report,
                       const std::string& path);

}  // namespace zpack::cli
