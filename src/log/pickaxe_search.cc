// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/pickaxe_search.h"

#include <algorithm>
#include <memory>
#include <mutex>

#include "base/bytes.h"
#include "base/error.h"
#include "base/parallel.h"
#include "log/archive_texts.h"
#include "log/moved_lines.h"
#include "object/object_links.h"
#include "reader/decoders.h"
#include "search/text_pieces.h"

namespace zpack::log {
namespace {

bool IsGitlink(const TreeSide& side) {
  return side.exists() && IsGitlinkMode(side.mode);
}

// How many bytes two texts share at their ends.
size_t SharedEnd(std::string_view one, std::string_view two) {
  constexpr size_t kStep = 64;
  const size_t most = std::min(one.size(), two.size());
  size_t shared = 0;
  while (shared + kStep <= most &&
         one.substr(one.size() - shared - kStep, kStep) ==
             two.substr(two.size() - shared - kStep, kStep)) {
    shared += kStep;
  }
  while (shared < most &&
         one[one.size() - 1 - shared] == two[two.size() - 1 - shared]) {
    ++shared;
  }
  return shared;
}

// Two texts without the lines at their beginnings and ends that both have: a
// diff never shows these.
std::pair<std::string_view, std::string_view> ChangedParts(
    std::string_view one, std::string_view two) {
  const auto [differs, unused] = std::ranges::mismatch(one, two);
  // Only whole lines: up to the last line feed that both have.
  const size_t feed =
      one.substr(0, static_cast<size_t>(differs - one.begin())).rfind('\n');
  const size_t begin = feed == std::string_view::npos ? 0 : feed + 1;
  one.remove_prefix(begin);
  two.remove_prefix(begin);
  // A line that begins within the shared bytes is shared as a whole.
  const std::string_view end = one.substr(one.size() - SharedEnd(one, two));
  const size_t first = end.find('\n');
  const size_t kept =
      first == std::string_view::npos ? 0 : end.size() - first - 1;
  one.remove_suffix(kept);
  two.remove_suffix(kept);
  return {one, two};
}

bool AllLinesEnd(std::string_view text) {
  return text.empty() || text.ends_with('\n');
}

}  // namespace

// Compares contents. Each thread has its own.
class PickaxeSearch::Comparer {
 public:
  static Result<Comparer> Make(const PickaxeSearch& search) {
    ZPACK_ASSIGN_OR_RETURN(OccurrenceCounter counter,
                           OccurrenceCounter::Make(search.needle_));
    return Comparer(search, std::move(counter));
  }

  Result<bool> Compare(const TreeSide& before, const TreeSide& after,
                       const NumberedTrees* trees) {
    ZPACK_ASSIGN_OR_RETURN(const ContentPart old_part, Text(before, trees));
    ZPACK_ASSIGN_OR_RETURN(const ContentPart new_part, Text(after, trees));
    const std::string_view one = AsText(old_part.bytes);
    const std::string_view two = AsText(new_part.bytes);
    if (search_.options_.pickaxe != Pickaxe::kLines) {
      ZPACK_ASSIGN_OR_RETURN(const uint32_t count, counter_.Count(one));
      ZPACK_ASSIGN_OR_RETURN(const uint32_t other, counter_.Count(two));
      return count != other;
    }
    if (!search_.options_.text &&
        (search::IsBinary(one) || search::IsBinary(two))) {
      return false;
    }
    return LinesDiffer(one, two, {before, after});
  }

 private:
  Comparer(const PickaxeSearch& search, OccurrenceCounter counter)
      : search_(search), counter_(std::move(counter)) {}

  // The content of a file as Git's diff has it.
  Result<ContentPart> Text(const TreeSide& side, const NumberedTrees* trees) {
    if (!side.exists()) return ContentPart{};
    if (IsGitlink(side)) {
      const auto text = std::make_shared<const std::string>(
          "Subproject commit " + trees->id(side.object).ToHex() + "\n");
      return ContentPart{0, AsBytes(*text), text};
    }
    if (search_.IsInFile(side)) {
      return ReadBlob(search_.archive_, search_.objects_, side.object);
    }
    return search_.archive_.Absent(trees->id(side.object));
  }

  Result<bool> LinesDiffer(std::string_view one, std::string_view two,
                           const Sides& sides) {
    if (search_.keys_.exact()) {
      const auto [before, after] = ChangedParts(one, two);
      ZPACK_ASSIGN_OR_RETURN(const bool in_one, counter_.Occurs(before));
      ZPACK_ASSIGN_OR_RETURN(const bool in_two, counter_.Occurs(after));
      if (!in_one && !in_two) return false;
      // A last line that does not end differs from the same line that does.
      if (AllLinesEnd(before) && AllLinesEnd(after) &&
          search_.HaveSameLines(sides) && NothingMoved(before, after)) {
        return false;
      }
    }
    bool found = false;
    const auto look = [&](std::string_view line) -> Result<Visit> {
      // Like Git, looks at a last line as if it ended.
      std::string ended(line);
      if (!ended.ends_with('\n')) ended += '\n';
      ZPACK_ASSIGN_OR_RETURN(found, counter_.Occurs(ended));
      return found ? Visit::kStop : Visit::kContinue;
    };
    ZPACK_TRY(search_.diff_(one, two, look));
    return found;
  }

  const PickaxeSearch& search_;
  OccurrenceCounter counter_;
};

PickaxeSearch::PickaxeSearch(const ArchiveFile& archive, ObjectReader& objects,
                             const LogOptions& options, const LineDiff& diff)
    : archive_(archive),
      objects_(objects),
      options_(options),
      diff_(diff),
      needle_{.text = options.pattern,
              .expression = options.pickaxe != Pickaxe::kString,
              .ignore_case = options.ignore_case} {}

PickaxeSearch::~PickaxeSearch() = default;

Status PickaxeSearch::Search(Blobs blobs) {
  if (options_.pickaxe == Pickaxe::kObject) {
    for (const ObjectId& id : options_.objects) {
      if (const auto rank = archive_.ids().Find(id); rank) {
        stored_.insert(archive_.number(*rank));
      } else {
        elsewhere_.insert(id);
      }
    }
    return {};
  }
  const KeySearch search = {
      .needle = needle_,
      .key =
          options_.pickaxe == Pickaxe::kLines ? KeyOf::kLines : KeyOf::kCount,
      .blobs = blobs,
      .leaves_out_binary =
          options_.pickaxe == Pickaxe::kLines && !options_.text,
      .threads = options_.threads,
      .stop = options_.stop};
  ZPACK_ASSIGN_OR_RETURN(keys_, BlobKeys::Search(archive_, objects_, search));
  return {};
}

PickaxeSearch::Key PickaxeSearch::KeyFor(const TreeSide& before,
                                         const TreeSide& after) {
  // 0: there is none.
  const auto number = [](const TreeSide& side) {
    return side.exists() ? uint64_t{side.object.value()} + 1 : 0;
  };
  return {number(before), number(after)};
}

PickaxeSearch::Answer PickaxeSearch::Judge(const TreeSide& before,
                                           const TreeSide& after) const {
  if (options_.pickaxe == Pickaxe::kObject) {
    const auto is = [&](const TreeSide& side) {
      return side.exists() && stored_.contains(side.object);
    };
    if (is(before) || is(after)) return Answer::kYes;
    // As a commit of a submodule, which only `trees` of Wants can name.
    const auto may_be = [&](const TreeSide& side) {
      return side.exists() && !elsewhere_.empty() && !IsInFile(side);
    };
    return may_be(before) || may_be(after) ? Answer::kUnknown : Answer::kNo;
  }
  if (before.exists() && after.exists() && before.object == after.object) {
    return Answer::kNo;
  }
  if (!CanCompare({before, after})) return Answer::kUnknown;
  if (options_.pickaxe == Pickaxe::kLines) return JudgeLines(before, after);
  const auto count = [&](const TreeSide& side) {
    return side.exists() ? keys_.Of(side.object) : 0;
  };
  return count(before) != count(after) ? Answer::kYes : Answer::kNo;
}

bool PickaxeSearch::HaveSameLines(const Sides& sides) const {
  return CanCompare(sides) && sides.first.exists() && sides.second.exists() &&
         keys_.Of(sides.first.object) == keys_.Of(sides.second.object);
}

PickaxeSearch::Answer PickaxeSearch::JudgeLines(const TreeSide& before,
                                                const TreeSide& after) const {
  const auto key = [&](const TreeSide& side) {
    return side.exists() ? keys_.Of(side.object) : 0;
  };
  const auto is_binary = [&](const TreeSide& side) {
    return side.exists() && keys_.IsBinary(side.object);
  };
  const uint64_t one = key(before);
  const uint64_t two = key(after);
  if (one == 0 && two == 0) return Answer::kNo;
  if (!options_.text && (is_binary(before) || is_binary(after))) {
    return Answer::kNo;
  }
  if (one != two && keys_.exact()) return Answer::kYes;
  const auto known = known_.find(KeyFor(before, after));
  if (known == known_.end()) return Answer::kUnknown;
  return known->second ? Answer::kYes : Answer::kNo;
}

bool PickaxeSearch::HasText(const TreeSide& side) const {
  return IsInFile(side) && !IsGitlink(side);
}

bool PickaxeSearch::CanCompare(const Sides& sides) const {
  const auto can = [&](const TreeSide& side) {
    return !side.exists() || HasText(side);
  };
  return can(sides.first) && can(sides.second);
}

Status PickaxeSearch::Compare(std::vector<Sides> sides) {
  const auto place = [](const Sides& pair) {
    return KeyFor(pair.second, pair.first);
  };
  std::ranges::sort(sides, {}, place);
  const auto rest = std::ranges::unique(sides, {}, place);
  sides.erase(rest.begin(), rest.end());
  const unsigned threads =
      std::min(ResolveThreads(options_.threads),
               MaxDecoders(archive_.blocks().blocks_stored_size()));
  // What reads blocks is made once for each share.
  const uint64_t share =
      std::max<uint64_t>(256, sides.size() / (uint64_t{4} * threads));
  std::mutex mutex;  // guards known_
  return ParallelFor(
      threads, options_.stop, sides.size(), share,
      [&](uint64_t begin, uint64_t end) -> Status {
        ZPACK_ASSIGN_OR_RETURN(Comparer comparer, Comparer::Make(*this));
        for (uint64_t i = begin; i < end; ++i) {
          ZPACK_TRY(CheckStop(options_.stop));
          const auto& [before, after] = sides[i];
          ZPACK_ASSIGN_OR_RETURN(const bool wanted,
                                 comparer.Compare(before, after, nullptr));
          const std::lock_guard<std::mutex> lock(mutex);
          known_.emplace(KeyFor(before, after), wanted);
        }
        return {};
      });
}

Result<bool> PickaxeSearch::Wants(const FilePair& pair,
                                  const NumberedTrees& trees) {
  const Answer answer = Judge(pair.before, pair.after);
  if (answer != Answer::kUnknown) return answer == Answer::kYes;
  if (options_.pickaxe == Pickaxe::kObject) {
    const auto is = [&](const TreeSide& side) {
      return side.exists() && elsewhere_.contains(trees.id(side.object));
    };
    return is(pair.before) || is(pair.after);
  }
  if (comparer_ == nullptr) {
    ZPACK_ASSIGN_OR_RETURN(Comparer made, Comparer::Make(*this));
    comparer_ = std::make_unique<Comparer>(std::move(made));
  }
  return comparer_->Compare(pair.before, pair.after, &trees);
}

}  // namespace zpack::log
