// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "protect/inspect_parity.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "parity/repair_plan.h"
#include "protect/parity_source.h"
#include "reader/file_structure.h"

namespace zpack {

Result<std::optional<ParityState>> InspectParity(FileSystem& file_system,
                                                 const std::string& path,
                                                 ParityInside inside,
                                                 const RunOptions& run) {
  auto sources = FindParity(file_system, path, "", run);
  if (!sources) {
    if (sources.error().code == ErrorCode::kNotFound) return std::nullopt;
    return std::unexpected(std::move(sources).error());
  }
  // Parity in a file without parity of its own is that of another file, which
  // is the content of a blob.
  if (inside == ParityInside::kNo) {
    std::erase_if(*sources, [](const ParitySource& source) {
      return source.parameters.shape.embedded();
    });
  }
  if (sources->empty()) return std::nullopt;
  const ParitySource& source = sources->front();
  const ParityShape& shape = source.parameters.shape;
  ZPACK_ASSIGN_OR_RETURN(
      const FoundSet set,
      CollectSet(*source.file, source.begin(), source.parameters, run.stop));
  ZPACK_ASSIGN_OR_RETURN(const auto file, file_system.OpenForRead(path));
  ZPACK_ASSIGN_OR_RETURN(const RepairPlan plan,
                         MakeRepairPlan(*file, set, run));
  ParityState state{
      .path = source.file->path(),
      .parity_shards = shape.parity_shards(),
      .parity_left = set.parity_found,
      .damaged_shards = plan.lost() + plan.moved(),
      .place = shape.embedded() ? ParityPlace::kInside : ParityPlace::kBeside};
  ZPACK_ASSIGN_OR_RETURN(const auto header, FindHeader(*file, ReadOptions{}));
  state.other_version =
      !shape.embedded() && header && header->file_size != shape.data_size;
  state.repair_possible = plan.possible() && !state.other_version;
  state.intact = set.intact &&
                 (shape.embedded() || source.file->size() == shape.set_size());
  state.repairable_bytes = shape.RepairableRun(plan.spare());
  return state;
}

}  // namespace zpack
