// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "convert/convert_inventory.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "inventory/object_enumerator.h"

namespace zpack {
namespace {

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

// Fills `inventory` from the older archive, or sets `base_unused` to the reason
// why that is not possible.
Status TryBase(ObjectSource& source, const RefsSnapshot& refs,
               std::unique_ptr<BaseFile> base, const ConvertOptions& options,
               Inventory& inventory) {
  if (base->object_format() != source.object_format()) {
    inventory.base_unused =
        FormatMessage("its object format is {}, that of '{}' is {}",
                      ObjectFormatName(base->object_format()), source.path(),
                      ObjectFormatName(source.object_format()));
    inventory.base_unrelated = base->ids().size() != 0;
    return {};
  }
  ZPACK_ASSIGN_OR_RETURN(FileMarks complete, base->FindComplete(refs));
  ZPACK_ASSIGN_OR_RETURN(
      AddedObjects added,
      EnumerateAddedObjects(source, refs, {options.objects, options.promised},
                            {base->ids(), complete}, options.run));
  // If both had a ref in common, they would have an object in common.
  inventory.base_unrelated =
      !added.gone.empty() && added.gone.size() == base->ids().size();
  if (inventory.base_unrelated) {
    inventory.base_unused = FormatMessage(
        "it shares no ref and no object with '{}'", source.path());
    return {};
  }
  if (!added.gone.empty()) {
    inventory.gone = std::move(added.gone);
    inventory.base_unused =
        FormatMessage("it has objects that '{}' does not have, such as {}",
                      source.path(), inventory.gone.front().ToHex());
    return {};
  }
  if (options.objects == ObjectSet::kReachable) {
    ZPACK_ASSIGN_OR_RETURN(const std::optional<ObjectId> unreached,
                           FindUnreached(*base, added, complete));
    if (unreached) {
      inventory.base_unused =
          FormatMessage("it has objects that are not reachable, such as {}",
                        unreached->ToHex());
      return {};
    }
  }
  inventory.base = std::move(base);
  inventory.list = std::move(added.list);
  inventory.ids = std::move(added.ids);
  return {};
}

}  // namespace

Result<Inventory> TakeInventory(ObjectSource& source, const RefsSnapshot& refs,
                                FileSystem& file_system,
                                const ConvertOptions& options) {
  Inventory inventory;
  if (options.base) {
    ZPACK_ASSIGN_OR_RETURN(auto file, file_system.OpenForRead(*options.base));
    ZPACK_ASSIGN_OR_RETURN(auto base, BaseFile::Open(std::move(file)));
    ZPACK_TRY(BlameSource(
        TryBase(source, refs, std::move(base), options, inventory)));
  }
  if (inventory.base == nullptr) {
    ZPACK_ASSIGN_OR_RETURN(
        inventory.list,
        BlameSource(EnumerateObjects(
            source, refs, {options.objects, options.promised}, options.run)));
    inventory.ids = inventory.list.ids.unranked();
  }
  inventory.promises.ids = inventory.list.promised;
  if (!inventory.promises.empty()) {
    ZPACK_ASSIGN_OR_RETURN(PromisorRemotes remotes,
                           source.ReadPromisorRemotes());
    inventory.promises.remotes = std::move(remotes.remotes);
    inventory.left_out = std::move(remotes.left_out);
  }
  return inventory;
}

}  // namespace zpack
