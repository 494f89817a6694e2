// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "convert/convert_update.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "object/read_listed_file.h"
#include "reader/repository_file_reader.h"
#include "verify/verify_archive.h"

namespace zpack {
namespace {

// Returns whether `table` has the files that would be written now.
Result<bool> HasSameFiles(const RepositoryFiles& table,
                          const FilesToWrite& files,
                          const std::stop_token& stop) {
  if (table.left_out != files.left_out) return false;
  size_t same = 0;
  for (const ListedFile& listed : files.files) {
    ZPACK_ASSIGN_OR_RETURN(const auto file,
                           ReadListedFile(files.source, listed, stop,
                                          [](ByteView) { return Status{}; }));
    if (!file) continue;
    if (same == table.files.size() || table.files[same] != *file) return false;
    ++same;
  }
  return same == table.files.size();
}

// Returns one of `wanted` that is among `ids`.
std::optional<ObjectId> FindAny(const FileIds& ids,
                                const ObjectIdTable& wanted) {
  for (uint32_t rank = 0; rank < wanted.size(); ++rank) {
    if (ids.Find(wanted[rank])) return wanted[rank];
  }
  return std::nullopt;
}

}  // namespace

Status CheckBase(const std::string& path, const ConvertOptions& options) {
  if (options.onto && (options.base || options.update == Update::kYes ||
                       options.resume == Resume::kYes)) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "a file that depends on '{}' can be neither an update nor "
                     "resumed, and has no other base",
                     AtPath{*options.onto});
  }
  if (options.update == Update::kNo || !options.base) return {};
  return MakeError(ErrorCode::kInvalidArgument,
                   "an update has '{}' as its base; '{}' cannot be another one",
                   path, *options.base);
}

Result<std::optional<std::string>> FindOlderFile(
    FileSystem& file_system, const std::string& path,
    const ConvertOptions& options) {
  if (options.update == Update::kNo) return options.base;
  const auto file = file_system.OpenForRead(path);
  if (file) return path;
  if (file.error().code == ErrorCode::kNotFound) return std::nullopt;
  return std::unexpected(file.error());
}

Status CheckNoneAbsent(const Inventory& inventory, const ObjectSource& source) {
  const BaseFile& older = *inventory.older();
  if (const auto id = FindAny(older.ids(), inventory.promises.ids)) {
    return MakeError(ErrorCode::kExists,
                     "'{}' has objects that '{}' lacks and only promises, such "
                     "as {}",
                     AtPath{older.path()}, AtPath{source.path()}, *id);
  }
  if (const auto id = FindAny(older.ids(), inventory.lost.ids)) {
    return MakeError(
        ErrorCode::kExists,
        "'{}' has objects that '{}' has lost, such as {}: write another file, "
        "or take them from there ('git zpack restore', then 'git fetch')",
        AtPath{older.path()}, AtPath{source.path()}, *id);
  }
  return {};
}

Status CheckReplaceable(const Inventory& inventory, const ObjectSource& source,
                        const ConvertOptions& options) {
  if (inventory.older() != nullptr &&
      inventory.older()->archive().top().below() != nullptr) {
    return MakeError(ErrorCode::kUnsupported,
                     "'{}' depends on another file, so it cannot be updated; "
                     "write the next file with --onto",
                     AtPath{inventory.older()->path()});
  }
  if (options.overwrite == Overwrite::kYes) return {};
  if (inventory.base_unrelated) {
    return MakeError(ErrorCode::kExists,
                     "'{}' is the file of another repository: it shares no "
                     "commit with '{}'; use --force to replace it",
                     AtPath{*options.base}, AtPath{source.path()});
  }
  if (inventory.older() == nullptr) return {};
  return CheckNoneAbsent(inventory, source);
}

Result<ConvertStats::Lost> FindLost(const Inventory& inventory,
                                    const RefsSnapshot& refs,
                                    const FilesToWrite& files,
                                    const ConvertOptions& options) {
  ConvertStats::Lost lost;
  if (inventory.older() == nullptr) return lost;
  const ArchiveFile& older = inventory.older()->archive();
  std::string first;
  const auto count = [&](uint64_t& counter, const std::string& name) {
    ++counter;
    if (first.empty()) first = name;
  };
  for (const Ref& ref : older.refs().refs) {
    if (refs.Find(ref.name) == nullptr) {
      count(lost.refs, FormatMessage("'{}'", ref.name));
    }
  }
  if (inventory.base == nullptr) {
    for (const uint32_t rank : RanksOnlyIn(older.ids(), inventory.ids)) {
      count(lost.objects, older.ids()[FileRank(rank)].ToHex());
    }
  }
  ZPACK_ASSIGN_OR_RETURN(const RepositoryFiles table, ReadFileTable(older));
  for (const RepositoryFile& file : table.files) {
    if (file.group == FileGroup::kLfs &&
        !std::ranges::binary_search(files.files, file.name, {},
                                    &ListedFile::name)) {
      count(lost.lfs_objects, FormatMessage("'{}'", file.name));
    }
  }
  if (options.loss == AllowLoss::kYes || !lost.any()) return lost;
  return MakeError(
      ErrorCode::kExists,
      "'{}' has {} that '{}' does not have, such as {}; without --no-loss, the "
      "new file would lack them",
      AtPath{older.path()}, MessageText{Describe(lost)},
      AtPath{files.source.path()}, MessageText{first});
}

Result<bool> IsUnchanged(const Inventory& inventory, const RefsSnapshot& refs,
                         const FilesToWrite& files,
                         const std::stop_token& stop) {
  // The base has no object that the new file must not have.
  if (inventory.base == nullptr || inventory.list.ids.size() != 0) return false;
  const ArchiveFile& archive = inventory.base->archive();
  ZPACK_ASSIGN_OR_RETURN(const LostObjects lost, archive.lost());
  if (archive.refs() != refs || archive.promises() != inventory.promises ||
      lost != inventory.lost) {
    return false;
  }
  ZPACK_ASSIGN_OR_RETURN(const RepositoryFiles table, ReadFileTable(archive));
  return HasSameFiles(table, files, stop);
}

Result<WriteStats> CountWritten(const BaseFile& base,
                                const std::stop_token& stop) {
  WriteStats stats;
  for (size_t i = 0; i < kAllObjectTypes.size(); ++i) {
    stats.types[i].type = kAllObjectTypes[i];
  }
  const FileBlocks& blocks = base.archive().blocks();
  for (size_t block = 0; block < base.block_count(); ++block) {
    ZPACK_TRY(CheckStop(stop));
    ZPACK_ASSIGN_OR_RETURN(const BaseFile::BlockSummary summary,
                           base.Summarize(block));
    auto& type = stats.types[static_cast<size_t>(summary.header.type) - 1];
    if (summary.header.segment_offset == 0) {
      type.count += summary.header.object_count;
      stats.reused.objects += summary.header.object_count;
    }
    type.raw_bytes += summary.raw_size;
    type.stored_bytes += blocks.block_stored_size(block);
  }
  stats.reused.blocks = base.block_count();
  stats.reused.bytes = blocks.blocks_stored_size();
  ZPACK_ASSIGN_OR_RETURN(const RepositoryFiles table,
                         ReadFileTable(base.archive()));
  stats.files = table.files.size();
  stats.file_bytes = table.content_size();
  stats.file_size = base.archive().file().size();
  return stats;
}

Status CheckUndamaged(const ArchiveFile& archive, const ConvertOptions& options,
                      const RunOptions& run) {
  const bool hash_objects = options.read_back == ReadBack::kYes &&
                            options.trust_base == TrustBase::kNo;
  VerifyReport report;
  ZPACK_TRY(VerifyArchive(
      archive,
      {.level = hash_objects ? VerifyLevel::kObjects : VerifyLevel::kChecksums},
      run, report));
  if (report.damages.empty()) return {};
  Error damage = report.damages.front();
  damage.message = FormatMessage("'{}' is damaged, so it cannot be updated: ",
                                 AtPath{archive.path()}) +
                   damage.message;
  return std::unexpected(damage);
}

}  // namespace zpack
