// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// zpack_log lists what 'git log --raw' lists.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"
#include "zpack.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Words = std::vector<std::string>;
using Files = std::vector<std::pair<std::string, std::string>>;

std::string HexOf(const zpack_oid& oid, size_t size) {
  if (oid.size == 0) return std::string(2 * size, '0');
  std::string hex(ZPACK_OID_HEX_SIZE, 'x');
  zpack_oid_to_hex(hex.data(), &oid);
  hex.resize(2 * size);
  return hex;
}

// As 'git log --raw --format="commit %H %P"' prints it.
std::string RowOf(const zpack_changed_file& file, size_t id_size) {
  char modes[32];
  std::snprintf(modes, sizeof(modes), ":%06o %06o ", file.old_mode,
                file.new_mode);
  std::string row = modes + HexOf(file.old_oid, id_size) + ' ' +
                    HexOf(file.new_oid, id_size) + ' ' + file.status;
  const std::string old_path(file.old_path, file.old_path_size);
  const std::string new_path(file.new_path, file.new_path_size);
  if (file.status == 'R' || file.status == 'C') {
    char percent[8];
    std::snprintf(percent, sizeof(percent), "%03u",
                  file.similarity * 100 / ZPACK_MOST_SIMILAR);
    return row + percent + '\t' + old_path + '\t' + new_path;
  }
  EXPECT_EQ(old_path, new_path);
  return row + '\t' + new_path;
}

// 60 lines, and one that tells versions apart.
std::string LinesWith(const std::string& last) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "line " + std::to_string(i) + '\n';
  return text + last + '\n';
}

// A main branch and a topic, which are merged; a renamed and a copied file.
class CApiLog : public ::testing::Test {
 protected:
  CApiLog() : repo_(dir_ / "repo"), file_(dir_ / "x.zpack") {
    const std::string first =
        Commit({}, {{"a.c", LinesWith("one")}, {"d/other", "nothing\n"}});
    const std::string second = Commit(
        {first}, {{"a.c", LinesWith("needle two")}, {"d/other", "nothing\n"}});
    topic_ = Commit({first}, {{"a.c", LinesWith("one")},
                              {"d/other", "nothing\n"},
                              {"d/topic", std::string("needle\0", 7)}});
    const std::string merge =
        Commit({second, topic_}, {{"a.c", LinesWith("needle two")},
                                  {"d/other", "nothing\n"},
                                  {"d/topic", std::string("needle\0", 7)}});
    const std::string renamed =
        Commit({merge}, {{"b.c", LinesWith("needle three")},
                         {"d/other", "nothing\n"},
                         {"d/topic", std::string("needle\0", 7)}});
    tip_ = Commit({renamed}, {{"b.c", LinesWith("four")},
                              {"c.c", LinesWith("needle three")},
                              {"d/other", "something\n"}});
    repo_.SetRef("refs/heads/main", tip_);
    repo_.SetRef("refs/heads/extra", Commit({topic_}, {{"e", "needle\n"}}));
    EXPECT_EQ(zpack_convert(repo_.path().c_str(), file_.c_str(), nullptr),
              ZPACK_OK);
    EXPECT_EQ(zpack_open(&archive_, file_.c_str(), nullptr), ZPACK_OK);
    EXPECT_EQ(zpack_oid_from_hex(&start_, tip_.c_str()), ZPACK_OK);
    options_.starts = &start_;
    options_.start_count = 1;
    options_.files = 1;
  }
  ~CApiLog() override { zpack_archive_free(archive_); }

  std::string Commit(const Words& parents, const Files& files) {
    repo_.Git({"read-tree", "--empty"});
    for (const auto& [path, text] : files) {
      repo_.Git({"update-index", "--add", "--cacheinfo",
                 "100644," + repo_.WriteBlob(text) + ',' + path});
    }
    CommitFields fields;
    fields.tree = repo_.Git({"write-tree"});
    fields.parents = parents;
    fields.time = ++time_;
    return repo_.WriteCommit(fields);
  }

  // What 'git log' prints with these words, as lines without empty ones.
  Words OfGit(const Words& words) const {
    Words all = {"log", "--format=commit %H %P", "--raw", "--no-abbrev"};
    all.insert(all.end(), words.begin(), words.end());
    Words lines = SplitLines(repo_.Git(all));
    std::erase(lines, "");
    return lines;
  }

  static int Add(const zpack_commit* commit, void* payload) {
    auto& found = *static_cast<Words*>(payload);
    const size_t id_size = commit->oid.size;
    std::string row = "commit " + HexOf(commit->oid, id_size) + ' ';
    for (size_t i = 0; i < commit->parent_count; ++i) {
      row += (i > 0 ? " " : "") + HexOf(commit->parents[i], id_size);
    }
    found.push_back(row);
    for (size_t i = 0; i < commit->file_count; ++i) {
      found.push_back(RowOf(commit->files[i], id_size));
    }
    return 0;
  }

  Words OfC() const {
    Words found;
    EXPECT_EQ(zpack_log(archive_, &options_, Add, &found), ZPACK_OK)
        << zpack_error_last()->message;
    return found;
  }

  void ExpectSame(const Words& words) const {
    const Words expected = OfGit(words);
    EXPECT_THAT(expected, Not(IsEmpty()));
    EXPECT_EQ(OfC(), expected) << ::testing::PrintToString(words);
  }

  void SetPaths(const std::vector<const char*>& paths) {
    paths_ = paths;
    options_.paths = paths_.data();
    options_.path_count = paths_.size();
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_;
  std::string topic_;
  std::string tip_;
  uint64_t time_ = 1700000000;
  zpack_oid start_ = {};
  zpack_archive* archive_ = nullptr;
  std::vector<const char*> paths_;
  zpack_log_options options_ = ZPACK_LOG_OPTIONS_INIT;
};

TEST_F(CApiLog, CommitsAreThoseOfGit) {
  ExpectSame({});
  options_.first_parent = 1;
  ExpectSame({"--first-parent"});
  options_.first_parent = 0;
  options_.reverse = 1;
  ExpectSame({"--reverse"});
  options_.reverse = 0;
  options_.skip = 1;
  options_.max_commits = 2;
  ExpectSame({"--skip=1", "-2"});
  options_.skip = 0;
  options_.max_commits = 0;
  options_.all_refs = 1;
  ExpectSame({"--all"});
  options_.since = 1700000003;
  options_.until = 1700000005;
  ExpectSame({"--all", "--since=1700000003", "--until=1700000005"});
  options_.since = options_.until = 0;
  options_.min_parents = 2;
  ExpectSame({"--all", "--merges"});
  options_.min_parents = 0;
  options_.max_parents = 0;
  ExpectSame({"--all", "--max-parents=0"});
  options_.max_parents = -1;
  zpack_oid excluded;
  ASSERT_EQ(zpack_oid_from_hex(&excluded, topic_.c_str()), ZPACK_OK);
  options_.excluded = &excluded;
  options_.excluded_count = 1;
  ExpectSame({"--all", "--not", topic_});
}

TEST_F(CApiLog, ContentsAreThoseOfTheObjects) {
  options_.max_commits = 1;
  std::string content;
  ASSERT_EQ(zpack_log(
                archive_, &options_,
                [](const zpack_commit* commit, void* payload) {
                  static_cast<std::string*>(payload)->assign(
                      commit->content, commit->content_size);
                  return 0;
                },
                &content),
            ZPACK_OK);
  EXPECT_EQ(repo_.WriteObject("commit", content), tip_);
}

TEST_F(CApiLog, PathsAndRenamesAreThoseOfGit) {
  SetPaths({"d"});
  ExpectSame({"--", "d"});
  options_.full_history = 1;
  ExpectSame({"--full-history", "--", "d"});
  options_.full_history = 0;
  SetPaths({"b.c"});
  ExpectSame({"--", "b.c"});
  options_.follow = 1;
  ExpectSame({"--follow", "--", "b.c"});
  options_.follow = 0;
  SetPaths({});
  options_.renames = ZPACK_RENAMES_NONE;
  ExpectSame({"--no-renames"});
  options_.renames = ZPACK_RENAMES_COPIES;
  ExpectSame({"-C"});
  options_.renames = ZPACK_RENAMES_COPIES_HARDER;
  options_.min_similarity = ZPACK_MOST_SIMILAR / 100 * 99;
  ExpectSame({"-C99%", "--find-copies-harder"});
  options_.diff_filter = "Dr";
  ExpectSame({"-C99%", "--find-copies-harder", "--diff-filter=Dr"});
}

TEST_F(CApiLog, ThePickaxeIsThatOfGit) {
  options_.pickaxe = ZPACK_PICKAXE_STRING;
  options_.pattern = "needle";
  ExpectSame({"-Sneedle"});
  options_.pickaxe_all = 1;
  ExpectSame({"-Sneedle", "--pickaxe-all"});
  options_.pickaxe_all = 0;
  options_.pattern = "NEEDLE";
  options_.ignore_case = 1;
  ExpectSame({"-SNEEDLE", "-i"});
  options_.ignore_case = 0;
  options_.pickaxe = ZPACK_PICKAXE_EXPRESSION;
  options_.pattern = "ne+dle (two|three)";
  ExpectSame({"-Sne+dle (two|three)", "--pickaxe-regex"});
  options_.pickaxe = ZPACK_PICKAXE_LINES;
  options_.pattern = "ne+dle";
  ExpectSame({"-Gne+dle"});
  options_.text = 1;
  ExpectSame({"-Gne+dle", "--text"});
  options_.pickaxe = ZPACK_PICKAXE_OBJECT;
  options_.pattern = nullptr;
  const std::string topic = repo_.Git({"rev-parse", topic_ + ":d/topic"});
  ASSERT_EQ(zpack_oid_from_hex(&options_.object, topic.c_str()), ZPACK_OK);
  ExpectSame({"--find-object=" + topic});
}

TEST_F(CApiLog, ACallbackEndsTheLog) {
  EXPECT_EQ(zpack_log(
                archive_, &options_,
                [](const zpack_commit*, void*) { return 7; }, nullptr),
            7);
}

TEST_F(CApiLog, StopIsAskedAndEndsTheLog) {
  std::atomic<int> asked = 0;
  options_.stop = [](void* payload) {
    return ++*static_cast<std::atomic<int>*>(payload) > 1 ? 1 : 0;
  };
  options_.stop_payload = &asked;
  int code = ZPACK_OK;
  while (code == ZPACK_OK) {
    code = zpack_log(
        archive_, &options_, [](const zpack_commit*, void*) { return 0; },
        nullptr);
  }
  EXPECT_EQ(code, ZPACK_EINTERRUPTED);
  EXPECT_GT(asked, 1);
}

TEST_F(CApiLog, WrongValuesAreErrors) {
  const auto expect = [&](std::string_view message) {
    Words found;
    EXPECT_EQ(zpack_log(archive_, &options_, Add, &found), ZPACK_EINVALID);
    EXPECT_THAT(zpack_error_last()->message, HasSubstr(message));
    EXPECT_THAT(found, IsEmpty());
    options_ = ZPACK_LOG_OPTIONS_INIT;
    options_.starts = &start_;
    options_.start_count = 1;
  };
  options_.renames = 4;
  expect("renames");
  options_.renames = -1;
  expect("renames");
  options_.pickaxe = 5;
  expect("pickaxe");
  options_.min_parents = -1;
  expect("min_parents");
  options_.max_parents = -2;
  expect("max_parents");
  options_.min_similarity = ZPACK_MOST_SIMILAR + 1;
  expect("min_similarity");
  options_.diff_filter = "Z";
  expect("diff_filter");
  options_.follow = 1;
  expect("exactly one");
  SetPaths({":(nonsense)x"});
  expect("nonsense");
  for (int kind = ZPACK_PICKAXE_STRING; kind < ZPACK_PICKAXE_OBJECT; ++kind) {
    options_.pickaxe = kind;
    expect("NULL");
    options_.pickaxe = kind;
    options_.pattern = "";
    expect("not empty");
  }
  options_.pickaxe = ZPACK_PICKAXE_LINES;
  options_.pattern = "(";
  expect("(");
  options_.pickaxe = ZPACK_PICKAXE_OBJECT;
  expect("id");
  options_.version = 2;
  expect("version");
}

}  // namespace
}  // namespace zpack::testing
