// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/convert.h"

#include <algorithm>
#include <utility>

#include "api/convert_source.h"
#include "api/phase_timer.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "git/repository_source.h"
#include "object/object_hasher.h"
#include "reader/pack_file.h"
#include "verify/compare_repository.h"
#include "verify/verify_pack.h"
#include "writer/encoding_options.h"
#include "writer/object_enumerator.h"
#include "writer/pack_writer.h"

namespace zpack {
namespace {

// Each object is hashed once, on read-back. When that fails, this tells a
// source that was corrupt all along from a file that is not what was written.
Error ExplainDamage(ObjectSource& source, const Damage& damage) {
  Error mismatch{ErrorCode::kMismatch,
                 "the file read back is damaged: " + damage.message};
  if (damage.object.empty()) return mismatch;
  Bytes content;
  const Result<ObjectType> type = source.Read(damage.object, content);
  if (!type) return type.error();
  const ObjectId actual =
      ObjectHasher(source.object_format()).Hash(*type, content);
  if (actual == damage.object) return mismatch;
  return {ErrorCode::kSourceCorrupt,
          fmt::format("object {} of '{}' is corrupt: its content hashes to {}",
                      damage.object.ToHex(), source.path(), actual.ToHex())};
}

// Decodes and hashes every object of the file that was written.
Status ReadBackFile(ObjectSource& source, const PackFile& pack,
                    const RunOptions& run) {
  VerifyReport report;
  ZPACK_TRY(VerifyPack(pack, VerifyLevel::kObjects, run, report));
  const auto unread =
      std::ranges::find(report.damages, ErrorCode::kIo, &Damage::code);
  if (unread != report.damages.end()) {
    return MakeError(ErrorCode::kIo, "{}", unread->message);
  }
  if (!report.damages.empty()) {
    // A damaged object says more than the digests that it spoils.
    const auto at = std::ranges::find_if(
        report.damages, [](const Damage& d) { return !d.object.empty(); });
    return std::unexpected(ExplainDamage(
        source, at == report.damages.end() ? report.damages.front() : *at));
  }
  return {};
}

// Compares the file with the source as it is now: with what was enumerated if
// only a part was wanted, else with a new listing of all objects.
Status CompareWithNow(ObjectSource& now, const PackFile& pack,
                      const ObjectIdTable& enumerated, ObjectSet set) {
  if (!(pack.ids() == enumerated)) {
    return MakeError(ErrorCode::kMismatch,
                     "the file read back has other objects than were written");
  }
  ZPACK_ASSIGN_OR_RETURN(const RefsSnapshot refs, now.ReadRefs());
  std::vector<Difference> differences;
  CompareRefs(pack.refs(), refs, differences);
  if (!differences.empty()) {
    return MakeError(ErrorCode::kSourceCorrupt,
                     "'{}' changed while it was converted: {}", now.path(),
                     differences.front().message);
  }
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable ids, now.ListObjects());
  const ObjectIdDifference difference = FindDifference(pack.ids(), ids);
  const bool gained = set == ObjectSet::kAll && !difference.only_in_b.empty();
  if (gained || !difference.only_in_a.empty()) {
    const ObjectId example = difference.only_in_a.empty()
                                 ? ids[difference.only_in_b.front()]
                                 : pack.ids()[difference.only_in_a.front()];
    return MakeError(ErrorCode::kSourceCorrupt,
                     "'{}' changed while it was converted: object {} {}",
                     now.path(), example.ToHex(),
                     difference.only_in_a.empty() ? "appeared" : "vanished");
  }
  return {};
}

// Every object was there when the source was opened: one that is missing now
// is the source's fault, unlike a repository that was never found.
template <typename T>
Result<T> BlameSource(Result<T> result) {
  if (!result && result.error().code == ErrorCode::kNotFound) {
    result.error().code = ErrorCode::kSourceCorrupt;
  }
  return result;
}

ConvertStats MakeStats(const WriteStats& written, const RefsSnapshot& refs,
                       uint64_t source_pack_bytes) {
  ConvertStats stats;
  for (size_t i = 0; i < kAllObjectTypes.size(); ++i) {
    const ObjectType type = kAllObjectTypes[i];
    const auto& from = written.types[static_cast<size_t>(type)];
    stats.types[i] = {type, from.count, from.raw_bytes, from.stored_bytes};
  }
  stats.file_size = written.file_size;
  stats.source_pack_bytes = source_pack_bytes;
  stats.refs = refs.refs.size();
  return stats;
}

}  // namespace

uint64_t ConvertStats::objects() const {
  uint64_t sum = 0;
  for (const PerType& type : types) sum += type.count;
  return sum;
}

uint64_t ConvertStats::raw_bytes() const {
  uint64_t sum = 0;
  for (const PerType& type : types) sum += type.raw_bytes;
  return sum;
}

uint64_t ConvertStats::index_bytes() const {
  uint64_t blocks = 0;
  for (const PerType& type : types) blocks += type.stored_bytes;
  return file_size - blocks;
}

Result<ConvertStats> ConvertSource(const SourceOpener& open_source,
                                   FileSystem& file_system,
                                   const std::string& path,
                                   const ConvertOptions& given) {
  ZPACK_ASSIGN_OR_RETURN(const EncodingOptions encoding,
                         ResolveEncoding(given));
  PhaseTimer timer(given.run.progress);
  ConvertOptions options = given;
  options.run.progress = &timer;

  // Take the destination first: nothing is worse than an hour of work and then
  // no place to put it.
  ZPACK_ASSIGN_OR_RETURN(const auto source, open_source());
  ZPACK_ASSIGN_OR_RETURN(
      AtomicFile output,
      AtomicFile::Create(file_system, path, options.overwrite));

  // Refs before objects: an object that a ref needs was there before the ref.
  ZPACK_ASSIGN_OR_RETURN(const RefsSnapshot refs, source->ReadRefs());
  ZPACK_ASSIGN_OR_RETURN(const ObjectList list,
                         BlameSource(EnumerateObjects(
                             *source, refs, options.objects, options.run)));

  // From here on the set of objects is fixed. Written, synced, but under a
  // temporary name.
  ZPACK_ASSIGN_OR_RETURN(const WriteStats written,
                         BlameSource(WritePack(*source, list, refs, encoding,
                                               options.run, output.file())));

  // Read back from disk, through the same code that any reader uses.
  ZPACK_ASSIGN_OR_RETURN(auto file,
                         file_system.OpenForRead(output.temporary_path()));
  ZPACK_ASSIGN_OR_RETURN(const auto pack,
                         PackFile::Open(std::move(file), ReadOptions{}));
  if (options.read_back == ReadBack::kYes) {
    ZPACK_TRY(ReadBackFile(*source, *pack, options.run));
  }

  // The source, opened anew, must still be what was converted.
  ZPACK_ASSIGN_OR_RETURN(const auto now, open_source());
  ZPACK_TRY(CompareWithNow(*now, *pack, list.ids, options.objects));

  // Beyond this point the file is known to be good.
  ZPACK_TRY(CheckStop(options.run.stop));
  ZPACK_TRY(output.Commit());
  ConvertStats stats = MakeStats(written, refs, source->PackedBytes());
  stats.phases = timer.phases();
  return stats;
}

Result<ConvertStats> Convert(const std::string& repository,
                             const std::string& path,
                             const ConvertOptions& options) {
  return ConvertSource([&] { return OpenRepository(repository); },
                       PosixFileSystem(), path, options);
}

}  // namespace zpack
