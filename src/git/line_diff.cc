// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/line_diff.h"

#include <optional>

#include "base/error.h"
#include "git/libgit2.h"
#include "git/libgit2_allocator.h"

namespace zpack {
namespace {

struct Lines {
  const Visitor<std::string_view>& visit;
  std::optional<Error> error = std::nullopt;
  bool stopped = false;
};

int VisitLine(const git_diff_delta*, const git_diff_hunk*,
              const git_diff_line* line, void* payload) {
  auto& lines = *static_cast<Lines*>(payload);
  if (line->origin != GIT_DIFF_LINE_ADDITION &&
      line->origin != GIT_DIFF_LINE_DELETION) {
    return 0;
  }
  const Result<Visit> visit = lines.visit({line->content, line->content_len});
  if (!visit) lines.error = visit.error();
  lines.stopped = visit && *visit == Visit::kStop;
  return visit && !lines.stopped ? 0 : GIT_EUSER;
}

}  // namespace

Status VisitChangedLines(std::string_view before, std::string_view after,
                         const Visitor<std::string_view>& visit) {
  InitializeLibgit2();
  PrepareLibgit2Thread();
  git_diff_options options{};
  git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
  // Whoever calls has decided what is binary.
  options.flags = GIT_DIFF_FORCE_TEXT;
  Lines lines{visit};
  const int code = git_diff_buffers(
      before.data(), before.size(), nullptr, after.data(), after.size(),
      nullptr, &options, nullptr, nullptr, nullptr, VisitLine, &lines);
  if (lines.error) return std::unexpected(*lines.error);
  if (code == 0 || lines.stopped) return {};
  return MakeError(ErrorCode::kLimitExceeded,
                   "cannot compare texts of {} and {} bytes: {}", before.size(),
                   after.size(), MessageText{LastLibgit2Message()});
}

}  // namespace zpack
