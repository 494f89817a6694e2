// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A repository in memory, for tests that need no libgit2. Reading may happen
// from several threads; adding may not.

#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "object/object_source.h"

namespace zpack::testing {

class MemorySource {
 public:
  // Adds an object and returns its id.
  ObjectId Add(ObjectType type, std::string_view content);
  // Adds an object under a name that is not its own.
  void AddAs(const ObjectId& id, ObjectType type, std::string_view content);
  void Remove(const ObjectId& id) { objects_.erase(id); }

  ObjectId AddBlob(std::string_view content) {
    return Add(ObjectType::kBlob, content);
  }
  struct Entry {
    std::string mode;
    std::string name;
    ObjectId id;
  };
  ObjectId AddTree(const std::vector<Entry>& entries);
  ObjectId AddCommit(const ObjectId& tree, const std::vector<ObjectId>& parents,
                     uint64_t time, std::string_view message);
  ObjectId AddTag(const ObjectId& target, ObjectType type,
                  std::string_view name);

  // A ref in its place among `refs`.
  void AddRef(Ref ref);

  // Opens a view of this repository as it is at every later call.
  std::unique_ptr<ObjectSource> Open();

  RefsSnapshot refs;
  std::vector<ObjectId> other_tips;  // a group that is called 'tips'
  TipRule other_rule = TipRule::kLogged;
  bool partial_clone = false;
  // If there are any, they promise what objects link to, except `own`.
  std::vector<PromisorRemote> promisor_remotes;
  std::set<ObjectId> own;
  // Contents of RepositoryFiles by name.
  std::map<std::string, std::string> files;

  struct Object {
    ObjectType type;
    std::string content;
  };
  const std::map<ObjectId, Object>& objects() const { return objects_; }

 private:
  std::map<ObjectId, Object> objects_;
};

// A history of `commits` commits that edit a few files, with nested
// directories, a tag and two branches. Deterministic.
MemorySource SampleHistory(int commits);

// A history of `commits` commits that edit two of 60 files, which are in the
// root tree and in a directory, so that trees are long. Deterministic; the
// first commits are the same for each number.
MemorySource WideHistory(int commits);

// The same history as SampleHistory(4) without most of its blobs, which the
// remote 'origin' promises.
MemorySource SamplePartialClone();

// Versions of a text, large enough that all but the first are stored as deltas
// of several copies: with insertions, with parts moved, with one repeated.
std::vector<std::string> SampleVersions();

// A file of each group, by name, with its content.
std::map<std::string, std::string> SampleFiles();

}  // namespace zpack::testing
