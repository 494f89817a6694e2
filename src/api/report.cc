// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/report.h"

#include <sys/stat.h>

#include <ranges>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/guarded.h"
#include "base/phase_timer.h"
#include "git/libgit2_options.h"
#include "git/objects/object_counts.h"
#include "git/repository_layout.h"
#include "git/repository_source.h"
#include "http/open_file.h"
#include "object/open_timed.h"
#include "reader/archive_file.h"
#include "reader/archive_source.h"
#include "reader/describe_file.h"
#include "report/object_history.h"
#include "report/report_builder.h"
#include "report/statistics_collector.h"
#include "report/stored_objects.h"
#include "zpack/quote.h"

namespace zpack {
namespace {

// Fills in everything that does not depend on where the objects are.
Status Build(const ReportInput& input, const RunOptions& run,
             RepositoryReport& report) {
  ZPACK_TRY(DescribeObjects(input, report));
  ZPACK_TRY(FindIncompressible(input, run, report));
  Advise(input, report);
  return {};
}

Result<RepositoryReport> ReportFile(const std::string& path,
                                    const ReportOptions& options,
                                    const RunOptions& run) {
  ReadOptions read = options.read;
  read.derivation = run;
  ZPACK_ASSIGN_OR_RETURN(auto file, OpenForReading(path, read, run.stop));
  ZPACK_ASSIGN_OR_RETURN(const auto archive,
                         ArchiveFile::Open(std::move(file), read));
  RepositoryReport report;
  report.is_file = true;
  report.path = NameWithoutSecrets(path);
  report.file_bytes = archive->total_size();
  report.below = DescribeBelow(*archive);
  ZPACK_ASSIGN_OR_RETURN(const LostObjects lost, archive->lost());
  report.lost_objects = lost.ids.size();
  report.refs = archive->refs().refs.size();
  ArchiveSource source(*archive);
  StatisticsCollector collector(*archive);
  ZPACK_TRY(collector.ReadBlocks(run));
  // Otherwise, the blocks would be decoded again in the order of ids.
  const auto fill_blobs = [&](ObjectList& list) {
    collector.VisitBlobs([&](const StatisticsCollector::Blob& blob, uint64_t) {
      const ListRank rank(archive->rank(blob.number).value());
      list.types[rank] = ObjectType::kBlob;
      list.sizes.Set(rank, blob.content_bytes);
    });
  };
  ZPACK_ASSIGN_OR_RETURN(const ObjectHistory history,
                         ReadHistory(source, archive->refs(), run, fill_blobs));
  const StoredObjects stored =
      MeasureArchived(*archive, history.list, collector);
  ZPACK_TRY(Build({source, history, stored}, run, report));
  report.statistics = collector.Finish();
  return report;
}

Result<RepositoryReport> ReportRepository(const std::string& path,
                                          const ReportOptions& options,
                                          const RunOptions& run) {
  const Libgit2Options libgit2_options;
  ZPACK_ASSIGN_OR_RETURN(const RepositoryLocation location,
                         FindRepository(path, options.discovery));
  ReadingOptions reading = ReadingOptions::For(run);
  reading.expected = ExpectedReads::kContents;
  reading.unreadable = UnreadableFiles::kPassOver;
  ZPACK_ASSIGN_OR_RETURN(
      const auto source,
      OpenTimed([&] { return OpenRepository(location, reading); }, run));
  ZPACK_ASSIGN_OR_RETURN(const auto directories,
                         ListObjectDirectories(location.common_directory));
  ZPACK_ASSIGN_OR_RETURN(
      const DirectoryCounts counts,
      CountObjects(directories.found.front(), source->object_format()));
  ZPACK_ASSIGN_OR_RETURN(const RefsSnapshot refs, source->ReadRefs());
  ZPACK_ASSIGN_OR_RETURN(const ObjectHistory history,
                         ReadHistory(*source, refs, run));
  RepositoryReport report;
  report.path = location.git_directory;
  report.refs = refs.refs.size();
  report.counts = {counts.loose.size(), counts.loose_disk_bytes / 1024,
                   counts.packed, counts.packs, counts.pack_bytes / 1024};
  std::unordered_map<ObjectId, uint64_t> loose;
  for (const auto& object : counts.loose) loose[object.id] = object.bytes;
  for (const std::string& directory : directories.found | std::views::drop(1)) {
    ZPACK_ASSIGN_OR_RETURN(const auto files,
                           ListLooseFiles(directory, source->object_format()));
    for (const auto& object : files) loose.emplace(object.id, object.bytes);
  }
  const StoredObjects stored = MeasurePacked(*source, history.list, loose);
  ZPACK_TRY(Build({*source, history, stored}, run, report));
  return report;
}

// A directory, or a file '.git' of a linked work tree, is a repository.
bool NamesFile(const std::string& path) {
  struct stat status{};
  if (path.starts_with("http://") || path.starts_with("https://")) return true;
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         !path.ends_with("/.git") && path != ".git";
}

}  // namespace

Result<RepositoryReport> CollectReport(const std::string& path,
                                       const ReportOptions& options) {
  return Guarded([&]() -> Result<RepositoryReport> {
    PhaseTimer timer(options.run.progress);
    RunOptions run = options.run;
    run.progress = &timer;
    auto report = NamesFile(path) ? ReportFile(path, options, run)
                                  : ReportRepository(path, options, run);
    if (report) report->phases = timer.phases();
    return report;
  });
}

}  // namespace zpack
