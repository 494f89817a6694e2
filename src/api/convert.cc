// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "zpack/convert.h"

#include "api/convert_destination.h"
#include "base/error.h"
#include "base/guarded.h"
#include "convert/convert_source.h"
#include "convert/unfinished_file.h"
#include "git/libgit2_options.h"
#include "git/repository_source.h"
#include "reader/dependent_files.h"

namespace zpack {

namespace {

Result<ConvertStats> ConvertRepository(const std::string& repository,
                                       const std::string& path,
                                       const ConvertOptions& options) {
  const Libgit2Options libgit2_options;
  ZPACK_ASSIGN_OR_RETURN(const RepositoryLocation location,
                         FindRepository(repository, options.discovery));
  ZPACK_TRY(CheckConvertDestination(location, path));
  // An update may turn out to replace nothing, so it checks this later.
  if (options.dependents == Dependents::kKeep &&
      options.overwrite == Overwrite::kYes && options.update == Update::kNo) {
    ZPACK_TRY(CheckNoneDepend(path));
  }
  auto stats = ConvertSource(
      [&](SourceUse use) {
        ReadingOptions reading = ReadingOptions::For(options.run);
        reading.expected = use == SourceUse::kConvert ? ExpectedReads::kContents
                                                      : ExpectedReads::kInfos;
        reading.unreadable = UnreadableFiles::kPassOver;
        if (options.keep_going == KeepGoing::kYes) {
          reading.bad_indexes = BadIndexes::kSkip;
        }
        return OpenRepository(location, reading);
      },
      PosixFileSystem(), path, options);
  if (stats) stats->git_directory = location.git_directory;
  return stats;
}

}  // namespace

Result<ConvertStats> Convert(const std::string& repository,
                             const std::string& path,
                             const ConvertOptions& options) {
  return Guarded([&] { return ConvertRepository(repository, path, options); });
}

Result<std::string> LocateRepository(const std::string& repository,
                                     Discovery discovery) {
  return Guarded([&]() -> Result<std::string> {
    ZPACK_ASSIGN_OR_RETURN(RepositoryLocation location,
                           FindRepository(repository, discovery));
    return location.work_tree.empty() ? std::move(location.git_directory)
                                      : std::move(location.work_tree);
  });
}

bool CanResume(const std::string& path) {
  const auto resumable =
      Guarded([&] { return HasUnfinishedFile(PosixFileSystem(), path); });
  return resumable.value_or(false);
}

}  // namespace zpack
