// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// What the objects of a file name, by number, for walks through its history.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/index_spaces.h"
#include "base/lru_cache.h"
#include "reader/archive_file.h"
#include "reader/block_decoder.h"
#include "reader/commit_columns.h"
#include "reader/object_marks.h"
#include "zpack/result.h"

namespace zpack {

class ObjectGraph {
 public:
  struct Commit {
    uint64_t time = 0;  // of the committer
    // None where the file is shallow. They live as long as the graph.
    std::span<const LinkNumber> parents;
  };
  struct Tag {
    ObjectNumber target;
    ObjectType type = ObjectType::kCommit;
    std::string name;
  };
  // What a tree has under a name.
  struct Link {
    ObjectNumber child;
    uint32_t name_size = 0;
    ObjectType type = ObjectType::kBlob;  // as its mode has it
  };
  // Links of trees one after the other, and their names.
  struct Links {
    std::vector<Link> links;
    std::string names;
  };

  // `archive` outlives the graph.
  explicit ObjectGraph(const ArchiveFile& archive);

  // Git knows the empty tree without storing it. Its number, where it is not
  // in the file, is the object count; all other numbers are below.
  ObjectNumber empty_tree() const {
    return ObjectNumber(archive_.ids().size());
  }
  // The number of an object; kNotFound, saying that `by` needs it.
  Result<ObjectNumber> Find(const ObjectId& id, std::string_view by) const;
  ObjectId id(ObjectNumber number) const {
    return number == empty_tree() ? empty_tree_id_
                                  : archive_.ids()[archive_.rank(number)];
  }
  // As its block has it.
  Result<ObjectType> Type(ObjectNumber number);
  // "commit 1234...", for messages.
  std::string Describe(ObjectNumber number);

  // Errors of all below: kCorrupt when `number` is an object of another type or
  // something that Git could not read; those of decoding its block.

  Result<Commit> ReadCommit(ObjectNumber number);
  // A parent as ReadCommit gives it; kNotFound when it is missing.
  Result<ObjectNumber> ReadParent(ObjectNumber commit, LinkNumber parent);
  // kNotFound when the tree is missing.
  Result<ObjectNumber> ReadRootTree(ObjectNumber commit);
  // kNotFound when the target is missing.
  Result<Tag> ReadTag(ObjectNumber number);
  // Appends what a tree names, in its order, but submodules and, where that is
  // known, what was seen. kNotFound for an object that is missing;
  // kLimitExceeded when `links` grow too large.
  Status ReadTree(ObjectNumber number, const ObjectMarks& marks, Links& links);

 private:
  using BlockPtr = std::shared_ptr<const DecodedBlock>;

  class TreeReader;

  // From the cache, or decoded and put there.
  Result<BlockPtr> Block(size_t block);
  Result<const CommitTable*> Commits(ObjectNumber number);
  // From the whole contents of the commits in a block.
  Result<CommitTable> ParseCommits(size_t block);
  // What a block with these `outside_ids` calls it.
  LinkNumber NumberOf(const ObjectId& id, Bytes& outside_ids) const;
  // The number of what is called so; kNotFound, saying that `by`
  // needs it.
  Result<ObjectNumber> Resolve(LinkNumber link, ByteView outside_ids,
                               ObjectNumber by);
  Status ExpectType(ObjectNumber number, ObjectType type);
  // The content of an object, which lives as long as `block` and `buffer`.
  Result<ByteView> Content(ObjectNumber number, BlockPtr& block, Bytes& buffer);
  // The same of a tag, of one in segments only the first.
  Result<ByteView> TagContent(ObjectNumber number, BlockPtr& block,
                              Bytes& buffer);

  const ArchiveFile& archive_;
  ObjectId empty_tree_id_;
  std::unordered_set<ObjectNumber> shallow_;
  BlockDecoder decoder_;
  // By block, once they are known.
  std::vector<std::optional<ObjectType>> types_;
  std::vector<std::unique_ptr<const CommitTable>> commits_;
  LruCache<size_t, DecodedBlock> blocks_;
};

}  // namespace zpack
