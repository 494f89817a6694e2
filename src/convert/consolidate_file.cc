// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "convert/consolidate_file.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "convert/base_file.h"
#include "inventory/object_enumerator.h"
#include "inventory/older_versions.h"
#include "reader/archive_source.h"
#include "reader/dependent_files.h"
#include "reader/repository_file_reader.h"
#include "verify/verify_archive.h"
#include "writer/archive_writer.h"
#include "writer/encoding_options.h"
#include "zpack/publish_file.h"

namespace zpack {
namespace {

// Bytes of memory that threads share: the program, and decoded blocks.
constexpr uint64_t kSharedMemory = uint64_t{128} << 20;

// The first file to join, counted from 0, so that each file is at least
// `factor` times as large as all newer ones together; the number of files if
// that is so already.
size_t FirstToJoin(FileChain files, uint64_t factor) {
  size_t first = files.size();
  uint64_t newer = 0;
  for (size_t i = files.size(); i-- > 0;) {
    if (files[i]->file().size() / factor < newer) first = i;
    newer += files[i]->file().size();
  }
  return first;
}

class Consolidation {
 public:
  Consolidation(FileSystem& file_system, const BaseFile& chain, size_t first,
                const ConsolidateOptions& options)
      : file_system_(file_system),
        chain_(chain),
        archive_(chain.archive()),
        first_(first),
        options_(options),
        source_(archive_) {}

  // Everything but the new name.
  Result<ConsolidateStats> Write(AtomicFile& output) {
    if (first_ > 0) {
      ZPACK_ASSIGN_OR_RETURN(below_, chain_.OpenBelow(first_));
    }
    ZPACK_ASSIGN_OR_RETURN(const WriteStats written, WriteTo(output));
    ZPACK_TRY(CheckWritten(output));
    ConsolidateStats stats;
    stats.files = archive_.files().size() - first_;
    stats.files_below = first_;
    stats.objects = archive_.object_count() - FirstObject();
    for (const auto& file : archive_.files().subspan(first_)) {
      stats.bytes_before += file->file().size();
    }
    stats.bytes = written.file_size;
    return stats;
  }

 private:
  uint32_t FirstObject() const {
    return archive_.files()[first_]->first_object();
  }
  size_t FirstBlock() const {
    return below_ == nullptr ? 0 : below_->block_count();
  }

  // The objects that are encoded again: none without a profile.
  Result<ObjectList> ListObjects() {
    ObjectList none;
    none.ids = *ObjectIdTable::FromSorted(chain_.object_format(), {});
    if (!options_.profile) return none;
    ZPACK_ASSIGN_OR_RETURN(
        ObjectList list,
        EnumerateObjects(source_, archive_.refs(),
                         {ObjectSet::kAll, AllowPromised::kYes,
                          MissingBelow::kOfRefs, KeepGoing::kYes},
                         options_.run));
    if (below_ == nullptr) return list;
    return WithoutObjects(std::move(list), below_->ids().unranked());
  }

  Result<WriteStats> WriteTo(AtomicFile& output) {
    ConvertOptions choice;
    choice.run = options_.run;
    if (options_.profile) choice.profile = *options_.profile;
    ZPACK_ASSIGN_OR_RETURN(EncodingOptions encoding, ResolveEncoding(choice));
    // Copied blocks come with ids that are known.
    if (!options_.profile || first_ > 0) encoding.derived_ids = false;
    ZPACK_ASSIGN_OR_RETURN(const ObjectList list, ListObjects());
    const FileIds ids = archive_.ids();
    ZPACK_ASSIGN_OR_RETURN(const LostObjects lost, archive_.lost());
    ArchiveContents contents{ids, list, archive_.refs()};
    contents.reused = options_.profile ? below_.get() : &chain_;
    contents.first_reused = FirstBlock();
    contents.promises = archive_.promises();
    contents.lost = lost;
    if (below_ != nullptr && options_.profile) {
      ZPACK_ASSIGN_OR_RETURN(
          const OlderVersions older,
          FindOlderVersions(source_, list, below_->ids(), options_.run.stop));
      ZPACK_ASSIGN_OR_RETURN(contents.far,
                             below_->FindBases(older, options_.run.stop));
    }
    if (below_ != nullptr) {
      contents.backed =
          format::ChangesOf(below_->archive().refs(), archive_.refs());
      ZPACK_ASSIGN_OR_RETURN(contents.backed->below, below_->Describe());
    }
    RunOptions run = options_.run;
    run.threads = EncodingThreads(run, kSharedMemory, EncodingMemory(encoding));
    ZPACK_ASSIGN_OR_RETURN(const ArchivePlan plan,
                           PlanArchive(source_, contents, encoding, run));
    ZPACK_ASSIGN_OR_RETURN(ListedFiles listed, source_.ListFiles({}));
    ZPACK_ASSIGN_OR_RETURN(table_, ReadFileTable(archive_));
    FilesToWrite files{source_, file_system_, table_.left_out,
                       std::move(listed.files)};
    RepositoryFiles files_below;
    if (below_ != nullptr) {
      ZPACK_ASSIGN_OR_RETURN(files_below, ReadFileTable(below_->archive()));
      files.below = &files_below.files;
    }
    return WriteArchive(plan, {}, &files, run, output.file());
  }

  Status CheckWritten(const AtomicFile& output) const {
    ZPACK_ASSIGN_OR_RETURN(auto file,
                           file_system_.OpenForRead(output.temporary_path()));
    ReadOptions read = options_.read;
    if (below_ != nullptr) read.backing.push_back(below_->path());
    read.derivation = options_.run;
    read.index_cache = IndexCache::kNo;
    ZPACK_ASSIGN_OR_RETURN(const auto written,
                           ArchiveFile::Open(std::move(file), read));
    if (options_.read_back == ReadBack::kYes) {
      VerifyReport report;
      ZPACK_TRY(VerifyArchive(
          *written, {.level = VerifyLevel::kObjects, .own = below_ != nullptr},
          options_.run, report));
      if (!report.ok()) return std::unexpected(report.damages.front());
    }
    ZPACK_ASSIGN_OR_RETURN(const RepositoryFiles table,
                           ReadFileTable(*written));
    ZPACK_ASSIGN_OR_RETURN(const LostObjects lost_before, archive_.lost());
    ZPACK_ASSIGN_OR_RETURN(const LostObjects lost, written->lost());
    if (written->ids() == archive_.ids() &&
        written->refs() == archive_.refs() &&
        written->promises() == archive_.promises() && lost == lost_before &&
        table.files == table_.files && table.left_out == table_.left_out) {
      return {};
    }
    return MakeError(ErrorCode::kMismatch,
                     "the file read back differs from '{}'",
                     AtPath{archive_.path()});
  }

  FileSystem& file_system_;
  const BaseFile& chain_;
  const ArchiveFile& archive_;
  size_t first_;  // of the files that are joined
  const ConsolidateOptions& options_;
  ArchiveSource source_;
  std::unique_ptr<BaseFile> below_;  // null if all files are joined
  RepositoryFiles table_;
};

// kExists if other files could not be read without the file at `output`.
Status CheckReplaceable(const std::string& path, const std::string& output,
                        const ConsolidateOptions& options) {
  if (options.overwrite == Overwrite::kNo ||
      options.dependents == Dependents::kLose) {
    return {};
  }
  // Copied blocks keep the numbers of their objects.
  std::error_code error;
  if (!options.profile && std::filesystem::equivalent(path, output, error)) {
    return {};
  }
  return CheckNoneDepend(output);
}

}  // namespace

Result<ConsolidateStats> ConsolidateFile(FileSystem& file_system,
                                         const std::string& path,
                                         const std::string& output,
                                         const ConsolidateOptions& options) {
  if (options.from == 0 || (options.geometric && *options.geometric < 2) ||
      (options.geometric && options.from != 1)) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "files are counted from 1, a geometric progression has a "
                     "factor of at least 2, and the two exclude each other");
  }
  ZPACK_ASSIGN_OR_RETURN(auto file, file_system.OpenForRead(path));
  ReadOptions read = options.read;
  read.derivation = options.run;
  ZPACK_ASSIGN_OR_RETURN(const auto chain,
                         BaseFile::Open(std::move(file), read));
  const FileChain files = chain->archive().files();
  if (IsAmong(files.first(files.size() - 1), output)) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "'{}' cannot be replaced: '{}' depends on it",
                     AtPath{output}, path);
  }
  if (options.from > files.size()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "'{}' consists of {} file{}; none of them is file {}",
                     AtPath{path}, files.size(),
                     MessageText{files.size() == 1 ? "" : "s"}, options.from);
  }
  ZPACK_TRY(CheckReplaceable(path, output, options));
  size_t first = options.from - 1;
  if (options.geometric) {
    first = FirstToJoin(files, *options.geometric);
    if (first == files.size()) {
      ConsolidateStats nothing;
      nothing.files_below = files.size();
      return nothing;
    }
  }
  ZPACK_ASSIGN_OR_RETURN(
      AtomicFile written,
      AtomicFile::Create(file_system, output, options.overwrite));
  for (const auto& below : files) written.LimitMode(below->path());
  const auto before = IdentityOf(written.path());
  ZPACK_ASSIGN_OR_RETURN(
      ConsolidateStats stats,
      Consolidation(file_system, *chain, first, options).Write(written));
  ZPACK_TRY(CheckStop(options.run.stop));
  // Another process may have written a file that depends on the older one.
  if (before) ZPACK_TRY(CheckReplaceable(path, output, options));
  ZPACK_TRY(written.CommitOver(before));
  return stats;
}

}  // namespace zpack
