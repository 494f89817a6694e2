// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "report/stored_objects.h"

#include <optional>

#include "base/error.h"
#include "report/stored_shares.h"

namespace zpack {
namespace {

// Adds up the chains of deltas. `bases` has the base of each delta.
void FollowChains(const IndexedVector<ListRank, ListRank>& bases,
                  StoredObjects& stored) {
  IndexedVector<ListRank, bool> done(stored.size());
  std::vector<ListRank> chain;
  for (const ListRank start : stored.indexes()) {
    chain.clear();
    ListRank at = start;
    // A damaged pack may have a cycle, which has at most as many objects.
    while (!done[at] && !stored[at].whole && chain.size() < stored.size()) {
      chain.push_back(at);
      at = bases[at];
    }
    if (!done[at]) {
      stored[at].read_cost = stored[at].bytes;
      done[at] = true;
    }
    while (!chain.empty()) {
      const ListRank next = chain.back();
      chain.pop_back();
      if (!done[next]) {
        stored[next].chain = stored[at].chain + 1;
        stored[next].read_cost = stored[at].read_cost + stored[next].bytes;
        done[next] = true;
      }
      at = next;
    }
  }
}

}  // namespace

StoredObjects MeasurePacked(
    ObjectSource& source, const ObjectList& list,
    const std::unordered_map<ObjectId, uint64_t>& loose) {
  StoredObjects stored(list.ids.size());
  IndexedVector<ListRank, ListRank> bases(list.ids.size());
  for (const ListRank rank : list.ids.ranks()) {
    const ObjectId id = list.ids[rank];
    if (const auto form = source.FindPacked(id)) {
      stored[rank].bytes = form->size;
      if (form->base.empty()) continue;
      if (const auto base = list.ids.Find(form->base)) {
        stored[rank].whole = false;
        bases[rank] = *base;
      }
    } else if (const auto file = loose.find(id); file != loose.end()) {
      stored[rank].bytes = file->second;
    }
  }
  FollowChains(bases, stored);
  return stored;
}

StoredObjects MeasureArchived(const ArchiveFile& archive,
                              const ObjectList& list,
                              const StatisticsCollector& collector) {
  StoredObjects stored(list.ids.size());
  // A list of all objects of a file has the ranks of the file.
  collector.VisitBlobs([&](const StatisticsCollector::Blob& blob,
                           uint64_t block_data) {
    StoredObject& object = stored[ListRank(archive.rank(blob.number).value())];
    object = {blob.stored_bytes, block_data, blob.chain_length,
              blob.chain_length == 0};
  });
  const auto by_type = collector.StoredByType();
  for (const ObjectType type : kAllObjectTypes) {
    if (type == ObjectType::kBlob) continue;
    uint64_t sizes = 0;
    size_t count = 0;
    for (const ListRank rank : list.ids.ranks()) {
      if (list.types[rank] != type) continue;
      sizes += list.sizes[rank];
      ++count;
    }
    StoredShares shares(by_type[static_cast<size_t>(type) - 1], sizes, count);
    for (const ListRank rank : list.ids.ranks()) {
      if (list.types[rank] == type) {
        stored[rank].bytes = shares.Next(list.sizes[rank]);
      }
    }
  }
  return stored;
}

}  // namespace zpack
