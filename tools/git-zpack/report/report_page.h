// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A report as one self-contained page of HTML.

#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack::cli {

// The page with `report`, which is ReportJson's result. kUnsupported if the
// program was built without the page.
Result<std::string> ReportPage(const nlohmann::ordered_json& report);

// Checks that a page about `source` may be written to `path`: kInvalidArgument
// if both are the same file; kExists if there is a file that is neither empty
// nor such a page, unless `overwrite` is kYes.
Status CheckReplaceablePage(const std::string& path, const std::string& source,
                            Overwrite overwrite);

}  // namespace zpack::cli
