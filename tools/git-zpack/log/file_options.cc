// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/file_options.h"

#include <fmt/format.h>

#include <limits>
#include <string_view>

#include "cli.h"
#include "common_options.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace {

constexpr uint32_t kUsualSimilarity = kMostSimilar / 2;

// "50%", "0.5" and "5": of kMostSimilar. As in Git, digits are those after the
// point, unless a percent sign follows.
uint32_t SimilarityOf(const CommandWord& word) {
  std::string_view rest = word.value;
  constexpr uint64_t kMostScale = 100'000;
  uint64_t number = 0;
  uint64_t scale = 1;
  bool point = false;
  while (!rest.empty()) {
    const char c = rest.front();
    if (c == '.' && !point) {
      point = true;
      scale = 1;
    } else if (c == '%') {
      scale = point ? scale * 100 : 100;
      rest.remove_prefix(1);
      break;
    } else if (c >= '0' && c <= '9') {
      if (scale < kMostScale) {
        scale *= 10;
        number = number * 10 + static_cast<uint64_t>(c - '0');
      }
    } else {
      break;
    }
    rest.remove_prefix(1);
  }
  if (!rest.empty()) {
    throw UsageError{fmt::format("invalid argument to {}: '{}'", word.option,
                                 QuoteName(word.value, kMaxNameInMessage))};
  }
  return number >= scale ? kMostSimilar
                         : static_cast<uint32_t>(kMostSimilar * number / scale);
}

[[noreturn]] void FailTogether(std::string_view message) {
  throw CommandFailure{{ErrorCode::kInvalidArgument, std::string(message)}};
}

}  // namespace

bool FileOptions::Take(const CommandWord& word) {
  return TakeRenames(word) || TakePickaxe(word) || TakeOutput(word);
}

bool FileOptions::TakeRenames(const CommandWord& word) {
  if (word.option == "find-renames") {
    min_similarity_ = SimilarityOf(word);
    renames_ = RenameSearch::kRenames;
  } else if (word.option == "find-copies") {
    min_similarity_ = SimilarityOf(word);
    if (renames_ == RenameSearch::kCopies) harder_ = true;
    renames_ = RenameSearch::kCopies;
  } else if (word.option == "find-copies-harder") {
    harder_ = true;
  } else if (word.option == "no-renames") {
    renames_ = RenameSearch::kNone;
  } else if (word.option == "-l") {
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    const int64_t limit = NumberFrom(word.value, "l", -kMost, kMost);
    rename_limit_ =
        limit < 0 ? LogOptions().rename_limit : static_cast<uint64_t>(limit);
  } else {
    return false;
  }
  return true;
}

bool FileOptions::TakePickaxe(const CommandWord& word) {
  if (word.option == "-S") {
    string_ = word.value;
  } else if (word.option == "-G") {
    lines_ = word.value;
  } else if (word.option == "find-object") {
    objects_.push_back(word.value);
  } else if (word.option == "pickaxe-regex") {
    expression_ = true;
  } else if (word.option == "pickaxe-all") {
    all_ = true;
  } else if (word.option == "text") {
    text_ = true;
  } else if (word.option == "diff-filter") {
    AddFilter(word.value);
  } else {
    return false;
  }
  return true;
}

void FileOptions::AddFilter(const std::string& letters) {
  constexpr std::string_view kKnown = "ACDMRTUXBacdmrtuxb*";
  for (const char letter : letters) {
    if (kKnown.contains(letter)) continue;
    throw UsageError{
        fmt::format("unknown change class '{}' in --diff-filter={}",
                    EscapeUnprintable(std::string_view(&letter, 1)),
                    QuoteName(letters, kMaxNameInMessage))};
  }
  diff_filter_ += letters;
}

// Like Git, '--no-patch' takes back what comes before it, and '--raw' takes
// back '--no-patch'.
bool FileOptions::TakeOutput(const CommandWord& word) {
  if (word.option == "no-patch") {
    raw_ = name_status_ = names_ = false;
    nothing_ = true;
  } else if (word.option == "raw") {
    raw_ = true;
    nothing_ = false;
  } else if (word.option == "name-status") {
    name_status_ = true;
  } else if (word.option == "name-only") {
    names_ = true;
  } else if (word.option == "-z") {
    zero_ = true;
  } else {
    return false;
  }
  return true;
}

std::vector<std::string> FileOptions::Finish(LogOptions& log, LogLook& look) {
  if ((name_status_ ? 1 : 0) + (names_ ? 1 : 0) + (nothing_ ? 1 : 0) > 1) {
    FailTogether(
        "options '--name-only', '--name-status', and '-s' cannot be used "
        "together");
  }
  if ((string_ ? 1 : 0) + (lines_ ? 1 : 0) + (objects_.empty() ? 0 : 1) > 1) {
    FailTogether(
        "options '-G', '-S', and '--find-object' cannot be used together");
  }
  if (expression_ && lines_) {
    FailTogether(
        "options '-G' and '--pickaxe-regex' cannot be used together, use "
        "'--pickaxe-regex' with '-S'");
  }
  if (all_ && !objects_.empty()) {
    FailTogether(
        "options '--pickaxe-all' and '--find-object' cannot be used together, "
        "use '--pickaxe-all' with '-G' and '-S'");
  }
  log.renames = harder_ ? RenameSearch::kCopiesHarder : renames_;
  log.min_similarity =
      min_similarity_ == 0 ? kUsualSimilarity : min_similarity_;
  log.rename_limit = rename_limit_;
  log.diff_filter = diff_filter_;
  log.pickaxe = lines_              ? Pickaxe::kLines
                : !objects_.empty() ? Pickaxe::kObject
                : !string_          ? Pickaxe::kNone
                : expression_       ? Pickaxe::kExpression
                                    : Pickaxe::kString;
  log.pattern = lines_ ? *lines_ : string_.value_or("");
  log.pickaxe_all = all_;
  log.text = text_;
  look.line_end = zero_ ? '\0' : '\n';
  // As in Git, '--raw' loses to both others.
  look.files = name_status_ ? FilesStyle::kNameStatus
               : names_     ? FilesStyle::kNames
               : raw_       ? FilesStyle::kRaw
                            : FilesStyle::kNone;
  log.files = look.files != FilesStyle::kNone;
  return objects_;
}

}  // namespace zpack::cli
