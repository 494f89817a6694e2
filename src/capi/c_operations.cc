// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "capi/c_error.h"
#include "capi/c_run_options.h"
#include "zpack.h"
#include "zpack/consolidate.h"
#include "zpack/convert.h"
#include "zpack/options.h"
#include "zpack/repack.h"
#include "zpack/restore.h"
#include "zpack/verify.h"

struct zpack_report {
  explicit zpack_report(zpack::VerifyReport from) : report(std::move(from)) {
    for (zpack::Error& damage : report.damages) {
      damages.emplace_back(std::move(damage));
    }
  }

  zpack::VerifyReport report;                    // without messages of damages
  std::deque<zpack::capi::ErrorRecord> damages;  // elements stay where they are
};

namespace zpack::capi {
namespace {

constexpr zpack_verify_options kVerify = ZPACK_VERIFY_OPTIONS_INIT;
constexpr zpack_convert_options kConvert = ZPACK_CONVERT_OPTIONS_INIT;
constexpr zpack_consolidate_options kConsolidate =
    ZPACK_CONSOLIDATE_OPTIONS_INIT;
constexpr zpack_restore_options kRestore = ZPACK_RESTORE_OPTIONS_INIT;
constexpr zpack_repack_options kRepack = ZPACK_REPACK_OPTIONS_INIT;

// kInvalidArgument unless an enumerator has this value.
Status CheckAtMost(int value, int most) {
  if (value >= 0 && value <= most) return {};
  return Invalid("a value of the options is out of range");
}

// REQUIRES: `yes` is the value of `Enum` that a flag of 1 stands for.
template <typename Enum>
void SetFlag(int flag, Enum yes, Enum& option) {
  if (flag != 0) option = yes;
}

}  // namespace

extern "C" {

int zpack_verify_options_init(zpack_verify_options* options, unsigned version) {
  return InitOptions(options, version, kVerify);
}

int zpack_convert_options_init(zpack_convert_options* options,
                               unsigned version) {
  return InitOptions(options, version, kConvert);
}

int zpack_consolidate_options_init(zpack_consolidate_options* options,
                                   unsigned version) {
  return InitOptions(options, version, kConsolidate);
}

int zpack_restore_options_init(zpack_restore_options* options,
                               unsigned version) {
  return InitOptions(options, version, kRestore);
}

int zpack_repack_options_init(zpack_repack_options* options, unsigned version) {
  return InitOptions(options, version, kRepack);
}

int zpack_verify(zpack_report** out, const char* path, const char* repository,
                 const zpack_verify_options* options) {
  return Answer([&]() -> Result<int> {
    ZPACK_TRY(CheckGiven(out, path));
    ZPACK_ASSIGN_OR_RETURN(const auto given, OptionsOr(options, kVerify));
    const RunWithCallback run(given.run);
    ZPACK_TRY(CheckAtMost(given.level, ZPACK_LEVEL_CONNECTIVITY));
    VerifyOptions verify;
    verify.run = run.options();
    verify.level = static_cast<VerifyLevel>(given.level);
    SetFlag(given.allow_newer, AllowNewer::kYes, verify.allow_newer);
    ZPACK_ASSIGN_OR_RETURN(verify.read.backing,
                           PathsOf(given.backing, given.backing_count));
    ScrubOptions scrub;
    scrub.own = given.own != 0;
    // To Scrub, that is no repository to compare with.
    if (repository != nullptr && *repository == '\0') {
      return std::unexpected(
          Error{.code = ErrorCode::kNotFound,
                .message = "there is no repository with an empty name"});
    }
    ZPACK_ASSIGN_OR_RETURN(
        auto report,
        Scrub(path, repository == nullptr ? "" : repository, verify, scrub));
    *out = std::make_unique<zpack_report>(std::move(report)).release();
    return ZPACK_OK;
  });
}

void zpack_report_free(zpack_report* report) {
  const std::unique_ptr<zpack_report> owned(report);
}

int zpack_report_ok(const zpack_report* report) {
  return report != nullptr && report->report.ok() ? 1 : 0;
}

uint64_t zpack_report_objects(const zpack_report* report) {
  return report == nullptr ? 0 : report->report.objects;
}

uint64_t zpack_report_verified(const zpack_report* report) {
  return report == nullptr ? 0 : report->report.objects_verified;
}

size_t zpack_report_damage_count(const zpack_report* report) {
  return report == nullptr ? 0 : report->damages.size();
}

const zpack_error* zpack_report_damage(const zpack_report* report,
                                       size_t index) {
  if (index >= zpack_report_damage_count(report)) return nullptr;
  return &report->damages[index].view();
}

size_t zpack_report_difference_count(const zpack_report* report) {
  return report == nullptr ? 0 : report->report.differences.size();
}

const char* zpack_report_difference(const zpack_report* report, size_t index) {
  if (index >= zpack_report_difference_count(report)) return nullptr;
  return report->report.differences[index].message.c_str();
}

int zpack_convert(const char* repository, const char* path,
                  const zpack_convert_options* options) {
  return Answer([&]() -> Result<int> {
    ZPACK_TRY(CheckGiven(repository, path));
    ZPACK_ASSIGN_OR_RETURN(const auto given, OptionsOr(options, kConvert));
    const RunWithCallback run(given.run);
    ZPACK_TRY(CheckAtMost(given.profile, ZPACK_PROFILE_COLD));
    ConvertOptions convert;
    convert.run = run.options();
    convert.profile = static_cast<Profile>(given.profile);
    if (given.base != nullptr) convert.base = given.base;
    SetFlag(given.reachable, ObjectSet::kReachable, convert.objects);
    SetFlag(given.overwrite, Overwrite::kYes, convert.overwrite);
    SetFlag(given.allow_promised, AllowPromised::kYes, convert.promised);
    if (given.onto != nullptr) convert.onto = given.onto;
    SetFlag(given.skip_unchanged, IfUnchanged::kSkip, convert.if_unchanged);
    SetFlag(given.lose_dependents, Dependents::kLose, convert.dependents);
    ZPACK_ASSIGN_OR_RETURN(convert.backing,
                           PathsOf(given.backing, given.backing_count));
    ZPACK_ASSIGN_OR_RETURN(const ConvertStats stats,
                           Convert(repository, path, convert));
    if (given.written != nullptr) {
      *given.written = stats.update == UpdateResult::kUnchanged ? 0 : 1;
    }
    return ZPACK_OK;
  });
}

int zpack_consolidate(zpack_consolidated* out, const char* path,
                      const char* output,
                      const zpack_consolidate_options* options) {
  return Answer([&]() -> Result<int> {
    ZPACK_TRY(CheckGiven(path, output));
    ZPACK_ASSIGN_OR_RETURN(const auto given, OptionsOr(options, kConsolidate));
    const RunWithCallback run(given.run);
    ConsolidateOptions consolidate;
    consolidate.run = run.options();
    if (given.profile != ZPACK_PROFILE_COPY) {
      ZPACK_TRY(CheckAtMost(given.profile, ZPACK_PROFILE_COLD));
      consolidate.profile = static_cast<Profile>(given.profile);
    }
    consolidate.from = given.from;
    if (given.geometric != 0) consolidate.geometric = given.geometric;
    SetFlag(given.overwrite, Overwrite::kYes, consolidate.overwrite);
    SetFlag(given.lose_dependents, Dependents::kLose, consolidate.dependents);
    ZPACK_ASSIGN_OR_RETURN(consolidate.read.backing,
                           PathsOf(given.backing, given.backing_count));
    ZPACK_ASSIGN_OR_RETURN(const ConsolidateStats stats,
                           Consolidate(path, output, consolidate));
    if (out != nullptr) {
      *out = {stats.files, stats.files_below, stats.objects, stats.bytes_before,
              stats.bytes};
    }
    return ZPACK_OK;
  });
}

int zpack_restore(const char* path, const char* directory,
                  const zpack_restore_options* options) {
  return Answer([&]() -> Result<int> {
    ZPACK_TRY(CheckGiven(path, directory));
    ZPACK_ASSIGN_OR_RETURN(const auto given, OptionsOr(options, kRestore));
    const RunWithCallback run(given.run);
    RestoreOptions restore;
    restore.run = run.options();
    SetFlag(given.overwrite, Overwrite::kYes, restore.overwrite);
    SetFlag(given.trust, Trust::kYes, restore.trust);
    ZPACK_ASSIGN_OR_RETURN(restore.read.backing,
                           PathsOf(given.backing, given.backing_count));
    ZPACK_TRY(Restore(path, directory, restore));
    return ZPACK_OK;
  });
}

int zpack_repack(const char* repository, const zpack_repack_options* options) {
  return Answer([&]() -> Result<int> {
    ZPACK_TRY(CheckGiven(repository));
    ZPACK_ASSIGN_OR_RETURN(const auto given, OptionsOr(options, kRepack));
    const RunWithCallback run(given.run);
    RepackOptions repack;
    repack.run = run.options();
    SetFlag(given.remove_redundant, Redundant::kRemove, repack.redundant);
    SetFlag(given.no_reuse, PackReuse::kNothing, repack.reuse);
    ZPACK_TRY(Repack(repository, repack));
    return ZPACK_OK;
  });
}

}  // extern "C"

}  // namespace zpack::capi
