// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A repository that loses objects, and what becomes of it with 'convert
// --keep-going'. Thread-compatible.

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {

class KeepGoingFixture : public ::testing::Test {
 protected:
  using Json = nlohmann::json;

  // What happened to a loose object.
  enum class Loss { kMissing, kEmpty, kTruncated, kGarbage, kOtherContent };
  static constexpr std::array kAllLosses = {Loss::kMissing, Loss::kEmpty,
                                            Loss::kTruncated, Loss::kGarbage,
                                            Loss::kOtherContent};
  static constexpr const char* kContent = "needed\n";

  static std::string LossName(Loss loss) {
    constexpr std::array kNames = {"missing", "empty", "truncated", "garbage",
                                   "other content"};
    return kNames.at(static_cast<size_t>(loss));
  }

  KeepGoingFixture() {
    blob_ = repo_.WriteBlob(kContent);
    const std::string other = repo_.WriteBlob("other\n");
    subtree_ = repo_.WriteTree(TreeEntryBytes("100644", "file", blob_) +
                               TreeEntryBytes("100644", "other", other));
    tree_ = repo_.WriteTree(TreeEntryBytes("40000", "dir", subtree_));
    parent_ = repo_.SimpleCommit("of the parent\n");
    CommitFields fields;
    fields.tree = tree_;
    fields.parents = {parent_};
    commit_content_ = CommitBytes(fields);
    commit_ = repo_.WriteCommit(fields);
    tag_ = repo_.WriteTag(commit_, "commit", "tag");
    repo_.SetRef("refs/heads/main", commit_);
    repo_.SetRef("refs/heads/other", repo_.SimpleCommit("other branch\n"));
    repo_.SetRef("refs/tags/tag", tag_);
    all_ = SplitLines(repo_.Git(
        {"cat-file", "--batch-all-objects", "--batch-check=%(objectname)"}));
  }

  std::map<std::string, std::string> Parts() const {
    return {{"blob", blob_},     {"subtree", subtree_}, {"tree", tree_},
            {"parent", parent_}, {"commit", commit_},   {"tag", tag_}};
  }

  void Lose(const std::string& id, Loss loss) const {
    const std::string path = repo_.LooseObjectPath(id);
    const std::string bytes = ReadFile(path);
    std::filesystem::remove(path);
    if (loss == Loss::kEmpty) WriteFile(path, "");
    if (loss == Loss::kTruncated) {
      WriteFile(path, bytes.substr(0, bytes.size() - 5));
    }
    if (loss == Loss::kGarbage) WriteFile(path, "garbage, not zlib at all");
    if (loss == Loss::kOtherContent) {
      WriteFile(path, ZlibCompress(std::string("blob 6\0stray\n", 13)));
    }
  }

  ProcessResult KeepGoing(const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments = {"convert", "--keep-going"};
    if (std::ranges::find(options, "--update") == options.end()) {
      arguments.emplace_back("--force");
    }
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), {repo_.path(), file_});
    return RunZpack(arguments);
  }
  Json KeepGoingJson() const { return Json::parse(KeepGoing({"--json"}).out); }

  // The ids that a file lists as lost.
  static std::vector<std::string> Losses(const std::string& file) {
    std::vector<std::string> ids;
    const Json json = Json::parse(RunZpack({"verify", "--json", file}).out);
    for (const Json& lost : json["lost_objects"]) ids.push_back(lost["id"]);
    return ids;
  }

  // The ids in what 'git fsck' says of missing and bad objects.
  static std::set<std::string> Complaints(const RepoBuilder& repository) {
    const ProcessResult checked = repository.TryGit({"fsck", "--no-dangling"});
    std::set<std::string> ids;
    for (const std::string& line : SplitLines(checked.out + checked.err)) {
      // "missing blob <id>", and the line after "broken link from <one>".
      static const std::regex kMissing(
          "^(?:missing [a-z]+|error: refs/.*: invalid sha1 pointer|error: "
          "HEAD: invalid sha1 pointer|.* to *[a-z]+) ([0-9a-f]+)$");
      std::smatch match;
      if (std::regex_search(line, match, kMissing)) ids.insert(match[1]);
    }
    return ids;
  }

  // Converts the repository, which has lost exactly `lost`, and expects that
  // the file has everything else, and that everything can be done with it.
  void ExpectKeepsTheRest(const std::vector<std::string>& lost) const {
    const ProcessResult converted = KeepGoing({"--json"});
    ASSERT_EQ(converted.exit_code, lost.empty() ? 0 : 1) << converted.err;
    const Json json = Json::parse(converted.out);
    std::vector<std::string> listed;
    for (const Json& row : json["lost_objects"]) listed.push_back(row["id"]);
    EXPECT_EQ(listed, lost);
    EXPECT_EQ(Losses(file_), lost);
    const ProcessResult verified = RunZpack(
        {"verify", "--level=connectivity", "--against", repo_.path(), file_});
    EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;

    const std::string restored = dir_ / "restored";
    for (const char* command : {"restore", "salvage"}) {
      SCOPED_TRACE(command);
      std::filesystem::remove_all(restored);
      const ProcessResult result = RunZpack({command, file_, restored});
      ASSERT_EQ(result.exit_code, 0) << result.err;
      const RepoBuilder back = RepoBuilder::Existing(restored);
      std::vector<std::string> expected;
      std::ranges::set_difference(
          SplitLines(repo_.Git({"cat-file", "--batch-all-objects",
                                "--batch-check=%(objectname)"})),
          lost, std::back_inserter(expected));
      EXPECT_EQ(SplitLines(back.Git({"cat-file", "--batch-all-objects",
                                     "--batch-check=%(objectname)"})),
                expected);
      for (const std::string& id : Complaints(back)) {
        EXPECT_THAT(lost, ::testing::Contains(id));
      }
      EXPECT_EQ(SplitLines(ReadFile(restored + "/packed-refs")).size(),
                RefLines(lost));
    }
  }

  // Lines of 'packed-refs': one that names its form, three refs, and what the
  // tag peels to, unless that cannot be known.
  size_t RefLines(const std::vector<std::string>& lost) const {
    const auto is_lost = [&](const std::string& id) {
      return std::ranges::find(lost, id) != lost.end();
    };
    return is_lost(tag_) || is_lost(commit_) ? 4 : 5;
  }

  TempDir dir_;
  RepoBuilder repo_{dir_ / "repo"};
  std::string file_ = dir_ / "x.zpack";
  std::string blob_, subtree_, tree_, parent_, commit_, tag_;
  std::string commit_content_;
  std::vector<std::string> all_;  // objects
};

}  // namespace zpack::testing
