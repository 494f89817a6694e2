// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Every kind of root that keeps objects of a repository alive.
// Thread-compatible.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "support/missing_objects_fixture.h"

namespace zpack::testing {

inline const std::vector<std::string> kOfCommit = {"commit", "tree", "subtree",
                                                   "blob", "parent"};
inline const std::vector<std::string> kOfTag = {"tag",     "commit", "tree",
                                                "subtree", "blob",   "parent"};
inline const std::vector<std::string> kOfTree = {"tree", "subtree", "blob"};

inline std::string ReflogLine(const std::string& before,
                              const std::string& after) {
  return before + ' ' + after +
         " A U Thor <author@example.com> 1700000000 +0000\tmessage\n";
}

class MissingRootsFixture : public MissingObjectsFixture {
 protected:
  Root ReflogRoot(const std::string& name, const std::string& id,
                  const std::vector<std::string>& parts) const {
    return {{{name, ReflogLine(FakeId('0'), id) + ReflogLine(id, base_)}},
            parts,
            name};
  }

  Roots Refs() const;
  Roots Worktrees() const;
  Roots Reflogs() const;
  Roots Indexes() const;
  Roots States() const;
  Roots Boundaries() const;
};

inline auto MissingRootsFixture::Refs() const -> Roots {
  const std::string commit = chain_.commit + '\n';
  const std::string packed = "# pack-refs with: peeled fully-peeled sorted \n" +
                             chain_.tag + " refs/tags/t\n^" + commit;
  Roots roots = {
      {"packed tag", {{{"packed-refs", packed}}, kOfTag, "refs/tags/t"}},
      {"detached HEAD", {{{"HEAD", commit}}, kOfCommit, "HEAD"}},
      {"symbolic ref",
       {{{"refs/heads/r", commit}, {"refs/heads/s", "ref: refs/heads/r\n"}},
        kOfCommit,
        "refs/heads/r"}},
      {"tag of a tree",
       {{{"refs/tags/t", chain_.tree + '\n'}}, kOfTree, "refs/tags/t"}},
      {"tag of a blob",
       {{{"refs/tags/t", chain_.blob + '\n'}}, {"blob"}, "refs/tags/t"}}};
  for (const char* name :
       {"refs/heads/r", "refs/remotes/origin/r", "refs/stash", "refs/notes/n",
        "refs/bisect/bad", "refs/worktree/x", "refs/rewritten/x"}) {
    roots[name] = {{{name, commit}}, kOfCommit, name};
  }
  roots["replacement"] = {
      {{"refs/replace/" + base_, commit}}, kOfCommit, "refs/replace/" + base_};
  return roots;
}

inline auto MissingRootsFixture::Worktrees() const -> Roots {
  const std::string commit = chain_.commit + '\n';
  const std::string linked = "worktrees/linked/";
  Roots roots;
  for (const char* name :
       {"HEAD", "refs/bisect/bad", "refs/worktree/x", "refs/rewritten/x"}) {
    roots[name] = {{{linked + name, commit}}, kOfCommit, linked + name};
  }
  roots["tag"] = {{{linked + "refs/worktree/x", chain_.tag + '\n'}},
                  kOfTag,
                  linked + "refs/worktree/x"};
  // Git does not take it for a worktree.
  roots["worktree without a path"] = {
      {{"worktrees/other/HEAD", commit}}, kOfCommit, "worktrees/other/HEAD"};
  return roots;
}

inline auto MissingRootsFixture::Reflogs() const -> Roots {
  Roots roots;
  for (const char* name :
       {"logs/HEAD", "logs/refs/heads/main", "logs/refs/heads/deleted",
        "logs/refs/stash", "logs/refs/bisect/bad", "worktrees/linked/logs/HEAD",
        "worktrees/linked/logs/refs/worktree/x"}) {
    roots[name] = ReflogRoot(name, chain_.commit, kOfCommit);
  }
  roots["tag"] = ReflogRoot("logs/HEAD", chain_.tag, kOfTag);
  roots["tree"] = ReflogRoot("logs/HEAD", chain_.tree, kOfTree);
  roots["blob"] = ReflogRoot("logs/HEAD", chain_.blob, {"blob"});
  roots["old id only"] = {{{"logs/HEAD", ReflogLine(chain_.commit, base_)}},
                          kOfCommit,
                          "logs/HEAD"};
  return roots;
}

inline auto MissingRootsFixture::Indexes() const -> Roots {
  Roots roots;
  for (const char* kind : {"entry", "conflict", "resolved", "shared", "own"}) {
    roots[kind] = {indexes_.at(kind), {"blob"}, "index"};
  }
  for (const char* kind : {"entry", "resolved", "shared"}) {
    roots[std::string("linked ") + kind] = {
        LinkedIndex(kind), {"blob"}, "worktrees/linked/index"};
  }
  // An entry of the shared index that the index replaces or removes.
  for (const char* kind : {"replaced", "removed"}) {
    roots[kind] = {indexes_.at(kind), {}, "", {"blob"}};
  }
  roots["trees"] = {indexes_.at("trees"), kOfTree, "index"};
  roots["linked trees"] = {LinkedIndex("trees"), kOfTree,
                           "worktrees/linked/index"};
  return roots;
}

inline auto MissingRootsFixture::States() const -> Roots {
  const std::string commit = chain_.commit + '\n';
  Roots roots;
  for (const char* name :
       {"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD",
        "BISECT_HEAD", "MERGE_AUTOSTASH", "rebase-merge/orig-head",
        "rebase-merge/autostash", "rebase-apply/orig-head",
        "rebase-apply/autostash", "worktrees/linked/MERGE_HEAD",
        "worktrees/linked/rebase-merge/orig-head"}) {
    roots[name] = {{{name, commit}}, kOfCommit, name};
  }
  roots["AUTO_MERGE"] = {
      {{"AUTO_MERGE", chain_.tree + '\n'}}, kOfTree, "AUTO_MERGE"};
  return roots;
}

inline auto MissingRootsFixture::Boundaries() const -> Roots {
  const std::string commit = chain_.commit + '\n';
  const std::string branch = "refs/heads/r";
  const std::vector<std::string> without_parent = {"commit", "tree", "subtree",
                                                   "blob"};
  return {
      {"shallow",
       {{{branch, commit}, {"shallow", commit}},
        without_parent,
        branch,
        {"parent"}}},
      {"shallow parent",
       {{{branch, commit}, {"shallow", chain_.parent + '\n'}},
        kOfCommit,
        branch}},
      {"unneeded shallow", {{{"shallow", commit}}, {}, "", kOfCommit}},
      {"shallow commit in a reflog",
       {{{"logs/HEAD", ReflogLine(chain_.commit, base_)}, {"shallow", commit}},
        without_parent,
        "logs/HEAD",
        {"parent"}}},
      {"graft",
       {{{"info/grafts", base_ + ' ' + commit}}, kOfCommit, "info/grafts"}},
      {"graft after a tab, and CRLF",
       {{{"info/grafts", base_ + '\t' + chain_.commit + "\r\n"}},
        kOfCommit,
        "info/grafts"}},
      {"graft before a zero byte",
       {{{"info/grafts",
          base_ + ' ' + chain_.commit + std::string("\0junk\n", 6)}},
        kOfCommit,
        "info/grafts"}},
      {"graft with junk",
       {{{"info/grafts", base_ + ' ' + chain_.commit + " junk\n"}},
        {},
        "",
        kOfCommit}},
      {"graft with two spaces",
       {{{"info/grafts", base_ + "  " + commit}}, {}, "", kOfCommit}},
      {"graft after a space",
       {{{"info/grafts", ' ' + base_ + ' ' + commit}}, {}, "", kOfCommit}},
      {"graft with a short id",
       {{{"info/grafts", base_ + ' ' + chain_.commit.substr(1) + ' ' + commit}},
        {},
        "",
        kOfCommit}},
      {"graft in a comment",
       {{{"info/grafts", '#' + base_ + ' ' + commit}}, {}, "", kOfCommit}},
      {"graft of a commit that is gone",
       {{{"info/grafts", FakeId('1') + ' ' + commit}}, {}, "", kOfCommit}},
      {"ORIG_HEAD", {{{"ORIG_HEAD", commit}}, {}, "", kOfCommit}}};
}

}  // namespace zpack::testing
