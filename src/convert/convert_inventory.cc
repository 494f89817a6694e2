// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "convert/convert_inventory.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "inventory/object_enumerator.h"
#include "inventory/older_versions.h"
#include "verify/same_repository.h"

namespace zpack {
namespace {

EnumerationScope ScopeOf(const ConvertOptions& options) {
  return {options.objects, options.promised, MissingBelow::kOfRefs,
          options.keep_going};
}

// Returns an object of `base` that refs, HEAD and reflogs do not reach, if
// there is one. The walk that found `added` met `added.met`, and did not follow
// objects that are `complete`.
Result<std::optional<ObjectId>> FindUnreached(const BaseFile& base,
                                              const AddedObjects& added,
                                              const FileMarks& complete) {
  FileMarks starts = added.met;
  for (const FileRank rank : starts.indexes()) {
    starts[rank] = starts[rank] && complete[rank];
  }
  ZPACK_ASSIGN_OR_RETURN(const FileMarks reached, base.FindReached(starts));
  for (const FileRank rank : added.met.indexes()) {
    if (!added.met[rank] && !reached[rank]) return base.ids()[rank];
  }
  return std::nullopt;
}

// What EnumerateAddedObjects finds, and which objects of `base` were taken to
// be complete.
struct Added {
  AddedObjects objects;
  FileMarks complete;
};

Result<Added> FindAdded(ObjectSource& source, const RefsSnapshot& refs,
                        const BaseFile& base, const ConvertOptions& options) {
  const auto find = [&](ObjectSet objects) -> Result<Added> {
    Added added;
    ZPACK_ASSIGN_OR_RETURN(added.complete,
                           base.FindComplete(refs, objects, options.run.stop));
    ZPACK_ASSIGN_OR_RETURN(
        added.objects,
        EnumerateAddedObjects(source, refs, ScopeOf(options),
                              {base.ids(), added.complete}, options.run));
    return added;
  };
  ZPACK_ASSIGN_OR_RETURN(Added added, find(options.objects));
  if (options.objects == ObjectSet::kReachable) return added;
  ZPACK_ASSIGN_OR_RETURN(const bool whole,
                         base.HasAllBelow(added.objects.met, options.run.stop));
  // A tree that nothing reached before, and that lacks something, is needed
  // now.
  if (!whole) return find(ObjectSet::kReachable);
  return added;
}

// kSourceCorrupt, as without an older file, if refs need an object that `base`
// has and the source has lost. With KeepGoing::kYes, lists such objects as
// missed.
Status CheckKept(ObjectSource& source, const RefsSnapshot& refs,
                 const BaseFile& base, const ConvertOptions& options,
                 Added& found) {
  AddedObjects& added = found.objects;
  if (added.gone.empty()) return {};
  FileMarks starts = added.met;
  for (const FileRank rank : starts.indexes()) {
    starts[rank] = starts[rank] && found.complete[rank];
  }
  // In the older file, which is faster to read. Usually, no ref needs what is
  // gone any more.
  ZPACK_ASSIGN_OR_RETURN(const FileMarks reached, base.FindReached(starts));
  const auto is_needed = [&](const ObjectId& id) {
    const auto rank = base.ids().Find(id);
    return rank && reached[*rank];
  };
  if (std::ranges::none_of(added.gone, is_needed)) return {};
  // Other tips may lack what they need.
  ZPACK_ASSIGN_OR_RETURN(
      ObjectList list,
      EnumerateObjects(source, refs, ScopeOf(options), options.run));
  added.list.missed = std::move(list.missed);
  return {};
}

bool HasCommits(const ObjectList& list) {
  const auto& types = list.types.raw();
  return std::ranges::find(types, ObjectType::kCommit) != types.end();
}

// kExists if both have commits, and none of those of `base` is in the source.
Status CheckRelated(const ObjectSource& source, const BaseFile& base,
                    const AddedObjects& added) {
  ZPACK_ASSIGN_OR_RETURN(
      const CommonCommits found,
      FindCommonCommit(base.archive(), [&](const ObjectId& id) {
        return added.ids.Find(id).has_value();
      }));
  if (!found.any_commits || found.in_common || !HasCommits(added.list)) {
    return {};
  }
  return MakeError(ErrorCode::kExists,
                   "'{}' is the file of another repository: it shares no "
                   "commit with '{}'",
                   AtPath{base.path()}, AtPath{source.path()});
}

// Lists what `base` lacks. Everything that it has stays, whether the source has
// it or not. Errors are kInvalidArgument and kExists if the source and `base`
// do not fit together.
Status TakeOnto(ObjectSource& source, const RefsSnapshot& refs,
                std::unique_ptr<BaseFile> base, const ConvertOptions& options,
                Inventory& inventory) {
  if (base->object_format() != source.object_format()) {
    return MakeError(ErrorCode::kInvalidArgument,
                     "the object format of '{}' is {}, that of '{}' is {}",
                     AtPath{base->path()},
                     ObjectFormatName(base->object_format()), source.path(),
                     ObjectFormatName(source.object_format()));
  }
  ZPACK_ASSIGN_OR_RETURN(Added found,
                         BlameSource(FindAdded(source, refs, *base, options)));
  ZPACK_TRY(BlameSource(CheckKept(source, refs, *base, options, found)));
  AddedObjects& added = found.objects;
  // Nobody named the file.
  if (options.if_unchanged == IfUnchanged::kSkip) {
    ZPACK_TRY(CheckRelated(source, *base, added));
  }
  ZPACK_ASSIGN_OR_RETURN(
      const OlderVersions older,
      FindOlderVersions(source, added.list, base->ids(), options.run.stop));
  ZPACK_ASSIGN_OR_RETURN(inventory.far,
                         base->FindBases(older, options.run.stop));
  inventory.list = std::move(added.list);
  ZPACK_ASSIGN_OR_RETURN(inventory.ids,
                         ObjectIdTable::Merge(source.object_format(),
                                              {base->ids().unranked(),
                                               inventory.list.ids.unranked()}));
  inventory.base = std::move(base);
  return {};
}

// Returns why `base` cannot be reused, if it cannot; otherwise fills
// `inventory` from it. Sets `base_unrelated` if `base` has commits and the
// source has none of them.
Result<std::string> TryBase(ObjectSource& source, const RefsSnapshot& refs,
                            const BaseFile& base, const ConvertOptions& options,
                            Inventory& inventory) {
  const auto set_unrelated =
      [&](const std::function<bool(const ObjectId&)>& in_source) -> Status {
    ZPACK_ASSIGN_OR_RETURN(const CommonCommits found,
                           FindCommonCommit(base.archive(), in_source));
    inventory.base_unrelated = found.any_commits && !found.in_common;
    return {};
  };
  if (base.object_format() != source.object_format()) {
    ZPACK_TRY(set_unrelated([](const ObjectId&) { return false; }));
    return FormatMessage("its object format is {}, that of '{}' is {}",
                         ObjectFormatName(base.object_format()), source.path(),
                         ObjectFormatName(source.object_format()));
  }
  ZPACK_ASSIGN_OR_RETURN(Added found, FindAdded(source, refs, base, options));
  auto& [added, complete] = found;
  if (!added.gone.empty()) {
    ZPACK_TRY(set_unrelated(
        [&](const ObjectId& id) { return added.ids.Find(id).has_value(); }));
    return FormatMessage("it has objects that '{}' does not have, such as {}",
                         source.path(), added.gone.front().ToHex());
  }
  if (options.objects == ObjectSet::kReachable) {
    ZPACK_ASSIGN_OR_RETURN(const std::optional<ObjectId> unreached,
                           FindUnreached(base, added, complete));
    if (unreached) {
      return FormatMessage("it has objects that are not reachable, such as {}",
                           unreached->ToHex());
    }
  }
  ZPACK_ASSIGN_OR_RETURN(
      const OlderVersions older,
      FindOlderVersions(source, added.list, base.ids(), options.run.stop));
  ZPACK_ASSIGN_OR_RETURN(inventory.far,
                         base.FindBases(older, options.run.stop));
  inventory.list = std::move(added.list);
  inventory.ids = std::move(added.ids);
  return std::string();
}

// Lists the objects of `source` without an older archive.
Status TakeAll(ObjectSource& source, const RefsSnapshot& refs,
               const ConvertOptions& options, Inventory& inventory) {
  ZPACK_ASSIGN_OR_RETURN(inventory.list,
                         BlameSource(EnumerateObjects(
                             source, refs, ScopeOf(options), options.run)));
  inventory.ids = inventory.list.ids.unranked();
  return {};
}

Status TakeWithBase(ObjectSource& source, const RefsSnapshot& refs,
                    std::unique_ptr<BaseFile> base,
                    const ConvertOptions& options, Inventory& inventory) {
  ZPACK_ASSIGN_OR_RETURN(
      inventory.base_unused,
      BlameSource(TryBase(source, refs, *base, options, inventory)));
  if (inventory.base_unused.empty()) {
    inventory.base = std::move(base);
    return {};
  }
  inventory.unused = std::move(base);
  ZPACK_TRY(TakeAll(source, refs, options, inventory));
  if (!HasCommits(inventory.list)) inventory.base_unrelated = false;
  // Another object format says more.
  if (inventory.base_unrelated &&
      inventory.unused->object_format() == source.object_format()) {
    inventory.base_unused = FormatMessage(
        "it is the file of another repository: it shares no commit with '{}'",
        source.path());
  }
  return {};
}

// Lists what is lost: missing objects that refs need, and all damaged objects
// that would be stored if they were sound.
void NoteLost(const DamagedObjects& damaged, ObjectSet objects,
              Inventory& inventory) {
  std::map<ObjectId, SourceLoss> losses;
  for (const auto& [id, reason] : damaged) {
    if (objects == ObjectSet::kAll) losses[id] = {{id, {}}, "", reason};
  }
  for (MissedObject& missed : inventory.list.missed) {
    const auto reason = damaged.find(missed.object.id);
    if (!missed.required && reason == damaged.end()) continue;
    losses[missed.object.id] = {
        missed.object, std::move(missed.needed_by),
        reason == damaged.end() ? std::string() : reason->second};
  }
  Bytes ids;
  for (auto& [id, loss] : losses) {
    // No object can have it, so the list cannot, either.
    if (id.is_null()) continue;
    Append(ids, id.bytes());
    inventory.lost.types.push_back(loss.object.type);
    inventory.losses.push_back(std::move(loss));
  }
  inventory.lost.ids =
      *ObjectIdTable::FromSorted(inventory.ids.format(), std::move(ids));
}

}  // namespace

Result<Inventory> TakeInventory(ObjectSource& source, const RefsSnapshot& refs,
                                const DamagedObjects& damaged,
                                FileSystem& file_system,
                                const ConvertOptions& options) {
  Inventory inventory;
  const auto& older = options.onto ? options.onto : options.base;
  if (older) {
    ZPACK_ASSIGN_OR_RETURN(auto file, file_system.OpenForRead(*older));
    ZPACK_ASSIGN_OR_RETURN(
        auto base, BaseFile::Open(std::move(file),
                                  ReadOptions{.derivation = options.run,
                                              .backing = options.backing}));
    ZPACK_TRY(
        options.onto
            ? TakeOnto(source, refs, std::move(base), options, inventory)
            : TakeWithBase(source, refs, std::move(base), options, inventory));
  } else {
    ZPACK_TRY(TakeAll(source, refs, options, inventory));
  }
  inventory.promises.ids = inventory.list.promised;
  if (!inventory.promises.empty()) {
    ZPACK_ASSIGN_OR_RETURN(PromisorRemotes remotes,
                           source.ReadPromisorRemotes());
    inventory.promises.remotes = std::move(remotes.remotes);
    inventory.left_out = std::move(remotes.left_out);
  }
  if (options.keep_going == KeepGoing::kYes) {
    NoteLost(damaged, options.objects, inventory);
  }
  return inventory;
}

}  // namespace zpack
