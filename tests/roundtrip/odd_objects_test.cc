// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Objects are bytes. Whatever Git can hold comes back as it was, however odd:
// nothing is parsed that need not be, and nothing is put right.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

constexpr const char* kAuthor =
    "author A U Thor <author@example.com> 1700000000 +0100\n";
constexpr const char* kCommitter =
    "committer C O Mitter <committer@example.com> 1700000000 +0100\n";

class OddObjectsTest : public ::testing::Test {
 protected:
  OddObjectsTest() : repo_(dir_ / "repo"), tip_(repo_.History(2)) {}

  // Reachable from a ref, as loose objects and in a pack; and with little
  // blocks, so that odd objects are at the edges of some.
  void ExpectComesBack(const std::vector<std::string>& ids) {
    for (const std::string& id : ids) repo_.SetRef("refs/odd/" + id, id);
    ExpectUnreachableComesBack();
  }
  void ExpectUnreachableComesBack() {
    ExpectRoundTrip(repo_.path(), dir_, {}, fsck_);
    repo_.PackAll();
    ExpectRoundTrip(repo_.path(), dir_,
                    {"--reachable", "--level", "1", "--block-size", "4k"},
                    fsck_);
  }
  void ExpectCommitsComeBack(const std::vector<std::string>& contents) {
    std::vector<std::string> ids;
    for (const std::string& content : contents) {
      ids.push_back(repo_.WriteObject("commit", content));
    }
    ExpectComesBack(ids);
  }
  void ExpectTreeComesBack(const std::string& content) {
    CommitFields fields;
    fields.tree = repo_.WriteTree(content);
    ExpectComesBack({repo_.WriteCommit(fields)});
  }

  std::string Entry(std::string_view mode, std::string_view name) const {
    return TreeEntryBytes(mode, name, repo_.WriteBlob(name));
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string tip_;
  Fsck fsck_ = Fsck::kCompare;
};

TEST_F(OddObjectsTest, EmptyBlobAndSmallBlobs) {
  std::string tree = TreeEntryBytes("100644", "empty", repo_.WriteBlob(""));
  for (int byte = 0; byte < 256; ++byte) {
    const std::string one(1, static_cast<char>(byte));
    tree += TreeEntryBytes("100644", "f" + std::to_string(1000 + byte),
                           repo_.WriteBlob(one));
  }
  ExpectTreeComesBack(tree);
}

TEST_F(OddObjectsTest, ModesOfEveryKind) {
  ExpectTreeComesBack(Entry("100600", "a") + Entry("100644", "b") +
                      Entry("100664", "c") + Entry("100755", "d") +
                      Entry("120000", "e") + Entry("160000", "f"));
}

TEST_F(OddObjectsTest, ZeroPaddedModes) {
  const std::string inner = repo_.WriteTree(Entry("0100644", "x"));
  ExpectTreeComesBack(Entry("0100644", "a") + Entry("00100755", "b") +
                      TreeEntryBytes("040000", "c", inner) +
                      TreeEntryBytes("0000000040000", "d", inner));
}

TEST_F(OddObjectsTest, ModesThatMeanNothing) {
  ExpectTreeComesBack(Entry("0", "a") + Entry("1", "b") +
                      Entry("777777777", "c") + Entry("010000", "d"));
}

TEST_F(OddObjectsTest, ModeThatIsWiderThanThirtyTwoBits) {
  // Lowest bits of a tree, of a gitlink: nothing may follow them blindly.
  ExpectTreeComesBack(Entry("7777777777740000", "a") +
                      Entry("100000000000160000", "b"));
}

TEST_F(OddObjectsTest, UnsortedTree) {
  ExpectTreeComesBack(Entry("100644", "z") + Entry("100644", "a") +
                      Entry("100644", "m"));
}

TEST_F(OddObjectsTest, DuplicateEntries) {
  ExpectTreeComesBack(Entry("100644", "same") + Entry("100644", "same") +
                      Entry("100755", "same"));
}

TEST_F(OddObjectsTest, NamesThatCheckoutWouldRefuse) {
  const std::string inner = repo_.WriteTree(Entry("100644", "x"));
  ExpectTreeComesBack(
      Entry("100644", "") + Entry("100644", ".") + Entry("100644", "..") +
      TreeEntryBytes("40000", ".git", inner) + Entry("100644", "a/b") +
      Entry("100644", "new\nline") + Entry("100644", "\xff\xfe\x80") +
      Entry("100644", "la\xe4tin") + Entry("100644", "tab\tname") +
      Entry("100644", std::string(5000, 'n')));
}

TEST_F(OddObjectsTest, EntryOfAnotherTypeThanItsModeSays) {
  fsck_ = Fsck::kSkip;
  const std::string blob = repo_.WriteBlob("a blob");
  const std::string tree = repo_.WriteTree(Entry("100644", "x"));
  ExpectTreeComesBack(TreeEntryBytes("40000", "blob", blob) +
                      TreeEntryBytes("100644", "commit", tip_) +
                      TreeEntryBytes("100644", "tree", tree));
}

TEST_F(OddObjectsTest, TreeWithAHundredThousandEntries) {
  std::string tree;
  const std::string one = repo_.WriteBlob("one\n");
  const std::string two = repo_.WriteBlob("two\n");
  for (int i = 100000; i < 200000; ++i) {
    tree += TreeEntryBytes("100644", "file-" + std::to_string(i),
                           i % 3 == 0 ? one : two);
  }
  ExpectTreeComesBack(tree);
}

TEST_F(OddObjectsTest, DirectoriesNestedAThousandDeep) {
  std::string tree = repo_.WriteTree(Entry("100644", "bottom"));
  for (int i = 0; i < 1000; ++i) {
    tree = repo_.WriteTree(TreeEntryBytes("40000", "d", tree));
  }
  CommitFields fields;
  fields.tree = tree;
  repo_.SetRef("refs/odd/deep", repo_.WriteCommit(fields));
  repo_.PackAll();
  ExpectRoundTrip(repo_.path(), dir_);
}

TEST_F(OddObjectsTest, MalformedTrees) {
  repo_.WriteTree("garbage");
  repo_.WriteTree("100644 no-nul");
  repo_.WriteTree(std::string("100644 short\0abc", 16));
  repo_.WriteTree(std::string("100644 \0", 8) +
                  std::string(IdDigits() / 2, 'x'));
  repo_.WriteTree(std::string(1, '\0'));
  repo_.WriteTree(Entry("100644", "good") + "then garbage");
  ExpectUnreachableComesBack();
}

TEST_F(OddObjectsTest, MalformedTreeThatIsReachable) {
  ExpectTreeComesBack(Entry("100644", "good") + "then garbage");
}

TEST_F(OddObjectsTest, MalformedTreeModeThatIsNotOctal) {
  ExpectTreeComesBack(Entry("100644", "good") + Entry("10x644", "bad"));
}

TEST_F(OddObjectsTest, CommitsThatLackThings) {
  const std::string tree = "tree " + std::string(kEmptyTree) + '\n';
  ExpectCommitsComeBack({tree + kCommitter + "\nno author\n", tree + kAuthor,
                         tree, tree + kAuthor + kCommitter});
}

TEST_F(OddObjectsTest, CommitsWithAnEmptyAuthorAndOddDates) {
  const std::string tree = "tree " + std::string(kEmptyTree) + '\n';
  ExpectCommitsComeBack({tree + "author  <> 0 +0000\ncommitter <> 0 +0000\n\n",
                         tree + "author a <b> 99999999999999999999 +9999\n"
                                "committer a <b> -1 -0000\n\nx",
                         tree + "author a\ncommitter b\n\nno mail"});
}

TEST_F(OddObjectsTest, MessagesWithNulCrlfAndWithoutLastLineFeed) {
  CommitFields fields;
  for (const std::string& message :
       {std::string("nul \0 inside\n", 13), std::string("crlf\r\nlines\r\n"),
        std::string("no line feed"), std::string(), std::string("\n\n\n"),
        std::string("\xff\xfe not UTF-8\n"), std::string(70000, 'x')}) {
    fields.message = message;
    repo_.SetRef("refs/odd/" + HashObject("blob", message),
                 repo_.WriteCommit(fields));
  }
  ExpectUnreachableComesBack();
}

TEST_F(OddObjectsTest, HeadersThatAreRare) {
  CommitFields fields;
  fields.parents = {tip_};
  fields.extra_headers =
      "mergetag object " + tip_ +
      "\n type commit\n tag v1\n tagger C <c@example.com> 1 +0000\n \n"
      " message\n"
      "encoding ISO-8859-1\n"
      "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQEzBAABCAAdFiEE\n =abcd\n"
      " -----END PGP SIGNATURE-----\n"
      "HG:rename-source hg\n";
  fields.message = "l\xe4tin\n";
  ExpectComesBack({repo_.WriteCommit(fields)});
}

TEST_F(OddObjectsTest, CommitsWithOddLinks) {
  fsck_ = Fsck::kSkip;
  const std::string tree = "tree " + std::string(kEmptyTree) + '\n';
  const std::string tail = std::string(kAuthor) + kCommitter + "\nx\n";
  const std::string blob = repo_.WriteBlob("no commit\n");
  std::string octopus = tree;
  for (int i = 0; i < 40; ++i) {
    octopus += "parent " + repo_.SimpleCommit(std::to_string(i)) + '\n';
  }
  const std::string same = "parent " + tip_ + '\n';
  // A parent that is a blob, a tree that is a commit, a tree that is a blob.
  ExpectCommitsComeBack({tree + same + same + tail, octopus + tail,
                         tree + "parent " + blob + '\n' + tail,
                         "tree " + tip_ + '\n' + tail,
                         "tree " + blob + '\n' + tail});
}

TEST_F(OddObjectsTest, CommitsThatAreNoCommits) {
  for (const std::string& content :
       {std::string(), std::string("garbage"), std::string("tree \n"),
        std::string("tree 1234\n"), "tree " + FakeId('g') + '\n',
        "tree " + std::string(kEmptyTree), "parent " + tip_ + '\n',
        std::string(100, '\n'), std::string(100, '\0')}) {
    repo_.WriteObject("commit", content);
  }
  ExpectUnreachableComesBack();
}

TEST_F(OddObjectsTest, IdsInUpperCase) {
  std::string tree(kEmptyTree);
  for (char& c : tree) c = static_cast<char>(std::toupper(c));
  ExpectCommitsComeBack(
      {"tree " + tree + '\n' + kAuthor + kCommitter + "\nx\n"});
}

TEST_F(OddObjectsTest, TagsThatAreNoTags) {
  repo_.WriteObject("tag", "");
  repo_.WriteObject("tag", "garbage");
  repo_.WriteObject("tag", "object 1234\ntype commit\ntag x\n\n");
  repo_.WriteObject("tag", "object " + FakeId('9') + '\n');
  ExpectUnreachableComesBack();
}

TEST_F(OddObjectsTest, TagsThatLackThingsButAreReferredTo) {
  const std::string object = "object " + tip_ + '\n';
  ExpectComesBack(
      {repo_.WriteObject("tag", object),
       repo_.WriteObject("tag", object + "type commit\ntag no-tagger\n\nx\n"),
       repo_.WriteObject("tag", "garbage")});
}

TEST_F(OddObjectsTest, TagOfAnotherTypeThanItSays) {
  fsck_ = Fsck::kSkip;
  ExpectComesBack({repo_.WriteTag(tip_, "blob", "wrong-type")});
}

TEST_F(OddObjectsTest, ChainOfAHundredTags) {
  std::string id = tip_;
  std::string type = "commit";
  for (int i = 0; i < 100; ++i) {
    id = repo_.WriteTag(id, type, "t" + std::to_string(i));
    type = "tag";
  }
  ExpectComesBack({id});
}

TEST_F(OddObjectsTest, ObjectsThatGitMakesLiterally) {
  // As an administrator's broken tool would have left them.
  for (const std::string type : {"commit", "tree", "tag"}) {
    repo_.Git({"hash-object", "--literally", "-w", "--stdin", "-t", type},
              "not a valid " + type);
  }
  ExpectUnreachableComesBack();
}

TEST_F(OddObjectsTest, SameContentInFourTypes) {
  for (const char* const type : {"commit", "tree", "blob", "tag"}) {
    repo_.WriteObject(type, "");
    repo_.WriteObject(type, "the same");
  }
  ExpectUnreachableComesBack();
}

TEST_F(OddObjectsTest, IncompressibleAndRepetitiveBlobs) {
  repo_.WriteBlob(RandomBytes(1, 3000000));
  repo_.WriteBlob(std::string(3000000, 'a'));
  repo_.WriteBlob(RandomBytes(2, 4096));
  repo_.WriteBlob(RandomBytes(3, 4095));
  repo_.WriteBlob(RandomBytes(4, 4097));
  ExpectUnreachableComesBack();
}

}  // namespace
}  // namespace zpack::testing
