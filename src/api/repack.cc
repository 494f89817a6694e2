// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/repack.h"

#include "api/repack_repository.h"
#include "base/error.h"
#include "base/guarded.h"
#include "base/phase_timer.h"
#include "git/files/directory_listing.h"
#include "git/libgit2_options.h"
#include "git/objects/pack_directory.h"
#include "git/repack/git_pack_store.h"
#include "git/repack/repack_configuration.h"
#include "git/repository_layout.h"
#include "repack/repacker.h"

namespace zpack {
namespace {

// Checks the options about packs outside the repository.
Status CheckDestinations(const RepackOptions& options) {
  const uint64_t depth = options.filter.tree_depth;
  if (depth != 0 && depth != ObjectFilter::kNoLimit) {
    return MakeError(ErrorCode::kUnsupported,
                     "cannot filter by a tree depth other than 0; git can");
  }
  if (options.filter.is_set() && options.bitmap == Bitmap::kYes) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "a bitmap needs every reachable object in one place");
  }
  if (options.filter.is_set() && (options.objects == ObjectSet::kAll ||
                                  options.unreachable != Unreachable::kDrop)) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "objects cannot be filtered out and kept");
  }
  if (!options.filter_to.empty() && !options.filter.is_set()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "nothing is filtered out for '{}'", options.filter_to);
  }
  if (!options.expire_to.empty() &&
      (options.unreachable != Unreachable::kCruft ||
       options.redundant != Redundant::kRemove)) {
    return MakeError(ErrorCode::kInvalidArgument, "nothing expires for '{}'",
                     options.expire_to);
  }
  return {};
}

// Checks that the options can be combined.
Status CheckOptions(const RepackOptions& options,
                    const std::string& repository) {
  if (options.redundant == Redundant::kRemove &&
      (options.publication == Publication::kNo ||
       !options.output_directory.empty())) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "nothing is redundant without a new pack in '{}'",
                     repository);
  }
  if (options.multi_pack_index == MultiPackIndex::kWrite &&
      (options.publication == Publication::kNo ||
       !options.output_directory.empty())) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "a multi-pack-index lists no pack outside '{}'",
                     repository);
  }
  if (options.unreachable != Unreachable::kDrop &&
      options.objects == ObjectSet::kAll) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "unreachable objects cannot be kept in two ways");
  }
  if (options.geometric != 0 &&
      (options.unreachable != Unreachable::kDrop || options.filter.is_set())) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "a geometric repack keeps all objects as they are");
  }
  return CheckDestinations(options);
}

// Checks that a bitmap can be written if the user or the settings ask for one.
Status CheckBitmap(const RepackOptions& options,
                   const RepackSettings& settings) {
  const bool wanted = options.bitmap ? *options.bitmap == Bitmap::kYes
                                     : settings.write_bitmaps.value_or(false);
  if (!wanted) return {};
  if (options.geometric != 0 &&
      options.multi_pack_index == MultiPackIndex::kLeave) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "Incremental repacks are incompatible with bitmap "
                     "indexes.  Use --no-write-bitmap-index or disable the "
                     "pack.writeBitmaps configuration.");
  }
  // Git fails when it has written the pack.
  if (!options.filter_to.empty() && options.redundant == Redundant::kRemove) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "a bitmap needs every reachable object in one place; use "
                     "--no-write-bitmap-index or disable the "
                     "pack.writeBitmaps configuration");
  }
  return {};
}

// Checks that the repository allows what the options ask for.
Status CheckSettings(const RepackOptions& options,
                     const RepackSettings& settings,
                     const std::string& repository) {
  if (settings.precious_objects && options.redundant == Redundant::kRemove) {
    return MakeError(ErrorCode::kUnsupported,
                     "cannot delete packs in a precious-objects repo: '{}'",
                     repository);
  }
  // Git from 2.42 on runs these programs.
  if (settings.recent_objects_hook && options.expiration) {
    return MakeError(ErrorCode::kUnsupported,
                     "'{}' has a gc.recentObjectsHook, which only git runs; "
                     "without an expiration, no object is dropped",
                     repository);
  }
  if (options.multi_pack_index == MultiPackIndex::kWrite &&
      settings.multi_pack_index_version != 1 &&
      settings.multi_pack_index_version != 2) {
    return MakeError(ErrorCode::kUnsupported, "unknown MIDX version: {}",
                     settings.multi_pack_index_version);
  }
  if (options.bitmap == Bitmap::kYes && !settings.multi_pack_index) {
    return MakeError(ErrorCode::kUnsupported,
                     "cannot write a bitmap: core.multiPackIndex is false in "
                     "'{}', so that git would not read it",
                     repository);
  }
  return CheckBitmap(options, settings);
}

// Why Git is not run: it follows links among the refs to directories above them
// until the names are too long, which may take forever, and waits for a pipe
// among the packs. Empty if there is neither.
Result<std::string> WhyNoGit(const RepackSettings& settings) {
  ZPACK_ASSIGN_OR_RETURN(const FileListing refs,
                         WalkFiles(settings.common_directory, "refs"));
  if (!refs.circles.empty()) {
    return FormatMessage(
        "'{}' is a link to a directory above it, which git would follow",
        AtPath{settings.common_directory + '/' + refs.circles.front()});
  }
  ZPACK_ASSIGN_OR_RETURN(const auto directories,
                         ListObjectDirectories(settings.common_directory));
  for (const std::string& objects : directories.found) {
    const auto endless = FindEndlessPackFile(objects);
    if (endless) {
      return FormatMessage("not a regular file: '{}'", AtPath{*endless});
    }
  }
  return "";
}

// If Git must not be run, there is a warning in place of a bitmap. kUnsupported
// if the user asked for one. Returns whether Git may run.
Result<bool> AvoidEndlessGit(const RepackSettings& settings,
                             RepackOptions& options) {
  if (options.bitmap == Bitmap::kNo) return true;
  ZPACK_ASSIGN_OR_RETURN(const std::string why, WhyNoGit(settings));
  if (why.empty()) return true;
  Status none = MakeError(ErrorCode::kUnsupported, "cannot write a bitmap: {}",
                          MessageText{why});
  if (options.bitmap == Bitmap::kYes) {
    return std::unexpected(std::move(none).error());
  }
  options.write_multi_pack_index =
      [none = std::move(none)](const MultiPackIndexRequest&) { return none; };
  return false;
}

}  // namespace

Result<RepackStats> RepackRepository(FileSystem& file_system,
                                     const std::string& repository,
                                     const RepackOptions& given) {
  const Libgit2Options libgit2_options;
  ZPACK_TRY(CheckOptions(given, repository));
  ZPACK_ASSIGN_OR_RETURN(const RepositoryLocation location,
                         FindRepository(repository, given.discovery));
  ZPACK_ASSIGN_OR_RETURN(
      const RepackSettings settings,
      ReadRepackSettings(location,
                         {given.unreachable == Unreachable::kCruft,
                          given.multi_pack_index == MultiPackIndex::kWrite}));
  ZPACK_TRY(CheckSettings(given, settings, repository));
  PhaseTimer timer(given.run.progress);
  RepackOptions options = given;
  ZPACK_ASSIGN_OR_RETURN(const bool git_may_run,
                         AvoidEndlessGit(settings, options));
  // It could not be removed together with the packs that it lists.
  ZPACK_TRY(CheckRegular(PackDirectory(settings.object_directory) +
                         "/multi-pack-index"));
  options.run.progress = &timer;
  options.run.threads = RepackThreads(given.run);
  GitPackStore store(file_system, location, settings,
                     ReadingOptions::For(options.run));
  ZPACK_ASSIGN_OR_RETURN(RepackStats stats,
                         RunRepack({file_system, store, settings, options}));
  stats.wants_bitmap = stats.wants_bitmap && git_may_run;
  stats.phases = timer.phases();
  return stats;
}

Result<RepackStats> Repack(const std::string& repository,
                           const RepackOptions& options) {
  return Guarded(
      [&] { return RepackRepository(PosixFileSystem(), repository, options); });
}

}  // namespace zpack
