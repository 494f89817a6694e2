// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes a RepositoryReport of the objects, their history and what they take.
// The functions have no state and may be called from any thread.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "object/object_source.h"
#include "report/object_history.h"
#include "report/stored_objects.h"
#include "zpack/options.h"
#include "zpack/report.h"
#include "zpack/result.h"

namespace zpack {

struct ReportInput {
  ObjectSource& source;
  const ObjectHistory& history;
  const StoredObjects& stored;
};

// Fills in everything that follows from the objects: types, unreachable
// objects, directories, extensions, lists, months and distributions. Reads the
// commits that the lists name.
Status DescribeObjects(const ReportInput& input, RepositoryReport& report);

// Reads a sample of the contents and fills in what does not compress.
Status FindIncompressible(const ReportInput& input, const RunOptions& run,
                          RepositoryReport& report);

// Adds advice on a file whose contents do not compress; `kind` is as in
// RepositoryReport::Incompressible.
void AdviseOnFile(const RepositoryReport::File& file, std::string_view kind,
                  RepositoryReport& report);
// Adds advice on extensions. `incompressible` has the stored bytes of files
// that do not compress, by extension.
void AdviseOnExtensions(const std::map<std::string, uint64_t>& incompressible,
                        RepositoryReport& report);
// Completes and sorts the advice. REQUIRES: everything else is filled in.
void Advise(const ReportInput& input, RepositoryReport& report);

}  // namespace zpack
