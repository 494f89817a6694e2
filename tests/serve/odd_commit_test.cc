// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Commits with odd headers have the time that Git reads in them: in a tar file,
// in the order of a listing, and where a shallow clone ends.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/conversation.h"
#include "support/serve_fixture.h"

namespace zpack::testing {
namespace {

constexpr const char* kAuthor = "author A <a@b> 1600000000 +0000\n";
constexpr const char* kCommitter = "committer C <c@d> 1600000000 +0000\n";

struct OddCommit {
  const char* name;
  std::string headers;  // after the tree and the parent
  // Git before 2.41 looked for the first '>' of the line, not the last, and
  // accepted a '+'.
  bool read_since_2_41 = false;
};

std::vector<OddCommit> OddCommits() {
  const std::string author = kAuthor;
  const std::string committer = kCommitter;
  const auto dated = [&](const std::string& date) {
    return author + "committer C <c@d>" + date + '\n';
  };
  return {
      {"usual", author + committer},
      {"two-authors", author + author + committer},
      {"two-committers", author + committer + "committer C <c@d> 5 +0000\n"},
      {"three-authors-two-committers",
       author + author + author + committer + committer},
      {"no-author", committer},
      {"no-committer", author},
      {"neither", ""},
      {"reversed", committer + author},
      {"header-between", author + "encoding latin1\n" + committer},
      {"header-before", "encoding latin1\n" + author + committer},
      {"empty-author", "author\n" + committer},
      {"empty-committer", author + "committer\n"},
      {"author-word", "authority\n" + committer},
      {"committer-word", author + "committers <c> 1500000000 +0000\n"},
      {"second-tree",
       "tree " + std::string(kEmptyTree) + '\n' + author + committer},
      {"negative", dated(" -5 +0000")},
      {"large-negative", dated(" -1600000000 +0000")},
      {"zero", dated(" 0 +0000")},
      {"negative-zero", dated(" -0 +0000")},
      {"plus", dated(" +1600000000 +0000"), true},
      {"leading-zeros", dated(" 0001600000000 +0000")},
      {"hexadecimal", dated(" 0x5f5e1000 +0000")},
      {"after-2106", dated(" 8589934591 +0000")},
      {"beyond-the-field", dated(" 8589934592 +0000")},
      {"signed-64-bits", dated(" 9223372036854775807 +0000")},
      {"beyond-signed-64-bits", dated(" 9223372036854775808 +0000")},
      {"unsigned-64-bits", dated(" 18446744073709551615 +0000")},
      {"overflow", dated(" 18446744073709551616 +0000")},
      {"long-overflow", dated(" 99999999999999999999999999 +0000")},
      {"negative-overflow", dated(" -99999999999999999999999999 +0000")},
      {"no-zone", dated(" 1600000000")},
      {"space-and-no-zone", dated(" 1600000000 ")},
      {"zone-at-once", dated(" 1600000000+0000")},
      {"odd-zone", dated(" 1600000000 +99999999")},
      {"letters", dated(" monday +0000")},
      {"letters-after", dated(" 1600000000x +0000")},
      {"fraction", dated(" 1600000000.5 +0000")},
      {"nothing", dated("")},
      {"spaces", dated("  \t ")},
      {"many-spaces", dated(" \t  1600000000 +0000")},
      {"no-space", dated("1600000000 +0000")},
      {"carriage-return", dated("\r1600000000 +0000\r")},
      {"minus-space", dated(" - 5 +0000")},
      {"two-minuses", dated(" --5 +0000")},
      {"no-brackets", author + "committer C 1600000000 +0000\n"},
      {"only-bracket", author + "committer >1600000000 +0000\n"},
      {"bracket-after-date", dated(" 1600000000 +0000>"), true},
      {"bracket-in-name", author + "committer C> <c@d> 1600000000 +0000\n",
       true},
      {"bracket-and-date-in-name",
       author + "committer C> 1500000000 <c@d> 1600000000 +0000\n", true},
  };
}

class OddCommitTest : public ServeFixture {
 protected:
  OddCommitTest() {
    const std::string base = repo_.SimpleCommit("base", {}, 1400000000);
    const std::string tree = repo_.Git({"rev-parse", base + "^{tree}"});
    std::string side = base;
    for (const uint64_t time : {1450000000, 1550000000, 1650000000}) {
      side = repo_.SimpleCommit("side", {side}, time);
    }
    for (const OddCommit& odd : OddCommits()) {
      const std::string id =
          repo_.WriteObject("commit", "tree " + tree + "\nparent " + base +
                                          '\n' + odd.headers + "\nmessage\n");
      repo_.SetRef(Odd(odd), id);
      repo_.SetRef(Merge(odd),
                   repo_.SimpleCommit("merge", {side, id}, 1700000000));
    }
    Convert(file_);
  }

  static std::string Odd(const OddCommit& commit) {
    return std::string("refs/odd/") + commit.name;
  }
  static std::string Merge(const OddCommit& commit) {
    return std::string("refs/merge/") + commit.name;
  }
  // Whether the installed Git can be asked for the time of the commit.
  bool GitReads(const OddCommit& commit) const {
    return !commit.read_since_2_41 || GitIsSince(41);
  }

  std::string Zpack(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end() - 1, file_);
    const ProcessResult result = RunZpack(arguments);
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    return result.out;
  }

  // What a server says of the boundary of a clone that begins at a time.
  std::vector<std::string> Boundary(std::vector<std::string> server,
                                    const std::string& path,
                                    const std::string& want,
                                    uint64_t since) const {
    const auto packet = [](const std::string& line) {
      return fmt::format("{:04x}{}", line.size() + 4, line);
    };
    server.insert(server.end(), {"upload-pack", "--stateless-rpc", path});
    const ProcessResult result =
        Run(server, {},
            packet("want " + want + " side-band-64k\n") +
                packet(fmt::format("deepen-since {}\n", since)) + "0000");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::vector<std::string> packets = Packets(result.out);
    std::ranges::sort(packets);
    return packets;
  }
};

TEST_F(OddCommitTest, GiveTheTarFileThatGitGives) {
  for (const OddCommit& commit : OddCommits()) {
    if (!GitReads(commit)) continue;
    EXPECT_TRUE(Zpack({"archive", Odd(commit)}) ==
                repo_.TryGit({"archive", Odd(commit)}).out)
        << commit.name;
  }
}

TEST_F(OddCommitTest, StandWhereGitPutsThemInAListing) {
  for (const OddCommit& commit : OddCommits()) {
    if (!GitReads(commit)) continue;
    EXPECT_EQ(Zpack({"rev-list", Merge(commit)}),
              repo_.TryGit({"rev-list", Merge(commit)}).out)
        << commit.name;
  }
}

TEST_F(OddCommitTest, KeepTheirBytes) {
  for (const OddCommit& commit : OddCommits()) {
    EXPECT_EQ(Zpack({"cat-file", "-p", Odd(commit)}),
              repo_.TryGit({"cat-file", "commit", Odd(commit)}).out)
        << commit.name;
  }
}

TEST_F(OddCommitTest, EndShallowClonesWhereGitEndsThem) {
  for (const OddCommit& commit : OddCommits()) {
    if (!GitReads(commit)) continue;
    const std::string want = repo_.Git({"rev-parse", Merge(commit)});
    for (const uint64_t since : {1500000000, 1600000000}) {
      EXPECT_EQ(Boundary({ZpackBinary()}, file_, want, since),
                Boundary({"git"}, repo_.path(), want, since))
          << commit.name;
    }
  }
}

// The number after the last '>' counts, with every version of Git.
TEST_F(OddCommitTest, MayHaveABracketInTheName) {
  constexpr size_t kTime = 136;  // in the header of a tar file
  for (const char* const name :
       {"usual", "bracket-in-name", "bracket-and-date-in-name"}) {
    EXPECT_EQ(
        Zpack({"archive", std::string("refs/odd/") + name}).substr(kTime, 11),
        "13727410000")
        << name;
  }
  EXPECT_EQ(Zpack({"archive", "refs/odd/bracket-after-date"}).substr(kTime, 11),
            "00000000000");
}

}  // namespace
}  // namespace zpack::testing
