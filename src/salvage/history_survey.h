// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What the commits and tags that were brought back name.

#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "reader/block_decoder.h"
#include "salvage/salvaging.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack {

struct SurveyedCommit {
  ObjectNumber number;
  ObjectId tree;
  size_t parents_end = 0;  // in HistorySurvey::parents
};

struct HistorySurvey {
  std::vector<SurveyedCommit> commits;
  // Of all commits; those of a commit begin where those of the one before end.
  std::vector<ObjectId> parents;
  std::map<ObjectId, ObjectId> tags;  // targets by the id of the tag
};

// Reads the links of all proven commits and tags. REQUIRES: ProvenIds::Sort
// was called.
Result<HistorySurvey> SurveyHistory(const Salvaging& salvaging);

// Calls `visit` with number and content of each proven object of the block or
// object in segments that begins at `row`. Returns the errors of reading it.
Status VisitProven(const Salvaging& salvaging, size_t row,
                   BlockDecoder& decoder,
                   const std::function<Status(ObjectNumber, ByteView)>& visit);

}  // namespace zpack
