// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The inputs that all steps of a repack share. Any thread.

#pragma once

#include <cstdint>
#include <string>

#include "base/file.h"
#include "pack/pack_store.h"
#include "pack/repack_settings.h"
#include "repack/delta_search.h"
#include "zpack/repack.h"

namespace zpack {

struct RepackJob {
  FileSystem& file_system;
  PackStore& store;
  const RepackSettings& settings;
  const RepackOptions& options;

  // True if new packs are written into the repository.
  bool into_repository() const { return options.output_directory.empty(); }
  // Directory of the new packs.
  std::string directory() const {
    return into_repository() ? store.directory() : options.output_directory;
  }
  uint64_t max_pack_size() const {
    return options.max_pack_size.value_or(settings.max_pack_size);
  }
  bool respects_islands() const {
    return options.islands ? *options.islands == Islands::kRespect
                           : settings.delta_islands;
  }
  // True if unreachable objects may be lost.
  bool drops_unreachable() const {
    return options.objects == ObjectSet::kReachable &&
           (options.unreachable != Unreachable::kLoosen ||
            options.expiration.has_value());
  }
  DeltaSearchOptions search() const;
  DeltaSearchOptions cruft_search() const;  // for cruft packs
};

// Number of threads that a repack may use with `run`.
unsigned RepackThreads(const RunOptions& run);

}  // namespace zpack
