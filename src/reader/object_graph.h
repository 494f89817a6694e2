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
    std::span<const uint32_t> parents;
  };
  struct Tag {
    uint32_t target = 0;
    ObjectType type = ObjectType::kCommit;
    std::string name;
  };
  // What a tree has under a name.
  struct Link {
    uint32_t child = 0;
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
  uint32_t empty_tree() const { return archive_.ids().size(); }
  // The number of an object; kNotFound, saying that `by` needs it.
  Result<uint32_t> Find(const ObjectId& id, std::string_view by) const;
  ObjectId id(uint32_t number) const {
    return number == empty_tree() ? empty_tree_id_
                                  : archive_.ids()[archive_.rank(number)];
  }
  // As its block has it.
  Result<ObjectType> Type(uint32_t number);
  // "commit 1234...", for messages.
  std::string Describe(uint32_t number);

  // Errors of all below: kCorrupt when `number` is an object of another type or
  // something that Git could not read; those of decoding its block.

  Result<Commit> ReadCommit(uint32_t number);
  // A parent as ReadCommit gives it; kNotFound when it is missing.
  Result<uint32_t> ReadParent(uint32_t commit, uint32_t parent);
  // kNotFound when the tree is missing.
  Result<uint32_t> ReadRootTree(uint32_t commit);
  // kNotFound when the target is missing.
  Result<Tag> ReadTag(uint32_t number);
  // Appends what a tree names, in its order, but submodules and, where that is
  // known, what was seen. kNotFound for an object that is missing;
  // kLimitExceeded when `links` grow too large.
  Status ReadTree(uint32_t number, const ObjectMarks& marks, Links& links);

 private:
  using BlockPtr = std::shared_ptr<const DecodedBlock>;

  class TreeReader;

  // From the cache, or decoded and put there.
  Result<BlockPtr> Block(size_t block);
  Result<const CommitTable*> Commits(uint32_t number);
  // From the whole contents of the commits in a block.
  Result<CommitTable> ParseCommits(size_t block);
  // The number, or from the object count on, a place in `outside_ids`.
  uint32_t NumberOf(const ObjectId& id, Bytes& outside_ids) const;
  // Turns such a number into one of this graph; kNotFound, saying that `by`
  // needs it.
  Result<uint32_t> Resolve(uint32_t number, ByteView outside_ids, uint32_t by);
  Status ExpectType(uint32_t number, ObjectType type);
  // The content of an object, which lives as long as `block` and `buffer`.
  Result<ByteView> Content(uint32_t number, BlockPtr& block, Bytes& buffer);
  // The same of a tag, of one in segments only the first.
  Result<ByteView> TagContent(uint32_t number, BlockPtr& block, Bytes& buffer);

  const ArchiveFile& archive_;
  ObjectId empty_tree_id_;
  std::unordered_set<uint32_t> shallow_;
  BlockDecoder decoder_;
  // By block, once they are known.
  std::vector<std::optional<ObjectType>> types_;
  std::vector<std::unique_ptr<const CommitTable>> commits_;
  LruCache<size_t, DecodedBlock> blocks_;
};

}  // namespace zpack
