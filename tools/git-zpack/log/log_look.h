// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// How commits are printed, and what printing them needs. Plain values.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>

#include "log/commit_notes.h"
#include "log/date_text.h"
#include "log/decorations.h"
#include "log/mailmap.h"
#include "log/message_filter.h"
#include "short_ids.h"
#include "zpack/object_id.h"

namespace zpack::cli {

// The values of '--pretty'.
enum class CommitStyle : uint8_t {
  kShort,
  kMedium,
  kFull,
  kFuller,
  kRaw,
  kOneline,
  kFormat,
};

// What is printed of the files that a commit changes.
enum class FilesStyle : uint8_t { kNone, kRaw, kNameStatus, kNames };

struct LogLook {
  CommitStyle style = CommitStyle::kMedium;
  std::string format = {};  // for kFormat
  bool terminated = false;  // each commit, rather than separated
  size_t tab_width = 8;     // in messages; 0: tabs stay
  DateStyle date = {};
  std::optional<size_t> id_digits = std::nullopt;  // of ShortIds
  bool short_commit_ids = false;
  bool map_names = true;
  std::optional<Decorations::Names> decorations = std::nullopt;
  bool notes = false;
  bool colors = false;
  FilesStyle files = FilesStyle::kNone;
  char line_end = '\n';  // of paths and commits

  bool prints_nothing() const {
    return style == CommitStyle::kFormat && format.empty();
  }
};

struct LogSources {
  ShortIds ids;
  Mailmap mailmap = {};
  std::optional<Decorations> decorations = std::nullopt;
  std::optional<CommitNotes> notes = std::nullopt;
  // Commits that only the left side of '<a>...<b>' reaches, for '%m'.
  std::unordered_set<ObjectId> left = {};
  int64_t now = 0;
};

}  // namespace zpack::cli
