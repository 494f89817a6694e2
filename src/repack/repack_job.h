// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What all steps of a repack work with. Any thread.

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

  // Whether new packs go into the repository.
  bool into_repository() const { return options.output_directory.empty(); }
  // Where they go.
  std::string directory() const {
    return into_repository() ? store.directory() : options.output_directory;
  }
  uint64_t max_pack_size() const {
    return options.max_pack_size.value_or(settings.max_pack_size);
  }
  // Whether unreachable objects may be lost.
  bool drops_unreachable() const {
    return options.objects == ObjectSet::kReachable &&
           (options.unreachable != Unreachable::kLoosen ||
            options.expiration.has_value());
  }
  DeltaSearchOptions search() const;
};

// How many threads `run` allows a repack.
unsigned RepackThreads(const RunOptions& run);

}  // namespace zpack
