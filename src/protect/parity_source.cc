// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "protect/parity_source.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "protect/protect_file.h"

namespace zpack {
namespace {

// How much larger than what is left a file may have been.
constexpr uint64_t kMaxGrowth = 64;

// Appends the parity in `file` that is embedded, or that is not.
Status AddFrom(const std::shared_ptr<RandomAccessFile>& file, bool embedded,
               uint64_t damaged_size, const RunOptions& run,
               std::vector<ParitySource>& sources) {
  ZPACK_ASSIGN_OR_RETURN(const auto found,
                         FindParameters(*file, damaged_size, run.stop));
  const auto first = static_cast<ptrdiff_t>(sources.size());
  for (const ParityParameters& parameters : found) {
    const ParityShape& shape = parameters.shape;
    // Bounds the memory for the set. A file of which more is missing cannot be
    // repaired anyway.
    if (shape.embedded() == embedded &&
        shape.data_size / kMaxGrowth <= damaged_size + file->size()) {
      sources.push_back({file, parameters});
    }
  }
  // Blobs may hold parity of other files.
  std::ranges::stable_sort(sources.begin() + first, sources.end(), {},
                           [&](const ParitySource& source) {
                             return SizeDifference(source.parameters.shape,
                                                   damaged_size);
                           });
  return {};
}

}  // namespace

Result<std::vector<ParitySource>> FindParity(FileSystem& file_system,
                                             const std::string& path,
                                             const std::string& parity_path,
                                             const RunOptions& run) {
  std::vector<ParitySource> sources;
  ZPACK_ASSIGN_OR_RETURN(std::shared_ptr<RandomAccessFile> file,
                         file_system.OpenForRead(path));
  auto beside = file_system.OpenForRead(parity_path.empty() ? ParityPathOf(path)
                                                            : parity_path);
  if (beside) {
    ZPACK_TRY(AddFrom(std::move(*beside), false, file->size(), run, sources));
  } else if (!parity_path.empty() ||
             beside.error().code != ErrorCode::kNotFound) {
    return std::unexpected(beside.error());
  }
  if (parity_path.empty()) {
    ZPACK_TRY(AddFrom(file, true, file->size(), run, sources));
  }
  if (!sources.empty()) return sources;
  if (!parity_path.empty()) {
    return MakeError(ErrorCode::kNotFound, "no parity for '{}' in '{}'",
                     AtPath{path}, AtPath{parity_path});
  }
  return MakeError(ErrorCode::kNotFound,
                   "no parity in '{}' or beside it; 'git zpack salvage' needs "
                   "none, and restores what is undamaged",
                   AtPath{path});
}

}  // namespace zpack
