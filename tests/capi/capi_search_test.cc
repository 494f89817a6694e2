// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Searches through the C interface find what Git and ArchiveReader find.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"
#include "zpack.h"
#include "zpack/archive_reader.h"

namespace zpack::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string IdText(const zpack_oid& oid) {
  if (oid.size == 0) return "-";
  std::string hex(ZPACK_OID_HEX_SIZE, 'x');
  zpack_oid_to_hex(hex.data(), &oid);
  return hex.c_str();
}

class CApiSearch : public ::testing::Test {
 protected:
  CApiSearch() : repo_(dir_ / "repo"), file_(dir_ / "x.zpack") {
    first_ = Commit({}, "int foo;\nkey = one\n");
    second_ = Commit({first_}, "int foo;\n");
    repo_.SetRef("refs/heads/main", second_);
    EXPECT_EQ(zpack_convert(repo_.path().c_str(), file_.c_str(), nullptr),
              ZPACK_OK);
    EXPECT_EQ(zpack_open(&archive_, file_.c_str(), nullptr), ZPACK_OK);
    EXPECT_EQ(zpack_oid_from_hex(&first_oid_, first_.c_str()), ZPACK_OK);
    options_.patterns = patterns_.data();
    options_.pattern_count = patterns_.size();
  }
  ~CApiSearch() override { zpack_archive_free(archive_); }

  std::string Commit(const std::vector<std::string>& parents,
                     const std::string& content) {
    repo_.Git({"read-tree", "--empty"});
    for (const auto& [path, text] :
         std::vector<std::pair<std::string, std::string>>{
             {"a.c", content},
             {"d/binary", std::string("foo\0", 4)},
             {"d/other", "nothing\n"}}) {
      repo_.Git({"update-index", "--add", "--cacheinfo",
                 "100644," + repo_.WriteBlob(text) + ',' + path});
    }
    CommitFields fields;
    fields.tree = repo_.Git({"write-tree"});
    fields.parents = parents;
    fields.time = 1000 + parents.size();
    return repo_.WriteCommit(fields);
  }

  std::string BlobOf(const std::string& name) const {
    return repo_.Git({"rev-parse", name});
  }

  // Results as lines of text.
  static int AddFile(const zpack_searched_file* file, void* payload) {
    auto& found = *static_cast<std::vector<std::string>*>(payload);
    std::string row(file->path, file->path_size);
    row += ' ' + IdText(file->blob) + (file->binary != 0 ? " binary" : "");
    for (size_t i = 0; i < file->line_count; ++i) {
      const zpack_matching_line& line = file->lines[i];
      row += ' ' + std::to_string(line.number) + ':' +
             std::string(line.text, line.text_size);
    }
    found.push_back(row);
    return 0;
  }
  static int AddMatch(const zpack_history_match* match, void* payload) {
    auto& found = *static_cast<std::vector<std::string>*>(payload);
    found.push_back(
        std::string(match->path, match->path_size) + ' ' + IdText(match->blob) +
        ' ' + IdText(match->brought) + ' ' + IdText(match->removed) + ' ' +
        std::to_string(match->present) + ' ' + std::to_string(match->line) +
        ':' + std::string(match->text, match->text_size) +
        (match->binary != 0 ? "binary" : ""));
    return 0;
  }
  static int AddBlob(const zpack_matching_blob* blob, void* payload) {
    auto& found = *static_cast<std::vector<std::string>*>(payload);
    found.push_back(std::string(blob->path, blob->path_size) + ' ' +
                    IdText(blob->blob) + ' ' + std::to_string(blob->lines) +
                    (blob->binary != 0 ? " binary" : ""));
    return 0;
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_;
  std::string first_;
  std::string second_;
  zpack_oid first_oid_ = {};
  zpack_archive* archive_ = nullptr;
  std::vector<const char*> patterns_ = {"foo", "key"};
  zpack_search_options options_ = ZPACK_SEARCH_OPTIONS_INIT;
  std::vector<std::string> found_;
};

TEST_F(CApiSearch, ATreeIsSearchedAsByGit) {
  ASSERT_EQ(
      zpack_search_tree(archive_, &first_oid_, &options_, AddFile, &found_),
      ZPACK_OK)
      << zpack_error_last()->message;
  const std::string source = BlobOf(first_ + ":a.c");
  const std::string binary = BlobOf(first_ + ":d/binary");
  const std::string other = BlobOf(first_ + ":d/other");
  EXPECT_THAT(found_, ElementsAre("a.c " + source + " 1:int foo; 2:key = one",
                                  "d/binary " + binary + " binary"));
  found_.clear();
  options_.binary = ZPACK_BINARY_TEXT;
  options_.all_files = 1;
  const char* const path = "d";
  options_.paths = &path;
  options_.path_count = 1;
  ASSERT_EQ(
      zpack_search_tree(archive_, &first_oid_, &options_, AddFile, &found_),
      ZPACK_OK);
  EXPECT_THAT(found_, ElementsAre("d/binary " + binary + " 1:foo" +
                                      std::string(1, '\0'),
                                  "d/other " + other));
  found_.clear();
  options_.path_count = 0;
  options_.max_depth = 0;
  options_.syntax = ZPACK_SYNTAX_PERL;
  patterns_.front() = R"(FO{2}\b)";
  options_.ignore_case = 1;
  options_.all_match = 1;
  ASSERT_EQ(
      zpack_search_tree(archive_, &first_oid_, &options_, AddFile, &found_),
      ZPACK_OK);
  EXPECT_THAT(found_, ElementsAre("a.c " + source + " 1:int foo; 2:key = one"));
}

TEST_F(CApiSearch, HistoryNamesTheCommits) {
  ASSERT_EQ(zpack_search_history(archive_, &options_, AddMatch, &found_),
            ZPACK_OK);
  const std::string source = BlobOf(first_ + ":a.c");
  EXPECT_THAT(found_,
              ElementsAre("a.c " + source + ' ' + first_ + " - 1 1:int foo;",
                          "a.c " + source + ' ' + first_ + ' ' + second_ +
                              " 0 2:key = one",
                          "d/binary " + BlobOf(first_ + ":d/binary") + ' ' +
                              first_ + " - 1 0:binary"));
}

TEST_F(CApiSearch, VersionsAreThoseOfTheHistory) {
  patterns_ = {"key", "="};
  options_.patterns = patterns_.data();
  ASSERT_EQ(zpack_search_versions(archive_, &options_, AddBlob, &found_),
            ZPACK_OK);
  EXPECT_THAT(found_, ElementsAre("a.c " + BlobOf(first_ + ":a.c") + " 1"));
  found_.clear();
  options_.all_files = 1;
  options_.binary = ZPACK_BINARY_WITHOUT;
  ASSERT_EQ(zpack_search_versions(archive_, &options_, AddBlob, &found_),
            ZPACK_OK);
  EXPECT_THAT(found_, ElementsAre("a.c " + BlobOf("HEAD:a.c") + " 0",
                                  "a.c " + BlobOf(first_ + ":a.c") + " 1",
                                  "d/other " + BlobOf("HEAD:d/other") + " 0"));
}

TEST_F(CApiSearch, ACallbackEndsTheSearch) {
  EXPECT_EQ(zpack_search_tree(
                archive_, &first_oid_, &options_,
                [](const zpack_searched_file*, void*) { return 7; }, nullptr),
            7);
  EXPECT_EQ(zpack_search_history(
                archive_, &options_,
                [](const zpack_history_match*, void*) { return 8; }, nullptr),
            8);
  EXPECT_EQ(zpack_search_versions(
                archive_, &options_,
                [](const zpack_matching_blob*, void*) { return 9; }, nullptr),
            9);
}

TEST_F(CApiSearch, StopIsAskedInAnotherThreadAndEndsTheSearch) {
  std::atomic<int> asked = 0;
  options_.stop = [](void* payload) {
    return ++*static_cast<std::atomic<int>*>(payload) > 1 ? 1 : 0;
  };
  options_.stop_payload = &asked;
  int code = ZPACK_OK;
  while (code == ZPACK_OK) {
    code =
        zpack_search_tree(archive_, &first_oid_, &options_, AddFile, &found_);
  }
  EXPECT_EQ(code, ZPACK_EINTERRUPTED);
  code = ZPACK_OK;
  while (code == ZPACK_OK) {
    code = zpack_search_history(archive_, &options_, AddMatch, &found_);
  }
  EXPECT_EQ(code, ZPACK_EINTERRUPTED);
  EXPECT_GT(asked, 1);
}

TEST_F(CApiSearch, WrongValuesAreErrors) {
  const auto expect = [&](std::string_view message, int expected) {
    EXPECT_EQ(
        zpack_search_tree(archive_, &first_oid_, &options_, AddFile, &found_),
        expected);
    EXPECT_THAT(zpack_error_last()->message, HasSubstr(message));
    EXPECT_EQ(zpack_search_history(archive_, &options_, AddMatch, &found_),
              expected);
    EXPECT_EQ(zpack_search_versions(archive_, &options_, AddBlob, &found_),
              expected);
    EXPECT_THAT(found_, IsEmpty());
  };
  options_.syntax = 4;
  expect("syntax", ZPACK_EINVALID);
  options_.syntax = ZPACK_SYNTAX_EXTENDED;
  options_.binary = -1;
  expect("binary", ZPACK_EINVALID);
  options_.binary = ZPACK_BINARY_WHOLE;
  options_.max_depth = -2;
  expect("max_depth", ZPACK_EINVALID);
  options_.max_depth = -1;
  patterns_.front() = "(";
  expect("(", ZPACK_EINVALID);
  patterns_.front() = nullptr;
  expect("NULL", ZPACK_EINVALID);
  options_.pattern_count = 0;
  expect("no pattern", ZPACK_EINVALID);
  options_.version = 2;
  expect("version", ZPACK_EINVALID);
}

}  // namespace
}  // namespace zpack::testing
