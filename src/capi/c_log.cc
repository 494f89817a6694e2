// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "capi/c_archive.h"
#include "capi/c_error.h"
#include "capi/stop_question.h"
#include "zpack.h"
#include "zpack/log.h"

namespace zpack::capi {
namespace {

constexpr zpack_log_options kLog = ZPACK_LOG_OPTIONS_INIT;
static_assert(kLog.version == ZPACK_LOG_OPTIONS_VERSION);
static_assert(kMostSimilar == ZPACK_MOST_SIMILAR);

Status CheckLogRanges(const zpack_log_options& given) {
  constexpr std::string_view kStatusLetters = "ACDMRTUXBacdmrtuxb*";
  if (given.renames < ZPACK_RENAMES_NONE ||
      given.renames > ZPACK_RENAMES_COPIES_HARDER) {
    return Invalid("no such search for renames");
  }
  if (given.pickaxe < ZPACK_PICKAXE_NONE ||
      given.pickaxe > ZPACK_PICKAXE_OBJECT) {
    return Invalid("no such pickaxe");
  }
  if (given.min_parents < 0) return Invalid("min_parents is less than 0");
  if (given.max_parents < -1) return Invalid("max_parents is less than -1");
  if (given.min_similarity > ZPACK_MOST_SIMILAR) {
    return Invalid("min_similarity is above ZPACK_MOST_SIMILAR");
  }
  const std::string_view filter =
      given.diff_filter == nullptr ? "" : given.diff_filter;
  if (filter.find_first_not_of(kStatusLetters) != std::string_view::npos) {
    return Invalid("no such letter of diff_filter");
  }
  return {};
}

Status SetCommits(const zpack_log_options& given, LogOptions& log) {
  if (given.all_refs != 0) log.refs = WalkRefs::kAll;
  ZPACK_ASSIGN_OR_RETURN(log.starts, IdsOf(given.starts, given.start_count));
  ZPACK_ASSIGN_OR_RETURN(log.excluded,
                         IdsOf(given.excluded, given.excluded_count));
  ZPACK_ASSIGN_OR_RETURN(log.pathspecs, PathsOf(given.paths, given.path_count));
  log.full_history = given.full_history != 0;
  log.follow = given.follow != 0;
  log.first_parent = given.first_parent != 0;
  log.reverse = given.reverse != 0;
  log.skip = given.skip;
  if (given.max_commits != 0) log.max_commits = given.max_commits;
  if (given.since != 0) log.since = given.since;
  if (given.until != 0) log.until = given.until;
  log.min_parents = static_cast<uint64_t>(given.min_parents);
  if (given.max_parents >= 0) {
    log.max_parents = static_cast<uint64_t>(given.max_parents);
  }
  return {};
}

Status SetFiles(const zpack_log_options& given, LogOptions& log) {
  log.files = given.files != 0;
  log.renames = static_cast<RenameSearch>(given.renames);
  log.min_similarity = given.min_similarity;
  log.rename_limit = given.rename_limit;
  if (given.diff_filter != nullptr) log.diff_filter = given.diff_filter;
  log.pickaxe = static_cast<Pickaxe>(given.pickaxe);
  if (log.pickaxe == Pickaxe::kObject) {
    ZPACK_ASSIGN_OR_RETURN(const ObjectId object, IdOf(&given.object));
    log.objects = {object};
  } else if (log.pickaxe != Pickaxe::kNone) {
    ZPACK_TRY(CheckGiven(given.pattern));
    log.pattern = given.pattern;
  }
  log.ignore_case = given.ignore_case != 0;
  log.pickaxe_all = given.pickaxe_all != 0;
  log.text = given.text != 0;
  return {};
}

// `options` without `stop`.
Result<LogOptions> LogOf(const zpack_log_options& given) {
  ZPACK_TRY(CheckLogRanges(given));
  LogOptions log;
  log.threads = given.threads;
  ZPACK_TRY(SetCommits(given, log));
  ZPACK_TRY(SetFiles(given, log));
  return log;
}

zpack_changed_file FileToC(const ChangedFile& file) {
  return {.status = file.status,
          .similarity = file.similarity,
          .old_mode = file.old_mode,
          .new_mode = file.new_mode,
          .old_oid = ToC(file.old_id),
          .new_oid = ToC(file.new_id),
          .old_path = file.old_path.data(),
          .old_path_size = file.old_path.size(),
          .new_path = file.new_path.data(),
          .new_path_size = file.new_path.size()};
}

// A commit as C sees it, whose arrays this object keeps.
class CommitView {
 public:
  const zpack_commit* Set(const LoggedCommit& commit) {
    parents_.clear();
    for (const ObjectId& parent : commit.parents) {
      parents_.push_back(ToC(parent));
    }
    files_.clear();
    for (const ChangedFile& file : commit.files)
      files_.push_back(FileToC(file));
    view_ = {.oid = ToC(commit.id),
             .content = commit.content.data(),
             .content_size = commit.content.size(),
             .parents = parents_.data(),
             .parent_count = parents_.size(),
             .files = files_.data(),
             .file_count = files_.size()};
    return &view_;
  }

 private:
  std::vector<zpack_oid> parents_;
  std::vector<zpack_changed_file> files_;
  zpack_commit view_ = {};
};

}  // namespace

extern "C" {

int zpack_log_options_init(zpack_log_options* options, unsigned version) {
  return InitOptions(options, version, kLog);
}

int zpack_log(const zpack_archive* archive, const zpack_log_options* options,
              zpack_commit_cb callback, void* payload) {
  return Answer([&]() -> Result<int> {
    ZPACK_TRY(CheckGiven(archive, callback));
    ZPACK_ASSIGN_OR_RETURN(const auto given, OptionsOr(options, kLog));
    ZPACK_ASSIGN_OR_RETURN(LogOptions log, LogOf(given));
    const StopQuestion stop(given.stop, given.stop_payload);
    log.stop = stop.token();
    int returned = 0;
    CommitView view;
    const Status listed = archive->reader->Log(
        log, [&](const LoggedCommit& commit) -> Result<Visit> {
          returned = callback(view.Set(commit), payload);
          return Next(returned);
        });
    return Ended(listed, returned);
  });
}

}  // extern "C"

}  // namespace zpack::capi
