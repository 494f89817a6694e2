// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The refs of the repository that is made of a damaged file.

#pragma once

#include "salvage/history_survey.h"
#include "salvage/salvaged_parts.h"
#include "zpack/refs.h"
#include "zpack/salvage.h"

namespace zpack {

// The refs of `parts`, the refs of the file if they survived, whose targets are
// proven or were lost before the file was made, peeled again; HEAD; the shallow
// boundaries that are proven. If refs or objects were lost, also a ref
// 'refs/salvaged/<id>' for each commit or tag that no other one and no ref
// names. Fills the part of `report` that concerns refs, except incomplete refs.
// REQUIRES: report.lost_objects is set.
RefsSnapshot SalvageRefs(const Salvaging& salvaging, const SalvagedParts& parts,
                         const HistorySurvey& survey, SalvageReport& report);

}  // namespace zpack
