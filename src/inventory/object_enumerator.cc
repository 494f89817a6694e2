// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "inventory/object_enumerator.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/huge_pages.h"
#include "base/parallel.h"
#include "base/progress_phase.h"
#include "inventory/history_walker.h"
#include "inventory/missing_place.h"
#include "inventory/object_walker.h"
#include "inventory/promised_objects.h"
#include "object/object_links.h"

namespace zpack {
namespace {

// Ids named in the message about missing objects.
constexpr size_t kMissingNamed = 10;
// Headers read at a time by one thread.
constexpr uint64_t kInfoGrain = 1024;

// What the error about missing objects is made of.
struct Walked {
  ObjectSource& source;
  const NamedTips tips;
  const ObjectList& list;
  const RunOptions& run;
};

// What needs the first missing object, and how to get it back.
std::string Explain(const Walked& walked, const ObjectId& missing) {
  const std::string place = PlaceOfMissing(
      walked.source, walked.tips, walked.list, missing, walked.run.stop);
  if (place.empty()) return "";
  return FormatMessage(
      "; {} needs {}: take it from another clone, or if you have a copy of the "
      "file, 'git hash-object -w'; 'git zpack convert --keep-going' archives "
      "what is left",
      MessageText{place}, missing);
}

std::unexpected<Error> MissingError(const Walked& walked,
                                    AllowPromised promised,
                                    const std::set<ObjectId>& missing) {
  ObjectSource& source = walked.source;
  std::string names;
  size_t named = 0;
  for (const ObjectId& id : missing) {
    if (named++ == kMissingNamed) {
      names += " ...";
      break;
    }
    names += ' ' + id.ToHex();
  }
  const auto read = source.ReadInfo(*missing.begin());
  if (!read && read.error().code != ErrorCode::kNotFound) {
    names += FormatMessage("; {}", MessageText{read.error().message});
  }
  for (const std::string& directory :
       source.MissingAlternates() | std::views::take(kMissingNamed)) {
    names += FormatMessage("; its alternate '{}' does not exist", directory);
  }
  if (const auto packs = source.UnusablePacks()) {
    for (const std::string& pack : *packs | std::views::take(kMissingNamed)) {
      names += FormatMessage("; {}", MessageText{pack});
    }
  }
  if (!source.IsPartialClone()) names += Explain(walked, *missing.begin());
  const bool hint = source.IsPartialClone() && promised == AllowPromised::kNo;
  return MakeError(
      ErrorCode::kSourceCorrupt, "'{}' {}: {} object{} missing{}:{}",
      source.path(),
      hint ? "is a partial clone: fetch it without a filter, or use "
             "--allow-promised"
           : "is incomplete",
      missing.size(), missing.size() == 1 ? " is" : "s are",
      promised == AllowPromised::kNo ? "" : " and not promised",
      MessageText{names});
}

std::vector<ObjectId> Tips(const RefsSnapshot& refs) {
  std::vector<ObjectId> tips;
  if (!refs.head_target.empty()) tips.push_back(refs.head_target);
  for (const Ref& ref : refs.refs) {
    if (!ref.symbolic()) tips.push_back(ref.target);
  }
  return tips;
}

enum class Unreadable : uint8_t { kFail, kLeaveOutUnreached };

// Fills in types and sizes of objects that the walk did not read. Objects that
// are left out keep kUnknownType.
Status ReadInfos(ObjectSource& source, ObjectList& list, const RunOptions& run,
                 Unreadable unreadable) {
  return ParallelFor(ResolveThreads(run.threads), run.stop, list.ids.size(),
                     kInfoGrain, [&](uint64_t begin, uint64_t end) -> Status {
                       for (const ListRank rank :
                            IndexRange(ListRank(static_cast<uint32_t>(begin)),
                                       ListRank(static_cast<uint32_t>(end)))) {
                         if (list.types[rank] != ObjectList::kUnknownType)
                           continue;
                         const auto info = source.ReadInfo(list.ids[rank]);
                         if (info) {
                           list.types[rank] = info->type;
                           list.sizes.Set(rank, info->size);
                         } else if (unreadable == Unreadable::kFail ||
                                    list.reached(rank) ||
                                    info.error().code == ErrorCode::kIo) {
                           return std::unexpected(info.error());
                         }
                       }
                       return {};
                     });
}

}  // namespace

ObjectList KeepObjects(ObjectList list, const ListMarks& keep) {
  ObjectList kept;
  Bytes ids;
  for (const ListRank rank : list.ids.ranks()) {
    if (!keep[rank]) continue;
    Append(ids, list.ids[rank].bytes());
    kept.paths.push_back(list.paths[rank]);
    kept.visits.push_back(list.visits[rank]);
    kept.types.push_back(list.types[rank]);
    kept.sizes.Append(list.sizes[rank]);
  }
  // A subsequence of sorted ids is sorted.
  kept.ids = *ObjectIdTable::FromSorted(list.ids.format(), std::move(ids));
  kept.path_table = std::move(list.path_table);
  kept.reached_end = list.reached_end;
  kept.promised = std::move(list.promised);
  kept.lost = std::move(list.lost);
  kept.missed = std::move(list.missed);
  return kept;
}

ObjectList KeepReached(ObjectList list) {
  return KeepWhere(std::move(list), [](const ObjectList& all, ListRank rank) {
    return all.reached(rank);
  });
}

ObjectList WithoutObjects(ObjectList list, const ObjectIdTable& ids) {
  if (ids.size() == 0) return list;
  return KeepWhere(std::move(list), [&](const ObjectList& all, ListRank rank) {
    return !ids.Find(all.ids[rank]);
  });
}

namespace {

// Fills `list.promised` with the promised ones among `missing`, and removes
// them there and from `needed`.
Status SortOutPromised(const Walked& walked, std::set<ObjectId>& missing,
                       std::set<ObjectId>& needed, ObjectList& list) {
  if (missing.empty()) return {};
  ZPACK_ASSIGN_OR_RETURN(
      list.promised, FindPromised(walked.source, list, missing, walked.run));
  for (std::set<ObjectId>* const ids : {&missing, &needed}) {
    std::erase_if(*ids, [&](const ObjectId& id) {
      return list.promised.Find(id).has_value();
    });
  }
  return {};
}

// Describes the `missing` objects, among which are the `needed`.
std::vector<MissedObject> DescribeMissed(const Walked& walked,
                                         const std::set<ObjectId>& missing,
                                         const std::set<ObjectId>& needed) {
  std::map<ObjectId, MissingPlace> places = PlacesOfMissing(
      walked.source, walked.tips, walked.list, missing, walked.run.stop);
  std::vector<MissedObject> missed;
  for (const ObjectId& id : missing) {
    MissingPlace& place = places[id];
    missed.push_back(
        {{id, place.type}, std::move(place.text), needed.contains(id)});
  }
  return missed;
}

// 'repack' would remove what is below objects of a wrong type. Git does not go
// on, either.
Status CheckTypes(const ObjectSource& source, const EnumerationScope& scope,
                  const ObjectWalker& walker) {
  if (scope.missing_below == MissingBelow::kOfRefs || walker.wrong().empty()) {
    return {};
  }
  const auto& [id, expected] = *walker.wrong().begin();
  return MakeError(ErrorCode::kSourceCorrupt,
                   "object {} of '{}' is no {}, although an object that links "
                   "to it says so: see 'git fsck'",
                   id.ToHex(), source.path(), ObjectTypeName(expected));
}

// Walks from the other tips that exist. Reflogs may refer to objects that no
// longer exist, and so may objects reachable from reflogs.
Status WalkExistingTips(const std::vector<TipGroup>& groups,
                        ObjectWalker& walker, const ObjectList& list) {
  std::set<ObjectId> tips;
  for (const TipGroup& group : groups) {
    for (const ObjectId& id : group.ids) {
      if (list.ids.Find(id)) tips.insert(id);
    }
  }
  return walker.Walk({tips.begin(), tips.end()});
}

// Walks from the other tips. Adds missing objects to `needed` or to
// `list.lost`, by the rules of the tips.
Status WalkOtherTips(const std::vector<TipGroup>& groups, ObjectWalker& walker,
                     std::set<ObjectId>& needed, ObjectList& list) {
  std::set<ObjectId> tips;
  std::set<ObjectId> gone;
  for (const TipGroup& group : groups) {
    if (group.rule == TipRule::kExtra) continue;
    for (const ObjectId& id : group.ids) {
      const size_t gone_before = gone.size();
      if (group.rule == TipRule::kRequired || FindNeeded(list, id, gone)) {
        tips.insert(id);
      } else if (gone.size() != gone_before) {
        list.lost.push_back({id, group.name});
      }
    }
  }
  ZPACK_TRY(walker.Walk({tips.begin(), tips.end()}));
  needed = walker.missing();
  for (const TipGroup& group : groups) {
    if (group.rule != TipRule::kExtra) continue;
    const std::set<ObjectId> missing_before = walker.missing();
    ZPACK_TRY(walker.Walk(group.ids));
    for (const ObjectId& id : walker.missing()) {
      if (!missing_before.contains(id)) list.lost.push_back({id, group.name});
    }
  }
  return {};
}

void FillTables(ObjectList& list) {
  const uint32_t count = list.ids.size();
  FillTable(list.types.raw(), count, ObjectList::kUnknownType);
  list.sizes.Fill(count);
  FillTable(list.paths.raw(), count, PathTable::kRoot);
  FillTable(list.visits.raw(), count, ObjectList::kUnmet);
}

// Removes objects without a type from `list`, and appends their ids to
// `unreadable`.
ObjectList KeepReadable(ObjectList list, std::vector<ObjectId>& unreadable) {
  return KeepWhere(std::move(list), [&](const ObjectList& all, ListRank rank) {
    const bool readable = all.types[rank] != ObjectList::kUnknownType;
    if (!readable) unreadable.push_back(all.ids[rank]);
    return readable;
  });
}

// Lists the objects of `source` and walks from its tips. Does not follow the
// links of objects that `find_complete` marks.
Result<ObjectList> ListAndWalk(
    ObjectSource& source, const RefsSnapshot& refs, EnumerationScope scope,
    const std::function<ListMarks(const ListIds&)>& find_complete,
    const RunOptions& run) {
  ObjectList list;
  std::vector<TipGroup> others;
  {
    const ProgressPhase phase(run.progress, Phase::kEnumeratingObjects, 0, 0);
    // Objects are written before something names them, so tips are read before
    // objects are listed.
    ZPACK_ASSIGN_OR_RETURN(others, source.ListOtherTips());
    ZPACK_ASSIGN_OR_RETURN(list.ids, source.ListObjects());
    phase.Advance(list.ids.size(), 0);
  }
  const uint32_t count = list.ids.size();
  FillTables(list);
  ListMarks complete = find_complete(list.ids);
  // If some objects are complete, the number of objects to walk is not known.
  const ProgressPhase phase(run.progress, Phase::kCountingObjects,
                            complete.empty() ? count : 0, 0);
  ObjectWalker walker(source, refs.shallow, list, std::move(complete), run);
  ZPACK_TRY(walker.Walk(Tips(refs)));
  std::set<ObjectId> needed = walker.missing();
  const bool is_partial = scope.promised == AllowPromised::kYes;
  const bool goes_on = scope.keep_going == KeepGoing::kYes &&
                       (is_partial || !source.IsPartialClone());
  // What refs need has a place below refs, which says more.
  const std::vector<TipGroup> none;
  const Walked walked{
      source,
      {refs, scope.missing_below == MissingBelow::kOfRefs && !goes_on ? none
                                                                      : others},
      list,
      run};
  if (!is_partial && !goes_on && !needed.empty()) {
    return MissingError(walked, scope.promised, needed);
  }
  if (scope.missing_below == MissingBelow::kOfRefs) {
    ZPACK_TRY(WalkExistingTips(others, walker, list));
  } else {
    ZPACK_TRY(WalkOtherTips(others, walker, needed, list));
  }
  ZPACK_TRY(CheckTypes(source, scope, walker));
  list.reached_end = walker.next_visit();
  std::set<ObjectId> missing = walker.missing();
  if (is_partial) ZPACK_TRY(SortOutPromised(walked, missing, needed, list));
  if (goes_on) {
    if (!missing.empty()) list.missed = DescribeMissed(walked, missing, needed);
  } else if (!needed.empty()) {
    return MissingError(walked, scope.promised, needed);
  }
  return list;
}

// The unreached commits that no other one of them has as a parent, newest
// first.
Result<std::vector<ObjectId>> FindUnreachedTips(ObjectSource& source,
                                                const ObjectList& list,
                                                const std::stop_token& stop) {
  std::vector<std::pair<uint64_t, ListRank>> commits;  // with their times
  ListMarks is_parent(list.ids.size());
  Bytes content;
  for (const ListRank rank : list.ids.ranks()) {
    if (list.reached(rank) || list.types[rank] != ObjectType::kCommit) continue;
    ZPACK_TRY(CheckStop(stop));
    ZPACK_TRY(source.Read(list.ids[rank], content));
    commits.emplace_back(ParseCommitTime(content), rank);
    for (const ObjectId& id :
         ParseCommitLinks(content, list.ids.format()).parents) {
      if (const auto parent = list.ids.Find(id)) is_parent[*parent] = true;
    }
  }
  std::erase_if(commits,
                [&](const auto& commit) { return is_parent[commit.second]; });
  std::ranges::sort(commits, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<ObjectId> tips;
  tips.reserve(commits.size());
  for (const auto& [time, rank] : commits) tips.push_back(list.ids[rank]);
  return tips;
}

Status WalkUnreached(ObjectSource& source, const RefsSnapshot& refs,
                     ObjectList& list, const RunOptions& run) {
  ZPACK_ASSIGN_OR_RETURN(const std::vector<ObjectId> tips,
                         FindUnreachedTips(source, list, run.stop));
  if (tips.empty()) return {};
  ListMarks reached(list.ids.size());
  uint64_t left = 0;
  for (const ListRank rank : list.ids.ranks()) {
    reached[rank] = list.reached(rank);
    if (!reached[rank]) ++left;
  }
  const ProgressPhase phase(run.progress, Phase::kCountingObjects, left, 0);
  return ObjectWalker(source, refs.shallow, list, std::move(reached), run)
      .Walk(tips);
}

// Walks from the commits that nothing reaches, so that what they are versions
// of is known, and marks it as met. If one of them cannot be read, none is.
Status MeetUnreached(ObjectSource& source, const RefsSnapshot& refs,
                     ObjectList& list, const RunOptions& run) {
  const Status walked = WalkUnreached(source, refs, list, run);
  if (walked || walked.error().code == ErrorCode::kIo ||
      walked.error().code == ErrorCode::kInterrupted) {
    return walked;
  }
  for (const ListRank rank : list.ids.ranks()) {
    if (list.reached(rank)) continue;
    list.visits[rank] = ObjectList::kUnmet;
    list.paths[rank] = PathTable::kRoot;
  }
  return {};
}

// Converts marks by rank of `from` into marks by rank of `to`.
ListMarks MoveMarks(const FileIds& from, const FileMarks& marks,
                    const ListIds& to) {
  ListMarks moved(to.size());
  FileRank at;  // `from` and `to` are sorted
  const FileRank end = marks.end_index();
  for (const ListRank rank : to.ranks()) {
    const ObjectId id = to[rank];
    while (at < end && from[at] < id) ++at;
    if (at == end) break;
    moved[rank] = from[at] == id && marks[at];
  }
  return moved;
}

}  // namespace

Result<ObjectList> EnumerateObjects(ObjectSource& source,
                                    const RefsSnapshot& refs,
                                    EnumerationScope scope,
                                    const RunOptions& run,
                                    std::vector<ObjectId>* unreadable) {
  ZPACK_ASSIGN_OR_RETURN(ObjectList list,
                         ListAndWalk(
                             source, refs, scope,
                             [](const ListIds&) { return ListMarks(); }, run));
  if (scope.set == ObjectSet::kReachable) list = KeepReached(std::move(list));
  if (unreadable == nullptr) {
    ZPACK_TRY(ReadInfos(source, list, run, Unreadable::kFail));
  } else {
    ZPACK_TRY(ReadInfos(source, list, run, Unreadable::kLeaveOutUnreached));
    list = KeepReadable(std::move(list), *unreadable);
  }
  ZPACK_TRY(MeetUnreached(source, refs, list, run));
  return list;
}

Result<ObjectList> EnumerateListed(ObjectSource& source,
                                   const ObjectIdTable& ids,
                                   const ObjectIdTable& tips,
                                   const RunOptions& run,
                                   std::vector<ObjectId>& unreadable) {
  ObjectList list;
  list.ids = ids;
  FillTables(list);
  ZPACK_TRY(ReadInfos(source, list, run, Unreadable::kLeaveOutUnreached));
  list = KeepReadable(std::move(list), unreadable);
  std::vector<ObjectId> commits;
  for (const ListRank rank : list.ids.ranks()) {
    const ObjectId id = list.ids[rank];
    if (list.types[rank] == ObjectType::kCommit && tips.Find(id)) {
      commits.push_back(id);
    }
  }
  const ProgressPhase phase(run.progress, Phase::kCountingObjects,
                            list.ids.size(), 0);
  ObjectWalker walker(source, {}, list, ListMarks(), run);
  ZPACK_TRY(walker.Walk(commits));
  return list;
}

Result<AddedObjects> EnumerateAddedObjects(ObjectSource& source,
                                           const RefsSnapshot& refs,
                                           EnumerationScope scope,
                                           const KnownObjects& known,
                                           const RunOptions& run) {
  ZPACK_ASSIGN_OR_RETURN(ObjectList list,
                         ListAndWalk(
                             source, refs, scope,
                             [&](const ListIds& ids) {
                               return MoveMarks(known.ids, known.complete, ids);
                             },
                             run));
  AddedObjects added;
  added.met.resize(known.ids.size());
  ListMarks is_added(list.ids.size());
  Bytes ids;
  ids.reserve(list.ids.bytes().size());
  FileRank at;  // in `known`, whose ids are sorted as well
  const FileRank end = added.met.end_index();
  for (const ListRank rank : list.ids.ranks()) {
    const ObjectId id = list.ids[rank];
    while (at < end && known.ids[at] < id) {
      added.gone.push_back(known.ids[at++]);
    }
    const bool is_known = at < end && known.ids[at] == id;
    if (is_known) added.met[at++] = list.reached(rank);
    is_added[rank] =
        !is_known && (scope.set == ObjectSet::kAll || list.reached(rank));
    if (is_known || is_added[rank]) Append(ids, id.bytes());
  }
  while (at < end) added.gone.push_back(known.ids[at++]);
  // A subsequence of sorted ids is sorted.
  added.ids = *ObjectIdTable::FromSorted(list.ids.format(), std::move(ids));
  added.list = KeepObjects(std::move(list), is_added);
  ZPACK_TRY(ReadInfos(source, added.list, run, Unreadable::kFail));
  ZPACK_TRY(MeetUnreached(source, refs, added.list, run));
  return added;
}

}  // namespace zpack
