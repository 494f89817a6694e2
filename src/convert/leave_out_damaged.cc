// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "convert/leave_out_damaged.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "object/read_listed_file.h"
#include "verify/verify_source.h"

namespace zpack {

Status LeaveOutDamaged(const RunOptions& run,
                       std::unique_ptr<ObjectSource>& source,
                       DamagedObjects& damaged, SourceOpener& open) {
  ZPACK_ASSIGN_OR_RETURN(std::vector<Error> errors, FindDamaged(*source, run));
  for (Error& error : errors) {
    damaged.emplace(error.object, std::move(error.message));
  }
  source = WithoutDamaged(std::move(source), damaged);
  open = [inner = std::move(open),
          &damaged](SourceUse use) -> Result<std::unique_ptr<ObjectSource>> {
    ZPACK_ASSIGN_OR_RETURN(auto opened, inner(use));
    return WithoutDamaged(std::move(opened), damaged);
  };
  return {};
}

Result<std::vector<std::string>> LeaveOutDamagedFiles(const RunOptions& run,
                                                      FilesToWrite& files) {
  std::vector<std::string> damaged;
  std::vector<ListedFile> sound;
  for (ListedFile& listed : files.files) {
    Status checked;
    if (listed.group == FileGroup::kLfs) {
      ZPACK_ASSIGN_OR_RETURN(const auto file,
                             ReadListedFile(files.source, listed, run.stop,
                                            [](ByteView) { return Status{}; }));
      if (file) checked = CheckContent(files.source, *file);
    }
    if (checked) {
      sound.push_back(std::move(listed));
    } else {
      damaged.push_back(std::move(checked).error().message);
    }
  }
  files.files = std::move(sound);
  return damaged;
}

Result<std::vector<std::string>> DescribeSkipped(
    ObjectSource& source, const std::vector<SourceLoss>& lost) {
  std::vector<std::string> skipped = source.SkippedFiles();
  if (lost.empty()) return skipped;
  ZPACK_ASSIGN_OR_RETURN(auto packs, source.UnusablePacks());
  std::ranges::move(packs, std::back_inserter(skipped));
  return skipped;
}

}  // namespace zpack
