// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "verify/verify_source.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "base/progress_phase.h"
#include "object/object_hasher.h"

namespace zpack {
namespace {

// Objects that one thread reads in a row: enough to share bases.
constexpr uint64_t kGrain = 256;
// Objects of at least this size are read in pieces, unless they are deltas.
constexpr uint64_t kLarge = uint64_t{16} << 20;

Result<ObjectId> HashObject(ObjectSource& source, const ObjectId& id,
                            Bytes& buffer) {
  ObjectHasher hasher(source.object_format());
  ZPACK_ASSIGN_OR_RETURN(const ObjectInfo info, source.ReadInfo(id));
  if (info.size >= kLarge) {
    const auto stream = source.Open(id);
    if (stream) return hasher.Hash(**stream);
  }
  ZPACK_ASSIGN_OR_RETURN(const ObjectType type, source.Read(id, buffer));
  return hasher.Hash(type, buffer);
}

// Reads one object and hashes it.
Status CheckObject(ObjectSource& source, const ObjectId& id, Bytes& buffer) {
  ZPACK_ASSIGN_OR_RETURN(const ObjectId actual, HashObject(source, id, buffer));
  if (actual == id) return {};
  return MakeError(ErrorCode::kSourceCorrupt,
                   "object {} of '{}' is corrupt: its content hashes to {}", id,
                   AtPath{source.path()}, actual);
}

}  // namespace

Result<uint64_t> VerifySource(ObjectSource& source, const ArchiveFile& archive,
                              const RunOptions& run,
                              std::vector<Error>& damages) {
  const FileBlocks& blocks = archive.blocks();
  const ProgressPhase phase(run.progress, Phase::kVerifyingObjects,
                            blocks.object_count(), 0);
  std::atomic<uint64_t> verified = 0;
  std::mutex mutex;
  std::vector<std::pair<uint64_t, Error>> found;
  const Status read = ParallelFor(
      ResolveThreads(run.threads), run.stop, blocks.object_count(), kGrain,
      [&](uint64_t begin, uint64_t end) -> Status {
        Bytes buffer;
        for (uint64_t i = begin; i < end; ++i) {
          ZPACK_TRY(CheckStop(run.stop));
          const ObjectId id = blocks.id(ObjectNumber(static_cast<uint32_t>(i)));
          Status checked = CheckObject(source, id, buffer);
          phase.Advance(1, buffer.size());
          if (checked) {
            ++verified;
          } else if (checked.error().code != ErrorCode::kNotFound) {
            checked.error().object = id;
            const std::lock_guard lock(mutex);
            found.emplace_back(i, std::move(checked).error());
          }
        }
        return {};
      });
  ZPACK_TRY(read);
  std::ranges::sort(found, {}, &std::pair<uint64_t, Error>::first);
  for (auto& [number, error] : found) damages.push_back(std::move(error));
  return verified.load();
}

}  // namespace zpack
