// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// With KeepGoing::kYes: what of a source is damaged does not get into the file.
// Functions without state; any thread.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "convert/convert_source.h"
#include "object/surviving_source.h"
#include "writer/files_writer.h"
#include "zpack/lost_object.h"
#include "zpack/options.h"
#include "zpack/result.h"

namespace zpack {

// Finds the damaged objects of `source`, and makes them missing there and in
// what `open` opens. `damaged` must outlive both. Errors: those of FindDamaged.
Status LeaveOutDamaged(const RunOptions& run,
                       std::unique_ptr<ObjectSource>& source,
                       DamagedObjects& damaged, SourceOpener& open);

// Removes damaged objects of Git LFS from `files`, and returns what is wrong
// with them, for people. Reads all that there are. Errors: those of
// ReadListedFile.
Result<std::vector<std::string>> LeaveOutDamagedFiles(const RunOptions& run,
                                                      FilesToWrite& files);

// What of the repository was skipped because it is damaged, for people; of
// packs without an index, only if objects were `lost`. Errors: those of
// ObjectSource::UnusablePacks.
Result<std::vector<std::string>> DescribeSkipped(
    ObjectSource& source, const std::vector<SourceLoss>& lost);

}  // namespace zpack
