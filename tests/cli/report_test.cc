// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// 'git-zpack report' agrees with Git and with 'show --stats', and names the
// commits that brought what is large.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class ReportTest : public ::testing::Test {
 protected:
  ReportTest() : repo_(dir_ / "repo"), file_(dir_ / "x.zpack") {}

  Json Report(const std::string& path) const {
    const ProcessResult result = RunZpack({"report", "-q", "--json", path});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Json::parse(result.out);
  }
  void Convert() const {
    Require(RunZpack({"convert", "-q", "--force", repo_.path(), file_}).ok(),
            "convert");
  }
  // Commits a tree, and points main at the commit.
  std::string Commit(const std::string& tree, const std::string& message,
                     uint64_t time, const std::vector<std::string>& parents) {
    CommitFields fields;
    fields.tree = repo_.WriteTree(tree);
    fields.message = message;
    fields.time = time;
    fields.parents = parents;
    const std::string id = repo_.WriteCommit(fields);
    repo_.SetRef("refs/heads/main", id);
    return id;
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_;
};

TEST_F(ReportTest, CountsAreThoseOfCountObjects) {
  repo_.History(5);
  repo_.PackAll();
  repo_.WriteBlob("loose\n");
  repo_.WriteBlob(RandomBytes(1, 10000));
  const Json counts = Report(repo_.path())["count_objects"];
  std::string text;
  for (const auto& [key, value] : counts.items()) {
    text += key + ": " + std::to_string(value.get<uint64_t>()) + '\n';
  }
  const std::string git = repo_.Git({"count-objects", "-v"});
  for (const auto& [key, value] : counts.items()) {
    EXPECT_THAT('\n' + git + '\n',
                HasSubstr('\n' + key + ": " +
                          std::to_string(value.get<uint64_t>()) + '\n'));
  }
  EXPECT_EQ(counts.size(), 5U);
}

TEST_F(ReportTest, LooseObjectsOfAnAlternateHaveTheBytesOfTheirFiles) {
  repo_.History(5);
  const std::string clone = dir_ / "clone";
  repo_.Git({"clone", "-q", "--bare", "--shared", repo_.path(), clone});
  const Json types = Report(repo_.path())["types"];
  EXPECT_GT(types["blob"]["stored_bytes"], 0);
  EXPECT_EQ(Report(clone)["types"], types);
}

TEST_F(ReportTest, TypesOfARepositoryAndOfItsFileHaveTheSameObjects) {
  repo_.History(7);
  Convert();
  const Json repository = Report(repo_.path());
  const Json file = Report(file_);
  for (const char* const type : {"commit", "tree", "blob", "tag"}) {
    for (const char* const key : {"objects", "content_bytes"}) {
      EXPECT_EQ(repository["types"][type][key], file["types"][type][key]);
    }
  }
  EXPECT_EQ(repository["months"].size(), file["months"].size());
  EXPECT_EQ(repository["history_commits"], 7);
}

TEST_F(ReportTest, StatisticsAreThoseOfShow) {
  repo_.History(7);
  Convert();
  const Json report = Report(file_);
  const ProcessResult show = RunZpack({"show", "--stats", "--json", file_});
  EXPECT_EQ(report["statistics"], Json::parse(show.out));
  uint64_t stored = 0;
  for (const Json& extension : report["statistics"]["extensions"]) {
    stored += extension["stored_bytes"].get<uint64_t>();
  }
  EXPECT_EQ(report["types"]["blob"]["stored_bytes"], stored);
  EXPECT_EQ(report["directories"][0]["stored_bytes"], stored);
  std::map<std::string, uint64_t> streams;
  for (const Json& stream : report["statistics"]["streams"]) {
    streams[stream["type"]] += stream["stored_bytes"].get<uint64_t>();
  }
  for (const auto& [type, bytes] : streams) {
    EXPECT_EQ(report["types"][type]["stored_bytes"], bytes) << type;
  }
}

TEST_F(ReportTest, NamesTheCommitThatBroughtABlob) {
  const std::string small = repo_.WriteBlob("small\n");
  const std::string large = repo_.WriteBlob(RandomBytes(2, 50000));
  const std::string first =
      Commit(TreeEntryBytes("100644", "a", small), "first\n", 1600000000, {});
  const std::string tree = TreeEntryBytes("100644", "a", small) +
                           TreeEntryBytes("100644", "big.bin", large);
  const std::string second = Commit(tree, "second\n", 1700000000, {first});
  Commit(tree + TreeEntryBytes("100644", "c", small), "third\n", 1710000000,
         {second});
  const Json report = Report(repo_.path());
  const Json blob = report["largest_blobs"][0];
  EXPECT_EQ(blob["id"], large);
  EXPECT_EQ(blob["path"], "big.bin");
  const Json commit = report["commits"][blob["commit"].get<size_t>()];
  EXPECT_EQ(commit["id"], second);
  EXPECT_EQ(commit["subject"], "second");
  EXPECT_EQ(commit["date"], "2023-11-14");
  EXPECT_EQ(report["months"].size(), 3U);
  EXPECT_EQ(report["months"][1]["month"], "2023-11");
  EXPECT_EQ(report["incompressible"][0]["reason"], "high entropy");
}

TEST_F(ReportTest, DirectoriesAddUpToTheBlobs) {
  const std::string blob = repo_.WriteBlob(RandomBytes(3, 20000));
  const std::string other = repo_.WriteBlob(RandomBytes(4, 30000));
  const std::string inner =
      repo_.WriteTree(TreeEntryBytes("100644", "x.png", other));
  Commit(TreeEntryBytes("100644", "a.c", blob) +
             TreeEntryBytes("40000", "sub", inner),
         "m\n", 1600000000, {});
  const Json rows = Report(repo_.path())["directories"];
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0]["files"], 2);
  EXPECT_EQ(rows[0]["content_bytes"], 50000);
  uint64_t below = 0;
  for (size_t i = 1; i < rows.size(); ++i) {
    if (rows[i]["parent"] == 0) {
      below += rows[i]["stored_bytes"].get<uint64_t>();
    }
  }
  EXPECT_EQ(rows[0]["stored_bytes"], below);
}

TEST_F(ReportTest, NothingInThePageComesFromAName) {
  const std::string blob = repo_.WriteBlob("content\n");
  Commit(TreeEntryBytes("100644", "</script><script>alert(1)</script>", blob) +
             TreeEntryBytes("100644", "\x1b[2J\xe2\x80\xae", blob),
         "<b>&amp;\n", 1600000000, {});
  const std::string page = dir_ / "page.html";
  const ProcessResult result =
      RunZpack({"report", "-q", "--html", page, repo_.path()});
  if (result.exit_code == 128 &&
      result.err.find("built without pages") != std::string::npos) {
    GTEST_SKIP() << "built without the npm packages";
  }
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  const std::string html = ReadFile(page);
  EXPECT_THAT(html, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(html,
              HasSubstr("\\u003c/script\\u003e\\u003cscript\\u003ealert"));
  EXPECT_THAT(html, Not(HasSubstr("\x1b")));
  EXPECT_THAT(html, Not(HasSubstr("<b>")));
  EXPECT_THAT(html, Not(HasSubstr("src=\"http")));
  EXPECT_LT(html.size(), 2'000'000U);
  const ProcessResult text = RunZpack({"report", "-q", repo_.path()});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_THAT(text.out, Not(HasSubstr("\x1b")));
}

TEST_F(ReportTest, PageReplacesNothingElse) {
  repo_.History(2);
  Convert();
  const std::string head =
      repo_.Git({"rev-parse", "--absolute-git-dir"}) + "/HEAD";
  const std::string content = ReadFile(file_);
  const auto write = [&](const std::string& page, const std::string& source) {
    return RunZpack({"report", "-q", "--html", page, source}).exit_code;
  };
  EXPECT_EQ(write(file_, file_), 128);
  EXPECT_EQ(write(file_, repo_.path()), 128);
  EXPECT_TRUE(ReadFile(file_) == content);
  EXPECT_EQ(write(head, repo_.path()), 128);
  EXPECT_EQ(ReadFile(head).substr(0, 5), "ref: ");
  const std::string page = dir_ / "page.html";
  const std::string link = dir_ / "link.html";
  if (RunZpack({"report", "-q", "--html", page, file_}).exit_code != 0) {
    GTEST_SKIP() << "built without npm";
  }
  std::filesystem::permissions(page, std::filesystem::perms::owner_read |
                                         std::filesystem::perms::owner_write);
  std::filesystem::create_symlink(page, link);
  EXPECT_EQ(write(link, repo_.path()), 0);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(
      std::filesystem::status(page).permissions(),
      std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(write("/dev/null", repo_.path()), 0);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(ReportTest, PageOfSomebodyElseIsReplacedOnlyWithForce) {
  repo_.History(2);
  const auto write = [&](const std::string& page,
                         const std::vector<std::string>& options) {
    std::vector<std::string> command = {"report", "-q", "--html", page,
                                        repo_.path()};
    command.insert(command.end(), options.begin(), options.end());
    return RunZpack(command);
  };
  const std::string own = dir_ / "own.html";
  if (write(own, {}).exit_code != 0) GTEST_SKIP() << "built without npm";
  EXPECT_EQ(write(own, {}).exit_code, 0);
  const std::string title = "<title>git-zpack report</title>";
  const std::vector<std::string> others = {
      "<!doctype html>\n<title>A page about my cat</title>\n",
      "<!doctype html>", "<!DOCTYPE HTML>\n" + title,
      "<!doctype html>\n" + std::string(5000, ' ') + title,
      "no page about " + title};
  const std::string page = dir_ / "page.html";
  for (const std::string& content : others) {
    WriteFile(page, content);
    const ProcessResult refused = write(page, {});
    EXPECT_EQ(refused.exit_code, 128) << content;
    EXPECT_THAT(refused.err, HasSubstr("use --force to replace it"));
    EXPECT_EQ(ReadFile(page), content);
    EXPECT_EQ(write(page, {"--force"}).exit_code, 0) << content;
    EXPECT_THAT(ReadFile(page), HasSubstr(title));
  }
  // But never what the report is about.
  Convert();
  const std::string content = ReadFile(file_);
  EXPECT_EQ(
      RunZpack({"report", "-q", "--force", "--html", file_, file_}).exit_code,
      128);
  EXPECT_TRUE(ReadFile(file_) == content);
  EXPECT_EQ(RunZpack({"report", "-q", "--force", file_}).exit_code, 129);
}

TEST_F(ReportTest, ProfilesHaveTheSizesOfTheirFiles) {
  repo_.History(7);
  const std::vector<std::string> command = {"report", "-q", "--profiles",
                                            repo_.path()};
  const ProcessResult text = RunZpack(command);
  EXPECT_EQ(text.exit_code, 0) << text.err;
  std::vector<std::string> with_json = command;
  with_json.emplace_back("--json");
  const Json rows = Json::parse(RunZpack(with_json).out)["profiles"];
  const std::vector<std::string> profiles = {"fast", "balanced", "max", "cold"};
  ASSERT_EQ(rows.size(), profiles.size());
  for (size_t i = 0; i < profiles.size(); ++i) {
    EXPECT_EQ(rows[i]["profile"], profiles[i]);
    Require(RunZpack({"convert", "-q", "--force", "--profile", profiles[i],
                      repo_.path(), file_})
                .ok(),
            "convert");
    const uint64_t size = std::filesystem::file_size(file_);
    EXPECT_EQ(rows[i]["file_bytes"], size);
    EXPECT_THAT(text.out,
                ContainsRegex(profiles[i] + " +" + std::to_string(size) + " "));
  }
  EXPECT_FALSE(Report(repo_.path()).contains("profiles"));
}

TEST_F(ReportTest, ProfilesOfAFileAreAUsageError) {
  repo_.History(2);
  Convert();
  const ProcessResult result = RunZpack({"report", "-q", "--profiles", file_});
  EXPECT_EQ(result.exit_code, 129);
  EXPECT_THAT(result.err, HasSubstr("'--profiles' needs a repository"));
}

TEST_F(ReportTest, AnEmptyRepositoryHasAReport) {
  const Json report = Report(repo_.path());
  EXPECT_EQ(report["history_commits"], 0);
  EXPECT_EQ(report["types"]["blob"]["objects"], 0);
  EXPECT_EQ(report["months"], Json::array());
  Convert();
  EXPECT_EQ(Report(file_)["types"]["blob"]["objects"], 0);
}

TEST_F(ReportTest, MissingRepositoriesAndFilesAreErrors) {
  const ProcessResult result = RunZpack({"report", dir_ / "none"});
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err, HasSubstr("fatal: "));
  WriteFile(dir_ / "text", "no archive\n");
  EXPECT_EQ(RunZpack({"report", dir_ / "text"}).exit_code, 128);
  EXPECT_EQ(RunZpack({"report"}).exit_code, 129);
}

}  // namespace
}  // namespace zpack::testing
