// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/changed_files_printer.h"

#include <fmt/format.h>

#include <iterator>

#include "zpack/quote.h"

namespace zpack::cli {

Result<std::string> ChangedFilesText(std::span<const ChangedFile> files,
                                     const LogLook& look, const ShortIds& ids) {
  const bool quotes = look.line_end == '\n';
  const char between = quotes ? '\t' : '\0';
  std::string text;
  const auto add_path = [&](std::string_view path, char end) {
    text += quotes ? QuoteName(path, kWholeName, BeyondAscii::kEscape)
                   : std::string(path);
    text += end;
  };
  for (const ChangedFile& file : files) {
    if (look.files == FilesStyle::kNames) {
      add_path(file.new_path, look.line_end);
      continue;
    }
    if (look.files == FilesStyle::kRaw) {
      const auto old_id = ids.Of(file.old_id);
      if (!old_id) return old_id;
      const auto new_id = ids.Of(file.new_id);
      if (!new_id) return new_id;
      fmt::format_to(std::back_inserter(text), ":{:06o} {:06o} {} {} ",
                     file.old_mode, file.new_mode, *old_id, *new_id);
    }
    text += file.status;
    if (file.similarity > 0) {
      fmt::format_to(std::back_inserter(text), "{:03}",
                     uint64_t{file.similarity} * 100 / kMostSimilar);
    }
    text += between;
    const bool moved = file.status == 'R' || file.status == 'C';
    if (moved) add_path(file.old_path, between);
    add_path(file.new_path, look.line_end);
  }
  return text;
}

}  // namespace zpack::cli
