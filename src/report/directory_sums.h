// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums up blobs by directory. The function has no state and may be called from
// any thread.

#pragma once

#include "report/report_builder.h"
#include "zpack/report.h"

namespace zpack {

// Fills in the directories: those with the most stored bytes, and for each of
// them the sum of what is not listed. Files count as directories without
// content of their own.
void SumDirectories(const ReportInput& input, RepositoryReport& report);

}  // namespace zpack
