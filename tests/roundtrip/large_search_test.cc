// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Searches of what is larger than memory should hold find what Git finds: a
// line of 270 MB, and commits with five million files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kMegabyte = 1'000'000;
// Where a line has to be kept.
constexpr uint64_t kMost = 450 * kMegabyte;

class LargeSearchTest : public ::testing::Test {
 protected:
  LargeSearchTest() : repo_(dir_ / "repo") {}

  // A blob with a line of 270 MB of `byte`, and then `end`.
  std::string LongLine(char byte, const std::string& end) const {
    const std::string file = dir_ / "long";
    std::ofstream out(file, std::ios::binary);
    const std::string piece(kMegabyte, byte);
    for (int i = 0; i < 270; ++i) out << piece;
    out << end;
    out.close();
    return repo_.Git({"hash-object", "-w", file});
  }

  void Convert(const std::string& entries) {
    CommitFields fields;
    fields.tree = repo_.WriteTree(entries);
    repo_.SetRef("refs/heads/main", repo_.WriteCommit(fields));
    const ProcessResult converted =
        RunZpack({"convert", "-q", "--level", "1", repo_.path(), file_});
    ASSERT_EQ(converted.exit_code, 0) << converted.err;
  }

  // A command of git-zpack, on two threads; `rest` comes after the file.
  ProcessResult Search(std::vector<std::string> words,
                       const std::vector<std::string>& rest = {}) const {
    words.insert(words.begin() + 1, {"--threads", "2"});
    words.push_back(file_);
    words.insert(words.end(), rest.begin(), rest.end());
    const ProcessResult result = RunZpack(words);
    std::cout << ::testing::PrintToString(words) << ": "
              << result.peak_rss_bytes / kMegabyte << " MB, " << result.seconds
              << " s" << std::endl;
    return result;
  }

  void ExpectFound(const ProcessResult& found, const std::string& out) const {
    EXPECT_EQ(found.exit_code, 0);
    EXPECT_EQ(found.out, out);
    EXPECT_THAT(found.err, IsEmpty());
    EXPECT_LT(found.peak_rss_bytes, 400 * kMegabyte);
  }

  TempDir dir_;
  RepoBuilder repo_;
  const std::string file_ = dir_ / "x.zpack";
};

TEST_F(LargeSearchTest, BinaryFilesWithALongLineAreSearched) {
  const std::string blob = LongLine('\0', "hello");
  Convert(TreeEntryBytes("100644", "a", blob) +
          TreeEntryBytes("100644", "b", repo_.WriteBlob("hello\n")));
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"log", "--format=", "--name-only"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  ExpectFound(Search(with({"-S", "hello"})), "a\nb\n");
  ExpectFound(Search(with({"-S", "HELLO", "-i"})), "a\nb\n");
  ExpectFound(Search(with({"-S", "hello\n"})), "b\n");
  ExpectFound(Search(with({"-G", "hel+o"})), "b\n");
  ExpectFound(Search({"grep", "hello"}, {"HEAD"}),
              "Binary file HEAD:a matches\nHEAD:b:hello\n");
  ExpectFound(Search({"grep", "-c", "hello"}, {"HEAD"}),
              "HEAD:a:1\nHEAD:b:1\n");
  ExpectFound(Search({"grep", "-I", "-i", "hel*o"}, {"HEAD"}),
              "HEAD:b:hello\n");
  ExpectFound(Search({"grep", "-I", "--all-history", "-l", "hello"}),
              repo_.Git({"rev-parse", "main:b"}) + ":b\n");
}

TEST_F(LargeSearchTest, WhatCannotBeSearchedIsNamed) {
  const std::string blob = LongLine('x', "");
  Convert(TreeEntryBytes("100644", "a", blob) +
          TreeEntryBytes("100644", "b", repo_.WriteBlob("hello\n")));
  const std::string reason =
      "object " + blob +
      " cannot be searched: line 1 has more than 268435456 bytes";
  const ProcessResult grep = Search({"grep", "hel*o"}, {"HEAD"});
  EXPECT_EQ(grep.exit_code, 128);
  EXPECT_EQ(grep.out, "HEAD:b:hello\n");
  EXPECT_EQ(grep.err, "fatal: " + reason + "; it is at 'a'\n");
  EXPECT_EQ(Search({"grep", "-i", "hello"}, {"HEAD"}).out, "HEAD:b:hello\n");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"log", "-G", "hel*o"},
        {"grep", "--all-history", "hel*o"}}) {
    const ProcessResult failed = Search(words);
    EXPECT_EQ(failed.exit_code, 128);
    EXPECT_EQ(failed.err, "fatal: " + reason + "\n");
    EXPECT_LT(failed.peak_rss_bytes, kMost);
  }
  const ProcessResult log = Search({"log", "--format=%H", "-G", "hello"});
  EXPECT_EQ(log.out, repo_.Git({"rev-parse", "main"}) + '\n');
  EXPECT_LT(log.peak_rss_bytes, kMost);
}

// Commits without parents, so that each has all files of its tree: 140 with
// one file, and 60 older ones with 90,000.
TEST_F(LargeSearchTest, FilesOfManyCommitsTakeBoundedMemory) {
  constexpr int kSide = 300;
  const auto data = [](const std::string& text) {
    return "data " + std::to_string(text.size()) + "\n" + text + "\n";
  };
  std::string stream = "commit refs/heads/main\ncommitter a <a> 1 +0000\n";
  stream += data("large") + "M 100644 inline small/file\n" + data("7/7");
  for (int i = 0; i < kSide * kSide; ++i) {
    const std::string name =
        std::to_string(i / kSide) + '/' + std::to_string(i % kSide);
    stream += "M 100644 inline large/" + name + '\n' + data(name);
  }
  repo_.Git({"fast-import", "--quiet"}, stream);
  CommitFields fields;
  for (fields.time = 1000; fields.time < 1200; ++fields.time) {
    const char* const tree = fields.time < 1060 ? "large" : "small";
    fields.tree = repo_.Git({"rev-parse", std::string("main:") + tree});
    repo_.SetRef("refs/heads/at" + std::to_string(fields.time),
                 repo_.WriteCommit(fields));
  }
  repo_.Git({"update-ref", "-d", "refs/heads/main"});
  const ProcessResult converted =
      RunZpack({"convert", "-q", "--level", "1", repo_.path(), file_});
  ASSERT_EQ(converted.exit_code, 0) << converted.err;
  const std::string all = repo_.Git({"log", "--all", "--format=%H"}) + '\n';
  for (const char* const pickaxe : {"-S7/7", "-G^7/7$"}) {
    ExpectFound(Search({"log", "--all", "--format=%H", pickaxe}), all);
  }
  const ProcessResult files = Search({"log", "--all", "--format=", "--raw"});
  EXPECT_EQ(std::ranges::count(files.out, '\n'), 60 * kSide * kSide + 140);
  EXPECT_LT(files.peak_rss_bytes, 400 * kMegabyte);
}

}  // namespace
}  // namespace zpack::testing
