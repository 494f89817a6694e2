// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "verify/verify_source.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
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

Result<ObjectId> HashSourceObject(ObjectSource& source, const ObjectId& id,
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

// Reads one object and hashes it. If its content is wrong, but not that of
// another copy, `source` has that one from now on.
Status CheckObject(ObjectSource& source, const ObjectId& id, Bytes& buffer) {
  ZPACK_ASSIGN_OR_RETURN(const ObjectId actual,
                         HashSourceObject(source, id, buffer));
  if (actual == id || source.UseOtherCopy(id)) return {};
  return MakeError(ErrorCode::kSourceCorrupt,
                   "object {} of '{}' is corrupt: its content hashes to {}", id,
                   AtPath{source.path()}, actual);
}

// Checks `count` objects, in this order, and returns the errors in the same
// order. Errors: kInterrupted.
Result<std::vector<Error>> CheckObjects(
    ObjectSource& source, uint64_t count,
    const std::function<ObjectId(uint64_t)>& id_of, const RunOptions& run) {
  const ProgressPhase phase(run.progress, Phase::kVerifyingObjects, count, 0);
  std::mutex mutex;
  std::vector<std::pair<uint64_t, Error>> found;
  const Status read =
      ParallelFor(ResolveThreads(run.threads), run.stop, count, kGrain,
                  [&](uint64_t begin, uint64_t end) -> Status {
                    Bytes buffer;
                    for (uint64_t i = begin; i < end; ++i) {
                      ZPACK_TRY(CheckStop(run.stop));
                      const ObjectId id = id_of(i);
                      Status checked = CheckObject(source, id, buffer);
                      phase.Advance(1, buffer.size());
                      if (checked) continue;
                      checked.error().object = id;
                      const std::lock_guard lock(mutex);
                      found.emplace_back(i, std::move(checked).error());
                    }
                    return {};
                  });
  ZPACK_TRY(read);
  std::ranges::sort(found, {}, &std::pair<uint64_t, Error>::first);
  std::vector<Error> errors;
  errors.reserve(found.size());
  for (auto& [number, error] : found) errors.push_back(std::move(error));
  return errors;
}

}  // namespace

Status CheckSourceObject(ObjectSource& source, const ObjectId& id) {
  Bytes buffer;
  return CheckObject(source, id, buffer);
}

Result<uint64_t> VerifySource(ObjectSource& source, const ArchiveFile& archive,
                              const RunOptions& run,
                              std::vector<Error>& damages) {
  const FileBlocks& blocks = archive.blocks();
  const auto id_of = [&](uint64_t number) {
    return blocks.id(ObjectNumber(static_cast<uint32_t>(number)));
  };
  ZPACK_ASSIGN_OR_RETURN(
      std::vector<Error> errors,
      CheckObjects(source, blocks.object_count(), id_of, run));
  const uint64_t verified = blocks.object_count() - errors.size();
  std::erase_if(errors, [](const Error& error) {
    return error.code == ErrorCode::kNotFound;
  });
  std::ranges::move(errors, std::back_inserter(damages));
  return verified;
}

Result<std::vector<Error>> FindDamaged(ObjectSource& source,
                                       const RunOptions& run) {
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable ids, source.ListObjects());
  const auto id_of = [&](uint64_t i) { return ids[static_cast<uint32_t>(i)]; };
  ZPACK_ASSIGN_OR_RETURN(std::vector<Error> errors,
                         CheckObjects(source, ids.size(), id_of, run));
  for (Error& error : errors) {
    if (error.code == ErrorCode::kOutOfMemory ||
        error.code == ErrorCode::kLimitExceeded) {
      return std::unexpected(std::move(error));
    }
  }
  return errors;
}

}  // namespace zpack
