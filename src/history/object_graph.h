// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The links between the objects of a file, by number, for walks through its
// history. Thread-compatible.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/index_spaces.h"
#include "base/lru_cache.h"
#include "format/commit_columns.h"
#include "history/object_marks.h"
#include "reader/archive_file.h"
#include "reader/block_cache.h"
#include "reader/block_decoder.h"
#include "reader/blocks_ahead.h"
#include "zpack/result.h"

namespace zpack {

class ObjectGraph {
 public:
  struct Commit {
    uint64_t time = 0;  // of the committer
    // Empty for a shallow commit. Valid as long as the graph.
    std::span<const LinkNumber> parents;
  };
  struct Tag {
    ObjectNumber target;
    ObjectType type = ObjectType::kCommit;
    std::string name;
  };
  // An entry of a tree.
  struct Link {
    ObjectNumber child;
    uint32_t name_size = 0;
    ObjectType type = ObjectType::kBlob;  // as the mode of the entry says
  };
  // Links of trees, one after the other, and their names.
  struct Links {
    std::vector<Link> links;
    std::string names;
  };

  // `archive` must outlive the graph.
  explicit ObjectGraph(const ArchiveFile& archive);

  // Number of the empty tree if it is not in the file. All objects in the file
  // have smaller numbers.
  ObjectNumber empty_tree() const { return archive_.empty_tree(); }
  // Returns the number of an object. Returns kNotFound, saying that `by` needs
  // the object, if it is missing.
  Result<ObjectNumber> Find(const ObjectId& id, std::string_view by) const;
  ObjectId id(ObjectNumber number) const {
    return number == empty_tree() ? archive_.empty_tree_id()
                                  : archive_.ids()[archive_.rank(number)];
  }
  // Prefetch the memory that `id` will read. PrefetchId reads the memory that
  // PrefetchRank has prefetched.
  void PrefetchRank(ObjectNumber number) const {
    if (number == empty_tree()) return;
    __builtin_prefetch(&archive_.blocks().index().ranks[number]);
  }
  void PrefetchId(ObjectNumber number) const {
    if (number == empty_tree()) return;
    archive_.ids().Prefetch(archive_.rank(number));
  }
  // Whether the archive deliberately lacks the parents of a commit.
  bool is_shallow(ObjectNumber commit) const {
    return shallow_.contains(commit);
  }
  // The type that the block of the object states.
  Result<ObjectType> Type(ObjectNumber number);
  // Returns "commit 1234..." for messages.
  std::string Describe(ObjectNumber number);

  // Errors of the functions below: kCorrupt if `number` has another type or a
  // content that Git could not read, and the errors of decoding its block.

  Result<Commit> ReadCommit(ObjectNumber number);
  // Returns the number of a parent from ReadCommit, which is an object of the
  // file. Returns kNotFound if the parent is missing.
  Result<ObjectNumber> ReadParent(ObjectNumber commit, LinkNumber parent);
  // All parents. Returns kNotFound if one is missing.
  Result<std::vector<ObjectNumber>> ReadParents(ObjectNumber commit);
  // Returns kNotFound if the tree is missing.
  Result<ObjectNumber> ReadRootTree(ObjectNumber commit);
  // Returns kNotFound if the target is missing.
  Result<Tag> ReadTag(ObjectNumber number);
  // The object that a tag leads to over all others; any other object itself.
  Result<ObjectNumber> PeelTags(ObjectNumber number);
  // Appends the links of a tree in its order. Leaves out submodules, and
  // objects that `marks` shows as seen with the type of the entry. Returns
  // kNotFound if an object is missing, and kLimitExceeded if `links` grow too
  // large.
  Status ReadTree(ObjectNumber number, const ObjectMarks& marks, Links& links);

  // Calls `read`, which reads through this object. Meanwhile another thread
  // decodes the blocks that come next, unless `threads`, as in LogOptions, is
  // one. Returns what `read` returns.
  Status ReadAhead(unsigned threads, const std::function<Status()>& read);

 private:
  using BlockPtr = std::shared_ptr<const DecodedBlock>;

  class TreeReader;

  struct ReadTreeContent {
    ObjectNumber number;
    Bytes content;
  };
  struct CommitRow {
    const format::CommitTable& table;
    size_t index;
  };

  // Returns a block from the cache, or decodes it and adds it to the cache.
  Result<BlockPtr> Block(size_t block, BlocksAhead::Onwards onwards =
                                           BlocksAhead::Onwards::kInOrder);
  Result<const format::CommitTable*> Commits(ObjectNumber number);
  // Returns the place of a commit in the table of its block. Returns kCorrupt
  // if the commit has no tree.
  Result<CommitRow> Row(ObjectNumber commit);
  // Parses the contents of the commits in a block.
  Result<format::CommitTable> ParseCommits(size_t block);
  // Returns the link for `id`. An id that is not among the first `object_end`
  // objects is appended to `outside_ids`.
  LinkNumber NumberOf(const ObjectId& id, uint32_t object_end,
                      Bytes& outside_ids) const;
  // Returns the object number of a link. Returns kNotFound, saying that `by`
  // needs the object, if it is missing.
  Result<ObjectNumber> Resolve(LinkNumber link,
                               const format::LinkDecoder& links,
                               ObjectNumber by);
  // What links to the first `object_end` objects, and to these outside ids,
  // refer to.
  format::LinkDecoder LinksOf(uint32_t object_end, ByteView outside_ids) const {
    return {object_end, archive_.header().object_format, outside_ids};
  }
  format::LinkDecoder LinksOf(const format::CommitTable& table) const {
    return table.links(archive_.header().object_format);
  }
  Status ExpectType(ObjectNumber number, ObjectType type);
  // Returns the content of an object. It is valid as long as `block` and
  // `buffer`.
  Result<ByteView> Content(ObjectNumber number, BlockPtr& block, Bytes& buffer);
  // Returns the content of a tag; if the tag is stored in segments, only the
  // first.
  Result<ByteView> TagContent(ObjectNumber number, BlockPtr& block,
                              Bytes& buffer);

  // The last of the far bases that `base` is rebuilt from. Gives their blocks
  // to the reader of far bases.
  Result<ObjectNumber> FarRootOf(const format::FarBase& base);
  // ReadTree for a tree in a block of far deltas.
  Status ReadFarTree(const DecodedBlock& block, ObjectNumber number,
                     const ObjectMarks& marks, TreeReader& reader);

  const ArchiveFile& archive_;
  std::unordered_set<ObjectNumber> shallow_;
  BlockDecoder decoder_;
  // By block, once known.
  std::vector<std::optional<ObjectType>> types_;
  std::vector<std::unique_ptr<const format::CommitTable>> commits_;
  BlockCache blocks_;
  // Set while ReadAhead runs.
  std::function<void(size_t block, BlocksAhead::Onwards)> asks_;
  std::unordered_map<ObjectNumber, ObjectNumber> far_roots_;  // as FarRootOf
  // Trees from blocks of far deltas, by their numbers and those of some bases:
  // the next tree that is read often has one of these numbers, and most of its
  // entries are the same.
  LruCache<ObjectNumber, ReadTreeContent> far_trees_;
};

}  // namespace zpack
