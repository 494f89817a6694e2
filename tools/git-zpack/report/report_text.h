// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Prints a RepositoryReport as text.

#pragma once

#include <iosfwd>

#include "zpack/report.h"

namespace zpack::cli {

void PrintReport(const RepositoryReport& report, std::ostream& out);

}  // namespace zpack::cli
