// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/old_pack.h"

#include "base/error.h"
#include "pack/stock_pack_reader.h"
#include "repack/read_back.h"

namespace zpack {
namespace {

// Whether every delta of `pack`, which has the objects of `list`, is one that
// would be written now.
bool HasAllowedDeltas(const StockPackReader& pack, const ObjectList& list,
                      const std::vector<bool>& undeltified,
                      const DeltaSearchOptions& options) {
  const unsigned max_depth = options.window == 0 ? 0 : options.depth;
  const auto is_undeltified = [&](uint32_t rank) {
    return list.types[rank] == ObjectType::kBlob &&
           undeltified[list.paths[rank]];
  };
  std::vector<unsigned> depths(list.ids.size());
  for (const uint32_t rank : pack.DeltaOrder()) {
    const auto base = pack.Base(rank);
    if (!base) continue;
    depths[rank] = depths[*base] + 1;
    if (depths[rank] > max_depth || is_undeltified(rank) ||
        is_undeltified(*base)) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<bool> CanStay(FileSystem& file_system, const std::string& path,
                     const ObjectList& list,
                     const std::vector<bool>& undeltified,
                     const DeltaSearchOptions& options, const RunOptions& run) {
  const auto pack = StockPackReader::Open(file_system, path);
  if (!pack || !((*pack)->ids() == list.ids) ||
      !HasAllowedDeltas(**pack, list, undeltified, options)) {
    return false;
  }
  const Status verified = VerifyStockPack(path + ".pack", path + ".idx",
                                          list.ids, run, file_system);
  if (!verified && verified.error().code == ErrorCode::kInterrupted) {
    return std::unexpected(verified.error());
  }
  return verified.has_value();
}

}  // namespace zpack
