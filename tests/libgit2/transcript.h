// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls of libgit2 that a test makes over two repositories, to compare what
// they return.

#pragma once

#include <git2.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/repo_builder.h"

namespace zpack::testing {

struct FreeGit {
  void operator()(git_repository* r) const { git_repository_free(r); }
  void operator()(git_config* c) const { git_config_free(c); }
  void operator()(git_odb* o) const { git_odb_free(o); }
  void operator()(git_odb_object* o) const { git_odb_object_free(o); }
  void operator()(git_reference* r) const { git_reference_free(r); }
  void operator()(git_reference_iterator* i) const {
    git_reference_iterator_free(i);
  }
  void operator()(git_reflog* r) const { git_reflog_free(r); }
  void operator()(git_object* o) const { git_object_free(o); }
  void operator()(git_commit* c) const { git_commit_free(c); }
  void operator()(git_tree* t) const { git_tree_free(t); }
  void operator()(git_tree_entry* e) const { git_tree_entry_free(e); }
  void operator()(git_blob* b) const { git_blob_free(b); }
  void operator()(git_tag* t) const { git_tag_free(t); }
  void operator()(git_diff* d) const { git_diff_free(d); }
  void operator()(git_blame* b) const { git_blame_free(b); }
  void operator()(git_revwalk* w) const { git_revwalk_free(w); }
  void operator()(git_index* i) const { git_index_free(i); }
  void operator()(git_describe_result* d) const { git_describe_result_free(d); }
};
template <typename T>
using Owned = std::unique_ptr<T, FreeGit>;

inline std::string Hex(const git_oid* id) {
  return id == nullptr ? "none" : git_oid_tostr_s(id);
}

inline git_oid Oid(const std::string& hex) {
  git_oid id;
  EXPECT_EQ(git_oid_fromstrp(&id, hex.c_str()), 0) << hex;
  return id;
}

inline std::string Text(git_buf& buffer) {
  std::string text(buffer.ptr == nullptr ? "" : buffer.ptr, buffer.size);
  git_buf_dispose(&buffer);
  return text;
}

// Makes the same calls over any repository and notes every code and result.
class Transcript {
 public:
  explicit Transcript(git_repository* repository) : repository_(repository) {}

  std::vector<std::string> lines;

  void Note(const std::string& call, int code, const std::string& result = "") {
    lines.push_back(call + ": " + std::to_string(code) +
                    (code == 0 ? " " + result : ""));
  }

  // Calls `make` with room for a T. Notes the code, and `show` of the T.
  template <typename T>
  Owned<T> Make(const std::string& call, const std::function<int(T**)>& make,
                const std::function<std::string(T*)>& show) {
    T* made = nullptr;
    const int code = make(&made);
    Note(call, code, code == 0 ? show(made) : "");
    return Owned<T>(code == 0 ? made : nullptr);
  }

  void RepositoryCalls() {
    Note("is_bare", git_repository_is_bare(repository_));
    Note("is_empty", git_repository_is_empty(repository_));
    Note("is_shallow", git_repository_is_shallow(repository_));
    Note("head_detached", git_repository_head_detached(repository_));
    Note("head_unborn", git_repository_head_unborn(repository_));
    Note("state", git_repository_state(repository_));
    Make<git_reference>(
        "head",
        [&](auto** out) { return git_repository_head(out, repository_); },
        ShowReference);
    Note("reference_is_valid_name",
         git_reference_is_valid_name("refs/heads/main"));
  }

  void ReferenceCalls() {
    for (const char* name :
         {"HEAD", "refs/heads/main", "refs/heads/alias", "refs/tags/v1",
          "refs/tags/light", "refs/heads/none", "refs/heads/", "bad name"}) {
      const std::string of = std::string(" ") + name;
      Make<git_reference>(
          "reference_lookup" + of,
          [&](auto** out) {
            return git_reference_lookup(out, repository_, name);
          },
          ShowReference);
      git_oid id;
      const int code = git_reference_name_to_id(&id, repository_, name);
      Note("name_to_id" + of, code, code == 0 ? Hex(&id) : "");
      Note("has_log" + of, git_reference_has_log(repository_, name));
    }
    for (const char* name : {"main", "v1", "alias", "heads/main", "none"}) {
      Make<git_reference>(
          std::string("dwim ") + name,
          [&](auto** out) {
            return git_reference_dwim(out, repository_, name);
          },
          ShowReference);
    }
    git_strarray names = {};
    const int code = git_reference_list(&names, repository_);
    // Its order is not part of libgit2's promise.
    std::vector<std::string> sorted(names.strings, names.strings + names.count);
    std::ranges::sort(sorted);
    Note("reference_list", code, ::testing::PrintToString(sorted));
    git_strarray_dispose(&names);
    for (const char* glob : {"refs/heads/*", "refs/*/v?", "refs/x/*", "*"}) {
      std::string found;
      git_reference_iterator* made = nullptr;
      Note(std::string("glob ") + glob,
           git_reference_iterator_glob_new(&made, repository_, glob));
      const Owned<git_reference_iterator> iterator(made);
      std::vector<std::string> passed;
      const char* name = nullptr;
      while (git_reference_next_name(&name, iterator.get()) == 0) {
        passed.emplace_back(name);
      }
      std::ranges::sort(passed);
      Note("next_name", 0, ::testing::PrintToString(passed));
    }
    git_strarray tags = {};
    Note("tag_list", git_tag_list(&tags, repository_),
         std::to_string(tags.count));
    git_strarray_dispose(&tags);
    Note("branch_is_head", [&] {
      git_reference* branch = nullptr;
      const int looked =
          git_branch_lookup(&branch, repository_, "main", GIT_BRANCH_LOCAL);
      const Owned<git_reference> owned(branch);
      return looked != 0 ? looked : git_branch_is_head(branch);
    }());
    Make<git_reflog>(
        "reflog_read",
        [&](auto** out) {
          return git_reflog_read(out, repository_, "refs/heads/other");
        },
        [](git_reflog* log) {
          return std::to_string(git_reflog_entrycount(log));
        });
  }

  void RevisionCalls(const std::string& hex) {
    for (const std::string& spec :
         {std::string("HEAD"), std::string("HEAD~1"), std::string("HEAD^"),
          std::string("HEAD^{tree}"), std::string("HEAD:file"),
          std::string("HEAD:none"), std::string("v1"), std::string("v1^{}"),
          std::string("v1^{tag}"), std::string("main@{0}"), std::string(":/x"),
          std::string("none"), hex.substr(0, 4), hex.substr(0, 7),
          hex.substr(0, 2), hex, std::string(40, '1'), std::string(8, '1')}) {
      Make<git_object>(
          "revparse " + spec,
          [&](auto** out) {
            return git_revparse_single(out, repository_, spec.c_str());
          },
          ShowObject);
    }
  }

  void OdbCalls(const std::vector<std::string>& ids) {
    git_odb* made = nullptr;
    Note("odb", git_repository_odb(&made, repository_));
    const Owned<git_odb> odb(made);
    std::vector<std::string> all;
    const auto append = [](const git_oid* id, void* payload) {
      static_cast<std::vector<std::string>*>(payload)->push_back(Hex(id));
      return 0;
    };
    Note("foreach", git_odb_foreach(odb.get(), append, &all));
    std::ranges::sort(all);
    Note("ids", 0, ::testing::PrintToString(all));
    Note("foreach stopped",
         git_odb_foreach(
             odb.get(), [](const git_oid*, void*) { return 17; }, nullptr));
    for (const std::string& hex : ids) {
      const git_oid id = Oid(hex);
      Note("exists", git_odb_exists(odb.get(), &id));
      size_t size = 0;
      git_object_t type = GIT_OBJECT_INVALID;
      Note("read_header", git_odb_read_header(&size, &type, odb.get(), &id),
           std::to_string(size) + git_object_type2string(type));
      Make<git_odb_object>(
          "read", [&](auto** out) { return git_odb_read(out, odb.get(), &id); },
          ShowOdbObject);
      for (const size_t digits : {1, 3, 4, 8, 39, 40}) {
        git_oid cut =
            Oid(hex.substr(0, digits) + std::string(40 - digits, '0'));
        Make<git_odb_object>(
            "read_prefix " + std::to_string(digits),
            [&](auto** out) {
              return git_odb_read_prefix(out, odb.get(), &cut, digits);
            },
            ShowOdbObject);
        git_oid found = {};
        const int code = git_odb_exists_prefix(&found, odb.get(), &cut, digits);
        Note("exists_prefix", code, code == 0 ? Hex(&found) : "");
      }
    }
    Note("refresh", git_odb_refresh(odb.get()));
  }

  void ObjectCalls(const std::string& commit_hex) {
    const git_oid id = Oid(commit_hex);
    const auto commit = Make<git_commit>(
        "commit_lookup",
        [&](auto** out) { return git_commit_lookup(out, repository_, &id); },
        [](git_commit* c) {
          return std::string(git_commit_message(c)) +
                 git_commit_author(c)->name +
                 std::to_string(git_commit_time(c)) +
                 std::to_string(git_commit_parentcount(c)) +
                 git_commit_raw_header(c);
        });
    Make<git_tree>(
        "wrong type",
        [&](auto** out) { return git_tree_lookup(out, repository_, &id); },
        [](git_tree*) { return ""; });
    const auto tree = Make<git_tree>(
        "commit_tree",
        [&](auto** out) { return git_commit_tree(out, commit.get()); },
        [](git_tree* t) { return std::to_string(git_tree_entrycount(t)); });
    Make<git_tree_entry>(
        "bypath",
        [&](auto** out) {
          return git_tree_entry_bypath(out, tree.get(), "file");
        },
        [](git_tree_entry* e) { return Hex(git_tree_entry_id(e)); });
    const git_oid blob_id =
        Oid(RunGit({"rev-parse", commit_hex + ":file"}, directory_)
                .out.substr(0, 40));
    Make<git_blob>(
        "blob_lookup",
        [&](auto** out) { return git_blob_lookup(out, repository_, &blob_id); },
        [](git_blob* b) {
          return std::string(static_cast<const char*>(git_blob_rawcontent(b)),
                             git_blob_rawsize(b)) +
                 std::to_string(git_blob_is_binary(b));
        });
    Make<git_diff>(
        "diff",
        [&](auto** out) {
          git_commit* parent = nullptr;
          int code = git_commit_parent(&parent, commit.get(), 0);
          if (code != 0) return code;
          const Owned<git_commit> owned(parent);
          git_tree* before = nullptr;
          code = git_commit_tree(&before, parent);
          const Owned<git_tree> owned_before(before);
          if (code != 0) return code;
          return git_diff_tree_to_tree(out, repository_, before, tree.get(),
                                       nullptr);
        },
        [](git_diff* d) {
          git_buf buffer = {};
          EXPECT_EQ(git_diff_to_buf(&buffer, d, GIT_DIFF_FORMAT_PATCH), 0);
          return Text(buffer);
        });
    Make<git_blame>(
        "blame",
        [&](auto** out) {
          return git_blame_file(out, repository_, "file", nullptr);
        },
        [](git_blame* b) {
          std::string hunks;
          for (uint32_t i = 0; i < git_blame_get_hunk_count(b); ++i) {
            hunks += Hex(&git_blame_get_hunk_byindex(b, i)->final_commit_id);
          }
          return hunks;
        });
    Make<git_describe_result>(
        "describe",
        [&](auto** out) {
          git_describe_options options;
          git_describe_options_init(&options, GIT_DESCRIBE_OPTIONS_VERSION);
          options.describe_strategy = GIT_DESCRIBE_ALL;
          return git_describe_commit(
              out, reinterpret_cast<git_object*>(commit.get()), &options);
        },
        [](git_describe_result* result) {
          git_buf buffer = {};
          EXPECT_EQ(git_describe_format(&buffer, result, nullptr), 0);
          return Text(buffer);
        });
    Make<git_index>(
        "merge_trees",
        [&](auto** out) {
          return git_merge_trees(out, repository_, tree.get(), tree.get(),
                                 tree.get(), nullptr);
        },
        [](git_index* i) { return std::to_string(git_index_entrycount(i)); });
  }

  void WalkCalls(const std::string& from, const std::string& to) {
    for (const unsigned order :
         {unsigned{GIT_SORT_NONE}, unsigned{GIT_SORT_TOPOLOGICAL},
          unsigned{GIT_SORT_TIME} | GIT_SORT_REVERSE}) {
      git_revwalk* made = nullptr;
      Note("revwalk", git_revwalk_new(&made, repository_));
      const Owned<git_revwalk> walk(made);
      git_revwalk_sorting(walk.get(), order);
      Note("push_head", git_revwalk_push_head(walk.get()));
      Note("push_glob", git_revwalk_push_glob(walk.get(), "heads/*"));
      git_oid id;
      while (git_revwalk_next(&id, walk.get()) == 0) Note("next", 0, Hex(&id));
    }
    const git_oid first = Oid(from);
    const git_oid last = Oid(to);
    git_oid base = {};
    Note("merge_base", git_merge_base(&base, repository_, &first, &last),
         Hex(&base));
    size_t ahead = 0;
    size_t behind = 0;
    Note("ahead_behind",
         git_graph_ahead_behind(&ahead, &behind, repository_, &first, &last),
         std::to_string(ahead) + " " + std::to_string(behind));
    Note("descendant_of", git_graph_descendant_of(repository_, &last, &first));
  }

  // Where `git` finds the same repository.
  void set_directory(const std::string& directory) { directory_ = directory; }

 private:
  static std::string ShowReference(git_reference* ref) {
    const char* const symbolic = git_reference_symbolic_target(ref);
    return std::string(git_reference_name(ref)) + " " +
           Hex(git_reference_target(ref)) + " " +
           (symbolic == nullptr ? "" : symbolic) + " " +
           Hex(git_reference_target_peel(ref));
  }
  static std::string ShowObject(git_object* object) {
    return Hex(git_object_id(object)) +
           git_object_type2string(git_object_type(object));
  }
  static std::string ShowOdbObject(git_odb_object* object) {
    return Hex(git_odb_object_id(object)) +
           git_object_type2string(git_odb_object_type(object)) +
           std::string(static_cast<const char*>(git_odb_object_data(object)),
                       git_odb_object_size(object));
  }

  git_repository* repository_;
  std::string directory_;
};

}  // namespace zpack::testing
