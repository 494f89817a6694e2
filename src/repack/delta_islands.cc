// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "repack/delta_islands.h"

#include <regex.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "base/posix_regex.h"
#include "object/object_links.h"

namespace zpack {
namespace {

// The patterns of pack.island.
class IslandPatterns {
 public:
  static Result<IslandPatterns> Compile(const std::vector<std::string>& texts) {
    IslandPatterns patterns;
    for (std::string text : texts) {
      if (!text.starts_with('^')) text.insert(0, 1, '^');
      PosixRegex regex = CompilePosixRegex(text, REG_EXTENDED);
      if (regex == nullptr) {
        return MakeError(ErrorCode::kGit,
                         "failed to load island regex for 'pack.island': '{}'",
                         text);
      }
      patterns.patterns_.push_back(std::move(regex));
    }
    return patterns;
  }

  // The name of the island of a ref: the texts that the groups of the last
  // matching pattern match. Nothing if none matches.
  std::optional<std::string> NameOf(const std::string& ref) const {
    regmatch_t groups[kGroups];
    for (auto at = patterns_.rbegin(); at != patterns_.rend(); ++at) {
      if (regexec(at->get(), ref.c_str(), kGroups, groups, 0) != 0) continue;
      std::string name;
      for (size_t i = 1; i < kGroups; ++i) {
        if (groups[i].rm_so == -1) continue;
        if (!name.empty()) name += '-';
        name.append(ref, static_cast<size_t>(groups[i].rm_so),
                    static_cast<size_t>(groups[i].rm_eo - groups[i].rm_so));
      }
      return name;
    }
    return std::nullopt;
  }

 private:
  static constexpr size_t kGroups = 16;  // as in Git

  std::vector<PosixRegex> patterns_;
};

using Tips = std::set<ObjectId>;

// Islands with the same tips are one.
struct IslandTips {
  std::set<Tips> islands;
  Tips core;  // of the core island; empty if there is none
};

Result<IslandTips> FindTips(ObjectSource& source,
                            const IslandPatterns& patterns,
                            const std::optional<std::string>& core) {
  ZPACK_ASSIGN_OR_RETURN(const RefsSnapshot refs, source.ReadRefs());
  std::map<std::string, Tips> by_name;
  for (const Ref& ref : refs.refs) {
    const auto name = patterns.NameOf(ref.name);
    const ObjectId target =
        ref.symbolic() ? refs.Resolve(ref.name) : ref.target;
    if (name && !target.empty()) by_name[*name].insert(target);
  }
  IslandTips found;
  for (auto& [name, tips] : by_name) {
    if (name == core) found.core = tips;
    found.islands.insert(std::move(tips));
  }
  return found;
}

}  // namespace

// Passes marks on from tips to everything that they reach.
class IslandMarker {
 public:
  IslandMarker(ObjectSource& source, const ObjectList& list,
               const RunOptions& run)
      : source_(source), list_(list), run_(run) {
    islands_.of_.resize(list.ids.size());
    numbers_[{}] = 0;
  }

  Result<DeltaIslands> Run(const IslandTips& found) {
    size_t number = 0;
    for (const Tips& tips : found.islands) {
      if (tips == found.core) islands_.core_ = number;
      DeltaIslands::Set one((number / 64) + 1);
      one.back() |= uint64_t{1} << (number++ % 64);
      const uint32_t set = NumberOf(std::move(one));
      for (const ObjectId& tip : tips) ZPACK_TRY(MarkTip(tip, set));
    }
    ZPACK_TRY(MarkCommits());
    ZPACK_TRY(MarkTrees());
    return std::move(islands_);
  }

 private:
  uint32_t NumberOf(DeltaIslands::Set set) {
    const auto [at, is_new] = numbers_.emplace(
        std::move(set), static_cast<uint32_t>(islands_.sets_.size()));
    if (is_new) islands_.sets_.push_back(at->first);
    return at->second;
  }

  uint32_t Union(uint32_t a, uint32_t b) {
    if (a == b || b == 0) return a;
    if (a == 0) return b;
    const uint64_t key =
        (uint64_t{std::min(a, b)} << 32U) | uint64_t{std::max(a, b)};
    const auto known = unions_.find(key);
    if (known != unions_.end()) return known->second;
    DeltaIslands::Set both = islands_.sets_[a];
    const DeltaIslands::Set& other = islands_.sets_[b];
    both.resize(std::max(both.size(), other.size()));
    for (size_t i = 0; i < other.size(); ++i) both[i] |= other[i];
    return unions_[key] = NumberOf(std::move(both));
  }

  // Returns true if the marks of the object have changed.
  bool Mark(ListRank rank, uint32_t set) {
    const uint32_t both = Union(islands_.of_[rank], set);
    return std::exchange(islands_.of_[rank], both) != both;
  }

  // Also marks what a tag points to.
  Status MarkTip(ObjectId id, uint32_t set) {
    for (;;) {
      const auto rank = list_.ids.Find(id);
      if (!rank) return {};
      Mark(*rank, set);
      if (list_.types[*rank] != ObjectType::kTag) return {};
      ZPACK_TRY(source_.Read(id, content_));
      id = ParseTagTarget(content_, list_.ids.format());
    }
  }

  // Children come before their parents, so each commit is done once.
  Status MarkCommits() {
    std::unordered_map<ListRank, CommitLinks> links;
    std::unordered_map<ListRank, uint32_t> children;
    for (const ListRank rank : list_.ids.ranks()) {
      if (list_.types[rank] != ObjectType::kCommit) continue;
      ZPACK_TRY(CheckStop(run_.stop));
      ZPACK_TRY(source_.Read(list_.ids[rank], content_));
      links[rank] = ParseCommitLinks(content_, list_.ids.format());
      for (const ObjectId& id : links[rank].parents) {
        if (const auto parent = list_.ids.Find(id)) ++children[*parent];
      }
    }
    std::vector<ListRank> ready;
    for (const auto& [rank, unused] : links) {
      if (!children.contains(rank)) ready.push_back(rank);
    }
    while (!ready.empty()) {
      const ListRank rank = ready.back();
      ready.pop_back();
      const CommitLinks& own = links[rank];
      const uint32_t set = islands_.of_[rank];
      if (const auto tree = list_.ids.Find(own.tree)) Mark(*tree, set);
      for (const ObjectId& id : own.parents) {
        const auto parent = list_.ids.Find(id);
        if (!parent) continue;
        Mark(*parent, set);
        if (--children[*parent] == 0) ready.push_back(*parent);
      }
    }
    return {};
  }

  // A tree whose marks change is done again.
  Status MarkTrees() {
    std::deque<ListRank> changed;
    for (const ListRank rank : list_.ids.ranks()) {
      if (list_.types[rank] == ObjectType::kTree && islands_.of_[rank] != 0) {
        changed.push_back(rank);
      }
    }
    std::vector<ObjectId> links;
    while (!changed.empty()) {
      ZPACK_TRY(CheckStop(run_.stop));
      const ListRank rank = changed.front();
      changed.pop_front();
      ZPACK_TRY(source_.Read(list_.ids[rank], content_));
      links.clear();
      AppendLinks(ObjectType::kTree, content_, list_.ids.format(), links);
      for (const ObjectId& id : links) {
        const auto entry = list_.ids.Find(id);
        if (entry && Mark(*entry, islands_.of_[rank]) &&
            list_.types[*entry] == ObjectType::kTree) {
          changed.push_back(*entry);
        }
      }
    }
    return {};
  }

  ObjectSource& source_;
  const ObjectList& list_;
  const RunOptions& run_;
  DeltaIslands islands_;
  std::map<DeltaIslands::Set, uint32_t> numbers_;
  std::unordered_map<uint64_t, uint32_t> unions_;
  Bytes content_;
};

Result<DeltaIslands> DeltaIslands::Find(ObjectSource& source,
                                        const RepackSettings& settings,
                                        const ObjectList& list,
                                        const RunOptions& run) {
  ZPACK_ASSIGN_OR_RETURN(const IslandPatterns patterns,
                         IslandPatterns::Compile(settings.islands));
  ZPACK_ASSIGN_OR_RETURN(const IslandTips tips,
                         FindTips(source, patterns, settings.core_island));
  return IslandMarker(source, list, run).Run(tips);
}

DeltaIslands DeltaIslands::Of(const ListIds& whole, const ListIds& part) const {
  DeltaIslands islands;
  islands.sets_ = sets_;
  islands.core_ = core_;
  for (const ListRank rank : part.ranks()) {
    const auto at = whole.Find(part[rank]);
    islands.of_.push_back(at ? of_[*at] : 0);
  }
  return islands;
}

uint32_t DeltaIslands::Count(ListRank rank) const {
  uint32_t count = 0;
  for (const uint64_t bits : sets_[of_[rank]]) {
    count += static_cast<uint32_t>(std::popcount(bits));
  }
  return count;
}

bool DeltaIslands::InCore(ListRank rank) const {
  return core_ && Has(sets_[of_[rank]], *core_);
}

bool DeltaIslands::MayBeBase(ListRank delta, ListRank base) const {
  if (of_[delta] == 0 || of_[delta] == of_[base]) return true;
  const Set& needed = sets_[of_[delta]];
  const Set& has = sets_[of_[base]];
  for (size_t i = 0; i < needed.size(); ++i) {
    if ((needed[i] & ~(i < has.size() ? has[i] : 0)) != 0) return false;
  }
  return true;
}

}  // namespace zpack
