// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The batch modes of cat-file print the same bytes as Git's.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

class CatFileBatchTest : public ::testing::Test {
 protected:
  // What all tests only read.
  struct Fixture {
    Fixture() : repo(dir / "repo"), file(dir / "x.zpack") {
      tip = repo.History(4);
      repo.SetRef("refs/tags/v1", repo.WriteTag(tip, "commit", "v1"));
      repo.SetRef("refs/heads/with%percent", tip);
      repo.WriteBlob("");
      repo.WriteBlob(std::string("binary \0\n\xff", 10));
      // Enough that some share four digits.
      for (int i = 0; i < 1200; ++i) {
        repo.WriteBlob("blob " + std::to_string(i));
      }
      repo.PackAll();
      Require(RunZpack({"convert", "-q", repo.path(), file}).ok(), "convert");
    }
    TempDir dir;
    RepoBuilder repo;
    std::string file;
    std::string tip;
  };
  static void SetUpTestSuite() { fixture_ = std::make_unique<Fixture>(); }
  static void TearDownTestSuite() { fixture_.reset(); }

  void ExpectSame(const std::vector<std::string>& options,
                  const std::string& input = "") const {
    std::vector<std::string> arguments = {"cat-file"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProcessResult gits = repo_.TryGit(arguments, input);
    arguments.push_back(file_);
    ProcessOptions process;
    process.input = input;
    const ProcessResult ours = RunZpack(arguments, process);
    EXPECT_EQ(ours.exit_code, gits.exit_code)
        << ::testing::PrintToString(options) << ours.err;
    EXPECT_TRUE(ours.out == gits.out)
        << ::testing::PrintToString(options) << "\nours:\n"
        << ours.out.substr(0, 2000) << "\nGit's:\n"
        << gits.out.substr(0, 2000);
  }

  static inline std::unique_ptr<Fixture> fixture_;
  const RepoBuilder& repo_ = fixture_->repo;
  const std::string& file_ = fixture_->file;
  const std::string& tip_ = fixture_->tip;
};

TEST_F(CatFileBatchTest, Commands) {
  const std::string id = tip_.substr(0, 9);
  const std::string good = "info " + tip_ + "\ncontents " + id +
                           "\ninfo v1^{tree}\ncontents none\ninfo 12\n"
                           "contents v1\r\ninfo  v1\ninfo v1 rest\n"
                           "contents refs/heads/with%percent\n";
  for (const std::string_view end :
       {"", "flush\n", "flush", "bogus v1\n", "bogus", "\n", " info v1\n",
        "\tinfo v1\n", "info\n", "infov1\n", "contents\n", "contents\tv1\n",
        "flush v1\n", "info \n", "Info v1\n"}) {
    SCOPED_TRACE(end);
    ExpectSame({"--batch-command"}, good + std::string(end));
    ExpectSame({"--batch-command", "--buffer"}, good + std::string(end));
    ExpectSame({"--batch-command", "--buffer"},
               good + "flush\n" + good + std::string(end));
  }
  ExpectSame({"--batch-command=%(objecttype) %(objectname) %(rest)"}, good);
  std::string nul = good;
  std::ranges::replace(nul, '\n', '\0');
  ExpectSame({"--batch-command", "-z"}, nul);
}

// Without a line feed, a carriage return is part of the name.
TEST_F(CatFileBatchTest, LastLineWithoutAnEnd) {
  for (const std::string_view input :
       {"v1", "v1\r", "v1\r\n", "\r", "v1\n\r"}) {
    ExpectSame({"--batch-check"}, std::string(input));
    ExpectSame({"--batch-command"}, "info " + std::string(input));
  }
}

TEST_F(CatFileBatchTest, AnswersBeforeTheInputEndsWhenToldToFlush) {
  const ProcessResult result = RunProcess(
      {"bash", "-c",
       "coproc Z { exec \"$0\" cat-file --batch-command --buffer \"$1\"; }\n"
       "printf 'info v1\\nflush\\n' >&${Z[1]}\n"
       "read -t 60 -r line <&${Z[0]} && echo \"$line\"",
       ZpackBinary(), file_});
  EXPECT_EQ(result.out,
            repo_.Git({"cat-file", "--batch-check"}, "v1\n") + '\n');
}

TEST_F(CatFileBatchTest, AllObjects) {
  ExpectSame({"--batch-all-objects", "--batch-check"});
  ExpectSame({"--batch-all-objects", "--batch"});
  ExpectSame(
      {"--batch-all-objects", "--batch-check=%(objectsize)x%(objecttype)"});
  ExpectSame({"--batch-all-objects", "--batch-check=%(rest)|%(objectname)"});
}

TEST_F(CatFileBatchTest, AllObjectsUnorderedAreTheSameOnes) {
  const ProcessResult ordered =
      RunZpack({"cat-file", "--batch-all-objects", "--batch-check", file_});
  const ProcessResult unordered =
      RunZpack({"cat-file", "--batch-all-objects", "--batch-check",
                "--unordered", file_});
  std::vector<std::string> lines = SplitLines(unordered.out);
  EXPECT_NE(lines, SplitLines(ordered.out));
  std::ranges::sort(lines);
  EXPECT_EQ(lines, SplitLines(ordered.out));
}

// The objects that --batch has printed, by their lines.
std::map<std::string, std::string> ParseBatch(std::string_view text) {
  std::map<std::string, std::string> objects;
  while (!text.empty()) {
    const size_t line = text.find('\n');
    const std::string head(text.substr(0, line));
    const size_t size = std::stoul(head.substr(head.rfind(' ')));
    objects[head] = text.substr(line + 1, size);
    text.remove_prefix(line + 1 + size + 1);
  }
  return objects;
}

TEST_F(CatFileBatchTest, NamesKeepTheirOrder) {
  ExpectSame({"--batch-check", "--unordered"}, "v1\nHEAD\nv1\n");
  ExpectSame({"--batch", "--unordered"}, "v1\nHEAD\nv1\n");
}

TEST_F(CatFileBatchTest, AllObjectsUnorderedHaveTheirContents) {
  const std::string gits =
      repo_.TryGit({"cat-file", "--batch-all-objects", "--batch"}, "").out;
  const ProcessResult ours = RunZpack(
      {"cat-file", "--batch-all-objects", "--unordered", "--batch", file_});
  ASSERT_TRUE(ours.ok());
  EXPECT_NE(ours.out, gits);
  EXPECT_EQ(ParseBatch(ours.out), ParseBatch(gits));
}

// One bad name does not end the answers.
TEST_F(CatFileBatchTest, SearchesThatCannotBeReadAreMissing) {
  const std::string input = ":/[\nHEAD^{/[}\n:/!x\nHEAD\n";
  ExpectSame({"--batch-check"}, input);
  ExpectSame({"--batch-check", "--buffer"}, input);
}

TEST_F(CatFileBatchTest, AFormatEndsItsElements) {
  const ProcessResult result =
      RunZpack({"cat-file", "--batch-check=%(objectsize", file_});
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err,
              ::testing::HasSubstr("'(objectsize' does not end in ')'"));
}

TEST_F(CatFileBatchTest, BufferedNames) {
  const std::string input =
      "HEAD one\ngone two\nmain three\n" + FakeId('5') + "\nv1\n";
  ExpectSame({"--batch", "--buffer"}, input);
  ExpectSame({"--batch-check", "--buffer"}, input);
  ExpectSame({"--batch=%(objectname) %(rest)", "--buffer"}, input);
  ExpectSame({"--batch", "--buffer"}, "gone\n");
  ExpectSame({"--batch", "--buffer"}, "");
}

TEST_F(CatFileBatchTest, NamesThatEndInNul) {
  const std::string input("HEAD\0two\nlines\0main\r\0v1", 24);
  ExpectSame({"--batch-check", "-z"}, input);
  ExpectSame({"--batch", "-z", "--buffer"}, input);
  ProcessOptions process;
  process.input = std::string("HEAD\0v1\0gone\0", 13);
  const ProcessResult lines =
      RunZpack({"cat-file", "--batch-check", "-z", file_}, process);
  const ProcessResult nuls =
      RunZpack({"cat-file", "--batch-check", "-Z", file_}, process);
  ASSERT_TRUE(lines.ok() && nuls.ok());
  std::string expected = lines.out;
  std::ranges::replace(expected, '\n', '\0');
  EXPECT_EQ(nuls.out, expected);
  process.input = std::string(kEmptyBlob) + '\0';
  EXPECT_EQ(RunZpack({"cat-file", "--batch", "-Z", file_}, process).out,
            std::string(kEmptyBlob) + std::string(" blob 0\0\0", 9));
}

TEST_F(CatFileBatchTest, Filters) {
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"cat-file", "--batch-all-objects"});
    arguments.push_back(file_);
    const ProcessResult result = RunZpack(arguments);
    EXPECT_TRUE(result.ok()) << result.err;
    return result.out;
  };
  const auto lines_with = [](const std::string& text, std::string_view part) {
    std::string lines;
    for (const std::string& line : SplitLines(text)) {
      if (line.find(part) != std::string::npos) lines += line + '\n';
    }
    return lines;
  };
  const std::string all = run({"--batch-check"});
  const std::string trees = lines_with(all, " tree ");
  ASSERT_NE(trees, "");
  EXPECT_EQ(run({"--batch-check", "--filter=object:type=tree"}), trees);
  // Of the blobs, only the empty one has less than 1 byte.
  const std::string no_blobs =
      lines_with(all, " commit ") + trees + lines_with(all, " tag ");
  std::vector<std::string> expected_lines =
      SplitLines(no_blobs + std::string(kEmptyBlob) + " blob 0\n");
  std::ranges::sort(expected_lines);
  for (const char* filter : {"--filter=blob:limit=1",
                             "--filter=combine:blob:limit=1+blob:limit=9"}) {
    EXPECT_EQ(SplitLines(run({"--batch-check", filter})), expected_lines);
  }
  for (const char* order : {"--unordered", "--buffer"}) {
    std::map<std::string, std::string> expected =
        ParseBatch(run({"--batch", order}));
    std::erase_if(expected, [](const auto& object) {
      return object.first.find(" blob ") != std::string::npos;
    });
    EXPECT_EQ(ParseBatch(run({"--batch", order, "--filter=blob:none"})),
              expected);
  }
}

TEST_F(CatFileBatchTest, NamesOfFilteredObjects) {
  ProcessOptions process;
  repo_.SetRef("refs/tags/empty", kEmptyBlob);
  const std::string file = file_ + "-empty";
  ASSERT_TRUE(RunZpack({"convert", "-q", repo_.path(), file}).ok());
  const std::string abbreviated = std::string(kEmptyBlob).substr(0, 12);
  process.input = abbreviated + "\nempty\nHEAD\ngone\n";
  const std::string size = repo_.Git({"cat-file", "-s", tip_});
  for (const char* option : {"--unverified-stream", "--buffer"}) {
    const ProcessResult result = RunZpack(
        {"cat-file", "--batch", option, "--filter=blob:none", file}, process);
    EXPECT_THAT(result.out, ::testing::StartsWith(
                                abbreviated + " excluded\nempty excluded\n" +
                                tip_ + " commit " + size + "\n"));
    EXPECT_THAT(result.out, ::testing::EndsWith("gone missing\n"));
  }
  const ProcessResult tree = RunZpack(
      {"cat-file", "--batch-check", "--filter=tree:1", file_}, process);
  EXPECT_EQ(tree.exit_code, 129);
  const ProcessResult bad = RunZpack(
      {"cat-file", "--batch-check", "--filter=blob:some", file_}, process);
  EXPECT_EQ(bad.exit_code, 128);
  EXPECT_THAT(bad.err, ::testing::HasSubstr("invalid filter-spec 'blob:some'"));
}

TEST_F(CatFileBatchTest, NamesOfEveryKind) {
  const std::string input = tip_ + "\nHEAD\nmain\nv1\nrefs/tags/v1\n@\n" +
                            tip_.substr(0, 12) + "\nwith%percent\n" +
                            std::string(kEmptyBlob) + '\n';
  ExpectSame({"--batch-check"}, input);
  ExpectSame({"--batch"}, input);
}

TEST_F(CatFileBatchTest, MissingNames) {
  const std::string input = "gone\n" + FakeId('5') + "\n\n \nabc\n" + tip_ +
                            std::string(25, '0') + "\nrefs/heads\n" +
                            std::string(2000, 'x') + "\nHEAD trailing\n";
  ExpectSame({"--batch-check"}, input);
  ExpectSame({"--batch"}, input);
  ExpectSame({"--batch-check=%(objectname)"}, input);
}

TEST_F(CatFileBatchTest, AmbiguousNames) {
  // Every prefix of four digits that occurs: some are ambiguous.
  std::string input;
  for (const std::string& line : SplitLines(
           repo_.Git({"cat-file", "--batch-all-objects", "--batch-check"}))) {
    input += line.substr(0, 4) + '\n';
  }
  ExpectSame({"--batch-check"}, input);
  ProcessOptions process;
  process.input = input;
  EXPECT_THAT(RunZpack({"cat-file", "--batch-check", file_}, process).out,
              ::testing::HasSubstr(" ambiguous\n"));
}

TEST_F(CatFileBatchTest, Formats) {
  const std::string input =
      "main rest of the line\nv1\t tab  and   spaces \nHEAD\ngone too\n";
  for (const char* const format :
       {"%(objectname) %(rest)", "%(rest)", "[%(objecttype)] %(objectsize)",
        "%(objecttype)%(objecttype)", "100%%", "%", "%%(objectname)", "%x",
        "no elements", "%(objectname)\t%(rest)|"}) {
    ExpectSame({"--batch-check=" + std::string(format)}, input);
    ExpectSame({"--batch=" + std::string(format)}, input);
  }
}

TEST_F(CatFileBatchTest, UnknownFormatElementIsRefused) {
  for (const char* const format :
       {"%(nosuch)", "%(objectname) %(nosuch)", "%()"}) {
    const ProcessResult gits =
        repo_.TryGit({"cat-file", "--batch-check=" + std::string(format)});
    const ProcessResult ours =
        RunZpack({"cat-file", "--batch-check=" + std::string(format), file_});
    EXPECT_EQ(ours.exit_code, gits.exit_code) << format;
    EXPECT_EQ(ours.exit_code, 128);
    EXPECT_EQ(ours.out, "");
  }
}

TEST_F(CatFileBatchTest, LastLineMayLackItsLineFeed) {
  ExpectSame({"--batch-check"}, "main\nHEAD");
  ExpectSame({"--batch-check"}, "");
}

TEST_F(CatFileBatchTest, LinesMayEndInCarriageReturns) {
  ExpectSame({"--batch-check"}, "main\r\nHEAD\r\n");
}

TEST_F(CatFileBatchTest, NulInALineIsNoReasonToCrash) {
  ProcessOptions process;
  process.input = std::string("main\0x\nHEAD\n", 12);
  const std::string size = repo_.Git({"cat-file", "-s", tip_});
  const ProcessResult ours =
      RunZpack({"cat-file", "--batch-check", file_}, process);
  EXPECT_EQ(ours.exit_code, 0);
  EXPECT_THAT(ours.out, ::testing::EndsWith(tip_ + " commit " + size + "\n"));
}

TEST_F(CatFileBatchTest, ManyRequestsAreAnswered) {
  std::string input;
  for (int i = 0; i < 20000; ++i) {
    input += HashObject("blob", "blob " + std::to_string(i % 1200)) + '\n';
  }
  ExpectSame({"--batch-check"}, input);
  ExpectSame({"--batch"}, input);
}

TEST_F(CatFileBatchTest, ReaderThatGoesAwayEndsTheProgram) {
  const ProcessResult result = RunProcess(
      {"sh", "-c",
       "\"$0\" cat-file --batch --batch-all-objects \"$1\" | head -1",
       ZpackBinary(), file_});
  EXPECT_EQ(SplitLines(result.out).size(), 1U);
}

}  // namespace
}  // namespace zpack::testing
