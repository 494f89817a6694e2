// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The commits of an archive as one client sees them: without the parents of the
// commits at which the client's history ends. Thread-compatible.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

#include "base/index_spaces.h"
#include "history/object_graph.h"
#include "reader/archive_file.h"
#include "zpack/result.h"

namespace zpack {

class History {
 public:
  // Loads the index of `archive`, which must outlive this object.
  static Result<std::unique_ptr<History>> Open(const ArchiveFile& archive);

  ObjectGraph& graph() { return graph_; }
  const ArchiveFile& archive() const { return archive_; }
  // The number of objects, with the empty tree.
  uint32_t object_count() const { return archive_.ids().size() + 1; }

  ObjectId id(ObjectNumber number) const { return graph_.id(number); }
  // The number of an object; nullopt if it is not in the archive. The empty
  // tree always has one.
  std::optional<ObjectNumber> Find(const ObjectId& id) const;

  Result<bool> IsCommit(ObjectNumber number);

  // The parents of a commit; none if history ends at the commit. Valid until
  // the next call.
  Result<const std::vector<ObjectNumber>*> Parents(ObjectNumber commit);
  // The parents that the commit itself names.
  Result<const std::vector<ObjectNumber>*> TrueParents(ObjectNumber commit);
  // The time of the committer, in seconds since 1970.
  Result<uint64_t> Time(ObjectNumber commit);

  // Lets history end at `commit`.
  void EndAt(ObjectNumber commit) { ends_.insert(commit); }
  // Whether the archive itself lacks the parents of `commit`.
  bool EndsInArchive(ObjectNumber commit) const {
    return graph_.is_shallow(commit);
  }
  // Forgets the commits that EndAt was called for.
  void ForgetEnds() { ends_.clear(); }
  // Whether history ends somewhere before its beginning.
  bool ends_early() const { return !ends_.empty() || archive_is_shallow(); }
  bool archive_is_shallow() const { return !archive_.refs().shallow.empty(); }

 private:
  explicit History(const ArchiveFile& archive);

  const ArchiveFile& archive_;
  ObjectGraph graph_;
  std::unordered_set<ObjectNumber> ends_;
  std::vector<ObjectNumber> parents_;
};

}  // namespace zpack
