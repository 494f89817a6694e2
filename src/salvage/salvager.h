// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Passes what is undamaged in a file to an ObjectSink.

#pragma once

#include <functional>
#include <memory>

#include "base/file.h"
#include "object/object_sink.h"
#include "reader/archive_file.h"
#include "zpack/object_id.h"
#include "zpack/promisor_remote.h"
#include "zpack/result.h"
#include "zpack/salvage.h"

namespace zpack {

// What must be known to make the repository.
struct SalvagedRepository {
  ObjectFormat format = ObjectFormat::kSha1;
  uint32_t object_count = 0;
  std::vector<PromisorRemote> promisor_remotes;
};

// Makes the sink, once it is known what comes.
using MakeSink = std::function<Result<std::unique_ptr<ObjectSink>>(
    const SalvagedRepository&)>;

// The passes of Salvage (zpack/salvage.h), for an open file, or for one that is
// read together with the files that it depends on. Errors are those of Salvage
// and of `make_sink`.
Result<SalvageReport> SalvageChain(const ArchiveFile& archive,
                                   const SalvageOptions& options,
                                   const MakeSink& make_sink);
Result<SalvageReport> SalvageFile(const RandomAccessFile& file,
                                  const SalvageOptions& options,
                                  const MakeSink& make_sink);

}  // namespace zpack
