// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Finds what is missing from the objects that were brought back, and which refs
// that concerns.

#pragma once

#include "salvage/history_survey.h"
#include "salvage/salvaged_parts.h"
#include "salvage/salvaging.h"
#include "zpack/refs.h"
#include "zpack/salvage.h"

namespace zpack {

// Fills SalvageReport::missing and incomplete_refs. `refs` are those of the new
// repository. Errors: kIo, kInterrupted, kOutOfMemory.
Status SurveyHoles(const Salvaging& salvaging, const SalvagedParts& parts,
                   const RefsSnapshot& refs, const HistorySurvey& survey,
                   SalvageReport& report);

}  // namespace zpack
