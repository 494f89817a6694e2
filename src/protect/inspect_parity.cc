// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "protect/inspect_parity.h"

#include <utility>
#include <vector>

#include "base/error.h"
#include "parity/repair_plan.h"
#include "protect/parity_source.h"
#include "reader/file_structure.h"

namespace zpack {

namespace {

// The state of the parity in `source`. `other_size` says whether the parity was
// made for a file of another size.
Result<ParityState> Inspect(FileSystem& file_system, const std::string& path,
                            const ParitySource& source, const RunOptions& run,
                            bool& other_size) {
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
  other_size =
      !shape.embedded() && header && header->file_size != shape.data_size;
  state.repair_possible = plan.possible();
  state.intact = set.intact &&
                 (shape.embedded() || source.file->size() == shape.set_size());
  state.repairable_bytes = shape.RepairableRun(plan.spare());
  return state;
}

}  // namespace

Result<InspectedParity> InspectParity(FileSystem& file_system,
                                      const std::string& path,
                                      const InspectedFile& file,
                                      const RunOptions& run) {
  InspectedParity found;
  // What the chunk says if none of its packets is left.
  if (file.inside == ParityInside::kYes) {
    found.parity = ParityState{.path = path, .place = ParityPlace::kInside};
  }
  auto sources = FindParity(file_system, path, "", run);
  if (!sources) {
    if (sources.error().code == ErrorCode::kNotFound) return found;
    return std::unexpected(std::move(sources).error());
  }
  const ParitySource* last = nullptr;
  for (const ParitySource& source : *sources) {
    const bool embedded = source.parameters.shape.embedded();
    // Parity in a file without parity of its own is that of another file, which
    // is the content of a blob. In each place, the first one fits best.
    if ((embedded && file.inside == ParityInside::kNo) ||
        (last != nullptr && last->parameters.shape.embedded() == embedded)) {
      continue;
    }
    last = &source;
    bool stale = false;
    ZPACK_ASSIGN_OR_RETURN(ParityState state,
                           Inspect(file_system, path, source, run, stale));
    if (!embedded && file.undamaged && state.damaged_shards != 0) stale = true;
    if (!stale) {
      found.parity = std::move(state);
      return found;
    }
    found.stale = state.path;
  }
  return found;
}

}  // namespace zpack
