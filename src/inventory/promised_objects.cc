// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "inventory/promised_objects.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "object/object_links.h"

namespace zpack {
namespace {

// Objects read at a time by one thread.
constexpr uint64_t kPromisorGrain = 256;

// The objects of `list` among `ids` that may have links, in the order of the
// walk, in which similar trees follow each other.
std::vector<ListRank> Linking(const ObjectList& list,
                              const ObjectIdTable& ids) {
  std::vector<ListRank> ranks;
  for (uint32_t i = 0; i < ids.size(); ++i) {
    const auto rank = list.ids.Find(ids[i]);
    if (rank && list.types[*rank] != ObjectType::kBlob) ranks.push_back(*rank);
  }
  std::ranges::sort(ranks, [&](ListRank a, ListRank b) {
    return std::pair(list.visits[a], a) < std::pair(list.visits[b], b);
  });
  return ranks;
}

// Collects the links of objects that lead to one of the `missing`.
class PromiseFinder {
 public:
  explicit PromiseFinder(const ObjectIdTable& missing)
      : missing_(missing), found_(missing.size()) {}

  // As in Git, unlike AppendLinks, follows the links of submodules too.
  void Follow(ObjectType type, ByteView content) {
    const ObjectFormat format = missing_.format();
    if (type == ObjectType::kCommit) {
      const CommitLinks links = ParseCommitLinks(content, format);
      Note(links.tree);
      for (const ObjectId& parent : links.parents) Note(parent);
    } else if (type == ObjectType::kTag) {
      Note(ParseTagTarget(content, format));
    } else if (type == ObjectType::kTree) {
      TreeIterator entries(content, format);
      TreeEntry entry;
      while (entries.Next(entry)) Note(ObjectId(entry.id));
    }
  }

  // Adds what was found to `all`.
  void AddTo(std::vector<bool>& all) const {
    for (size_t i = 0; i < all.size(); ++i) all[i] = all[i] || found_[i];
  }

 private:
  void Note(const ObjectId& id) {
    if (id.empty()) return;
    if (const auto rank = missing_.Find(id)) found_[*rank] = true;
  }

  const ObjectIdTable& missing_;
  std::vector<bool> found_;
};

Result<ObjectIdTable> TableOf(ObjectFormat format,
                              const std::set<ObjectId>& ids) {
  Bytes bytes;
  for (const ObjectId& id : ids) Append(bytes, id.bytes());
  return ObjectIdTable::FromUnsorted(format, std::move(bytes));
}

}  // namespace

Result<ObjectIdTable> FindPromised(ObjectSource& source, const ObjectList& list,
                                   const std::set<ObjectId>& missing,
                                   const RunOptions& run) {
  const ObjectFormat format = list.ids.format();
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable wanted, TableOf(format, missing));
  ZPACK_ASSIGN_OR_RETURN(const ObjectIdTable promisors,
                         source.ListPromisorObjects());
  const std::vector<ListRank> ranks = Linking(list, promisors);
  std::vector<bool> found(wanted.size());
  std::mutex mutex;
  const Status read = ParallelFor(
      ResolveThreads(run.threads), run.stop, ranks.size(), kPromisorGrain,
      [&](uint64_t begin, uint64_t end) -> Status {
        PromiseFinder finder(wanted);
        Bytes content;
        for (uint64_t i = begin; i < end; ++i) {
          const ObjectId id = list.ids[ranks[i]];
          // A blob that the walk did not read may be large.
          if (list.types[ranks[i]] == ObjectList::kUnknownType) {
            ZPACK_ASSIGN_OR_RETURN(const ObjectInfo info, source.ReadInfo(id));
            if (info.type == ObjectType::kBlob) continue;
          }
          ZPACK_ASSIGN_OR_RETURN(const ObjectType type,
                                 source.Read(id, content));
          finder.Follow(type, content);
        }
        const std::scoped_lock lock(mutex);
        finder.AddTo(found);
        return {};
      });
  ZPACK_TRY(read);
  Bytes ids;
  for (uint32_t rank = 0; rank < wanted.size(); ++rank) {
    if (found[rank]) Append(ids, wanted[rank].bytes());
  }
  return ObjectIdTable::FromSorted(format, std::move(ids));
}

}  // namespace zpack
