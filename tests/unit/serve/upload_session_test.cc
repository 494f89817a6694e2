// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "serve/upload_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "serve/history.h"
#include "support/conversation.h"
#include "support/matchers.h"
#include "support/memory_file.h"
#include "support/memory_source.h"
#include "support/sample_file.h"

namespace zpack {
namespace {

using testing::Answer;
using ::testing::Contains;
using testing::Converse;
using ::testing::ElementsAre;
using testing::HasCode;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::kFlushPkt;
using ::testing::Not;
using testing::ObjectsIn;
using testing::Packets;
using testing::PackIn;
using testing::Pkt;
using testing::RequestV2;
using ::testing::StartsWith;

class UploadSessionTest : public ::testing::Test {
 protected:
  UploadSessionTest() {
    archive_ = *ArchiveFile::OpenWithoutIndex(
        std::make_unique<testing::MemoryFile>(testing::SampleFile()), {});
    options_.run.threads = 1;
  }

  // Serves `source` from now on.
  void Open(testing::MemorySource& source) {
    archive_ = *ArchiveFile::OpenWithoutIndex(
        std::make_unique<testing::MemoryFile>(testing::FileOf(source)), {});
  }

  // One request of protocol v2.
  Answer AskV2(std::string_view command,
               const std::vector<std::string>& arguments) {
    options_.protocol = ServeProtocol::kV2;
    options_.exchange = Exchange::kRequest;
    return Converse(*archive_, options_, RequestV2(command, arguments));
  }
  // A conversation of protocol v0; the answer without the refs.
  Answer TalkV0(std::string_view request) {
    options_.exchange = Exchange::kConnection;
    const size_t refs = Converse(*archive_, options_, kFlushPkt).bytes.size();
    Answer answer = Converse(*archive_, options_, request);
    answer.bytes.erase(0, std::min(refs, answer.bytes.size()));
    return answer;
  }

  std::string Main() const {
    return archive_->refs().Resolve("refs/heads/main").ToHex();
  }
  std::string Tag() const {
    return archive_->refs().Resolve("refs/tags/v1").ToHex();
  }

  std::unique_ptr<ArchiveFile> archive_;
  UploadPackOptions options_;
};

using UploadV2 = UploadSessionTest;
using UploadV0 = UploadSessionTest;

TEST_F(UploadV2, AdvertisesWhatAStockServerDoesAndFilters) {
  options_.protocol = ServeProtocol::kV2;
  options_.exchange = Exchange::kAdvertisement;
  const Answer answer = Converse(*archive_, options_, "");
  EXPECT_THAT(answer.status, IsOk());
  EXPECT_THAT(
      Packets(answer.bytes),
      ElementsAre("version 2", StartsWith("agent=git-zpack/"), "ls-refs=unborn",
                  "fetch=shallow wait-for-done filter ref-in-want",
                  "server-option", "object-format=sha1", "object-info=size",
                  "flush"));
}

TEST_F(UploadV2, ListsRefs) {
  EXPECT_THAT(
      Packets(AskV2("ls-refs", {"peel", "symrefs"}).bytes),
      ElementsAre(Main() + " HEAD symref-target:refs/heads/main",
                  Main() + " refs/heads/main", Main() + " refs/heads/other",
                  Main() + " refs/remotes/origin/HEAD "
                           "symref-target:refs/heads/main",
                  Tag() + " refs/tags/v1 peeled:" + Main(), "flush"));
}

TEST_F(UploadV2, ListsRefsThatBeginWithAPrefix) {
  EXPECT_THAT(
      Packets(AskV2("ls-refs",
                    {"ref-prefix refs/tags/", "ref-prefix refs/heads/ma",
                     "ref-prefix refs/heads/main", "ref-prefix refs/zzz"})
                  .bytes),
      ElementsAre(Main() + " refs/heads/main", Tag() + " refs/tags/v1",
                  "flush"));
}

TEST_F(UploadV2, HidesRefs) {
  options_.settings.hidden_refs = {"refs/heads", "!refs/heads/other",
                                   "refs/remotes", "HEAD"};
  EXPECT_THAT(Packets(AskV2("ls-refs", {}).bytes),
              ElementsAre(Main() + " refs/heads/other", Tag() + " refs/tags/v1",
                          "flush"));
}

TEST_F(UploadV2, SendsEverythingToAClone) {
  const Answer answer = AskV2("fetch", {"want " + Tag(), "done"});
  ASSERT_THAT(answer.status, IsOk());
  EXPECT_THAT(Packets(answer.bytes), Contains("packfile"));
  EXPECT_EQ(ObjectsIn(PackIn(answer.bytes)), archive_->object_count());
}

TEST_F(UploadV2, SendsTheTagsOfWhatItSends) {
  const Answer without = AskV2("fetch", {"want " + Main(), "done"});
  const Answer with = AskV2("fetch", {"want " + Main(), "include-tag", "done"});
  EXPECT_EQ(ObjectsIn(PackIn(with.bytes)), archive_->object_count());
  EXPECT_EQ(ObjectsIn(PackIn(without.bytes)), archive_->object_count() - 1);
}

TEST_F(UploadV2, AcknowledgesWhatItKnows) {
  const std::string unknown(40, '1');
  EXPECT_THAT(
      Packets(AskV2("fetch", {"want " + Main(), "have " + unknown}).bytes),
      ElementsAre("acknowledgments", "NAK", "flush"));
  const Answer known =
      AskV2("fetch", {"want " + Main(), "have " + unknown, "have " + Main()});
  EXPECT_THAT(Packets(known.bytes),
              ElementsAre("acknowledgments", "ACK " + Main(), "ready",
                          "delimiter", "packfile", HasSubstr("Enumerating"),
                          HasSubstr("Total 0"), "flush"));
  EXPECT_EQ(ObjectsIn(PackIn(known.bytes)), 0);
  EXPECT_THAT(Packets(AskV2("fetch", {"want " + Main(), "have " + Main(),
                                      "wait-for-done"})
                          .bytes),
              ElementsAre("acknowledgments", "ACK " + Main(), "flush"));
}

TEST_F(UploadV2, SendsThinPacksFromSeveralThreads) {
  options_.run.threads = 4;
  const auto history = *History::Open(*archive_);
  const ObjectNumber tip = *history->Find(*ObjectId::FromHex(Main()));
  const std::string parent =
      history->id((*history->Parents(tip))->front()).ToHex();
  const std::vector<std::string> request = {"want " + Main(), "have " + parent,
                                            "done"};
  const std::string whole = PackIn(AskV2("fetch", request).bytes);
  std::vector<std::string> thin_request = request;
  thin_request.emplace_back("thin-pack");
  const std::string thin = PackIn(AskV2("fetch", thin_request).bytes);
  EXPECT_LT(ObjectsIn(whole), archive_->object_count() / 2);
  EXPECT_EQ(ObjectsIn(thin), ObjectsIn(whole));
  EXPECT_NE(thin, whole) << "deltas against objects of the client";
}

TEST_F(UploadV2, SendsWantedRefsAfterTheBoundary) {
  const Answer answer = AskV2(
      "fetch", {"want-ref refs/heads/main", "deepen 1", "no-progress", "done"});
  ASSERT_THAT(answer.status, IsOk());
  EXPECT_THAT(Packets(answer.bytes),
              ElementsAre("shallow-info", "shallow " + Main(), "delimiter",
                          "wanted-refs", Main() + " refs/heads/main",
                          "delimiter", "packfile", "flush"));
}

TEST_F(UploadV2, FiltersObjects) {
  const auto sent = [&](const std::string& filter) {
    const Answer answer =
        AskV2("fetch", {"want " + Main(), "filter " + filter, "done"});
    EXPECT_THAT(answer.status, IsOk()) << filter;
    return ObjectsIn(PackIn(answer.bytes));
  };
  // Four commits; the tag is not wanted.
  EXPECT_EQ(sent("tree:0"), 4);
  EXPECT_EQ(sent("object:type=commit"), 4);
  EXPECT_EQ(sent("tree:1"), 8);
  EXPECT_EQ(sent("combine:tree:1+object:type=tree"), 5);  // and the wanted one
  EXPECT_EQ(sent("blob:limit=0"), sent("blob:none"));
  EXPECT_EQ(sent("blob:limit=1g"), archive_->object_count() - 1);
  EXPECT_EQ(sent("blob:none") - sent("object:type=commit") + 1,
            sent("object:type=tree"));
}

TEST_F(UploadV2, FiltersNothingThatAWantedTagPointsAt) {
  testing::MemorySource source;
  const ObjectId blob = source.AddBlob("text");
  const ObjectId inner = source.AddTag(blob, ObjectType::kBlob, "inner");
  const ObjectId outer = source.AddTag(inner, ObjectType::kTag, "outer");
  source.refs.head_symref = "refs/heads/main";
  source.AddRef({"refs/tags/a", outer, blob, ""});
  source.AddRef({"refs/tags/b", inner, blob, ""});
  Open(source);
  for (const std::string filter :
       {"blob:none", "object:type=commit", "blob:limit=0", "tree:0"}) {
    const Answer answer =
        AskV2("fetch", {"want " + outer.ToHex(), "want " + inner.ToHex(),
                        "filter " + filter, "done"});
    EXPECT_EQ(ObjectsIn(PackIn(answer.bytes)), 3) << filter;
  }
}

TEST_F(UploadV2, SendsNoTagsOfHiddenRefs) {
  const std::vector<std::string> request = {"want " + Main(), "include-tag",
                                            "done"};
  options_.settings.hidden_refs = {"refs/tags"};
  EXPECT_EQ(ObjectsIn(PackIn(AskV2("fetch", request).bytes)),
            archive_->object_count() - 1);
}

TEST_F(UploadV2, KeepsTheBoundaryOfAClientThatAsksForNoMore) {
  testing::MemorySource source;
  const ObjectId tree = source.AddTree({});
  std::vector<ObjectId> commits = {source.AddCommit(tree, {}, 1000, "0\n")};
  for (uint64_t i = 1; i < 6; ++i) {
    commits.push_back(source.AddCommit(tree, {commits.back()}, 1000 + i,
                                       std::to_string(i) + '\n'));
  }
  // The source lacks the first commit.
  source.Remove(commits[0]);
  source.refs.shallow = {commits[1]};
  source.refs.head_symref = "refs/heads/main";
  source.AddRef({"refs/heads/main", commits[5], {}, ""});
  Open(source);
  const Answer answer = AskV2(
      "fetch", {"want " + commits[5].ToHex(), "have " + commits[4].ToHex(),
                "shallow " + commits[3].ToHex(), "no-progress", "done"});
  EXPECT_THAT(Packets(answer.bytes),
              ElementsAre("shallow-info", "delimiter", "packfile", "flush"));
  EXPECT_EQ(ObjectsIn(PackIn(answer.bytes)), 1);
}

TEST_F(UploadV2, ListsAllRefsForTooManyPrefixes) {
  std::vector<std::string> arguments(300,
                                     "ref-prefix " + std::string(60000, 'x'));
  EXPECT_EQ(Packets(AskV2("ls-refs", arguments).bytes).size(), 6U);
  arguments.resize(200);
  EXPECT_EQ(Packets(AskV2("ls-refs", arguments).bytes).size(), 1U);
}

TEST_F(UploadV2, RefusesWithGitsWords) {
  const auto refusal = [&](const std::vector<std::string>& arguments) {
    const Answer answer = AskV2("fetch", arguments);
    EXPECT_THAT(answer.status, HasCode(ErrorCode::kInvalidArgument));
    EXPECT_EQ(PackIn(answer.bytes), "");
    const auto packets = Packets(answer.bytes);
    return packets.empty() ? "" : packets.back();
  };
  const std::string unknown(40, '1');
  const std::string want = "want " + Main();
  EXPECT_EQ(refusal({"want " + unknown}),
            "ERR upload-pack: not our ref " + unknown);
  EXPECT_EQ(refusal({"want-ref refs/heads/none"}),
            "ERR unknown ref refs/heads/none");
  EXPECT_EQ(refusal({want, "filter sparse:oid=main"}),
            "ERR filter 'sparse:oid' not supported");
  EXPECT_EQ(refusal({want, "filter blob:some"}),
            "ERR invalid filter-spec 'blob:some'");
  EXPECT_EQ(refusal({want, "deepen 2147483648"}),
            "ERR Invalid deepen: 2147483648");
  EXPECT_EQ(refusal({want, "deepen-not refs/heads/none"}),
            "ERR deepen-not is not a ref: refs/heads/none");
  EXPECT_EQ(refusal({want, "deepen 1", "deepen-since 1", "done"}),
            "ERR deepen and deepen-since (or deepen-not) cannot "
            "be used together");
  EXPECT_EQ(refusal({want, "deepen-since 99999999999", "done"}),
            "ERR no commits selected for shallow requests");
  EXPECT_EQ(refusal({want, "strange"}), "ERR unexpected line: 'strange'");
  EXPECT_EQ(refusal({want, "sideband-all"}),
            "ERR unexpected line: 'sideband-all'");
}

// What strtol and strtoumax of C accept, Git accepts.
TEST_F(UploadV2, ReadsNumbersAsGitDoes) {
  const auto answer = [&](const std::string& argument) {
    const Answer got =
        AskV2("fetch", {"want " + Main(), argument, "no-progress", "done"});
    return got.status ? Packets(got.bytes)
                      : std::vector<std::string>{got.status.error().message};
  };
  const auto all = answer("deepen-since 1");
  for (const std::string text :
       {"0", "", " 0", "+0", "00", "0x0", "1", "-18446744073709551615"}) {
    EXPECT_EQ(answer("deepen-since " + text), all) << text;
  }
  const auto two = answer("deepen 2");
  EXPECT_NE(two, answer("deepen 1"));
  for (const std::string text :
       {" 2", "+2", "02", "0x2", "4294967298", "-4294967294"}) {
    EXPECT_EQ(answer("deepen " + text), two) << text;
  }
  EXPECT_EQ(answer("deepen 010"), answer("deepen 8"));
  for (const std::string text : {"", "0", "-1", "2x", "2 ", "08", "0x",
                                 "2147483648", "9999999999999999999"}) {
    EXPECT_THAT(answer("deepen " + text),
                ElementsAre("Invalid deepen: " + text));
  }
  for (const std::string text :
       {"-1", "x", "1 ", "18446744073709551615", "99999999999999999999"}) {
    EXPECT_THAT(answer("deepen-since " + text),
                ElementsAre("Invalid deepen-since: " + text));
  }
}

TEST_F(UploadV2, ReadsNumbersInFiltersAsGitDoes) {
  const auto sent = [&](const std::string& filter) {
    const Answer answer =
        AskV2("fetch", {"want " + Main(), "filter " + filter, "done"});
    return answer.status ? int64_t{ObjectsIn(PackIn(answer.bytes))} : -1;
  };
  EXPECT_EQ(sent("tree:0x1"), sent("tree:1"));
  EXPECT_EQ(sent("tree:01"), sent("tree:1"));
  EXPECT_EQ(sent("tree:+1"), sent("tree:1"));
  EXPECT_EQ(sent("tree:1k"), sent("tree:1000000"));
  EXPECT_EQ(sent("blob:limit=0x0"), sent("blob:none"));
  EXPECT_EQ(sent("blob:limit=0K"), sent("blob:none"));
  EXPECT_EQ(sent("combine:tree%3A1+blob%3anone"), sent("tree:1"));
  for (const char* const number :
       {"", "-1", "k", "1t", "1kb", "99999999999999999999", "17179869184g"}) {
    EXPECT_EQ(sent(std::string("tree:") + number), -1) << number;
    EXPECT_EQ(sent(std::string("blob:limit=") + number), -1) << number;
  }
}

TEST_F(UploadV2, AFilterOfDepthCountsFromTheEntriesOfAWantedTree) {
  testing::MemorySource source;
  const ObjectId blob = source.AddBlob("text");
  const ObjectId below = source.AddTree({{"100644", "file", blob}});
  const ObjectId tree = source.AddTree({{"40000", "below", below}});
  source.refs.head_symref = "refs/heads/main";
  source.AddRef({"refs/heads/main",
                 source.AddCommit(tree, {}, 1000, "message\n"),
                 {},
                 ""});
  Open(source);
  for (const uint32_t depth : {0U, 1U, 2U}) {
    const Answer answer =
        AskV2("fetch", {"want " + tree.ToHex(),
                        "filter tree:" + std::to_string(depth), "done"});
    EXPECT_EQ(ObjectsIn(PackIn(answer.bytes)), 1 + depth);
  }
}

// A line of ten commits, of which the client has the last three, and the last
// six of a branch that was merged.
TEST_F(UploadV2, ARelativeDepthCountsFromTheFirstEndOfTheClient) {
  testing::MemorySource source;
  const ObjectId tree = source.AddTree({});
  const auto line = [&](const std::string& name) {
    std::vector<ObjectId> commits = {
        source.AddCommit(tree, {}, 1000, name + "0\n")};
    for (uint64_t i = 1; i < 10; ++i) {
      commits.push_back(source.AddCommit(tree, {commits.back()}, 1000 + i,
                                         name + std::to_string(i) + '\n'));
    }
    return commits;
  };
  const std::vector<ObjectId> one = line("one");
  const std::vector<ObjectId> other = line("other");
  const ObjectId merge =
      source.AddCommit(tree, {one[9], other[9]}, 2000, "merge\n");
  source.refs.head_symref = "refs/heads/main";
  source.AddRef({"refs/heads/main", merge, {}, ""});
  Open(source);
  const Answer answer = AskV2(
      "fetch", {"want " + merge.ToHex(), "have " + merge.ToHex(),
                "shallow " + one[7].ToHex(), "shallow " + other[4].ToHex(),
                "deepen 1", "deepen-relative", "no-progress", "done"});
  // The depth is 5: the merge, and four commits of each line.
  EXPECT_THAT(Packets(answer.bytes),
              ElementsAre("shallow-info",
                          ::testing::AnyOf("shallow " + one[6].ToHex(),
                                           "shallow " + other[6].ToHex()),
                          ::testing::AnyOf("shallow " + one[6].ToHex(),
                                           "shallow " + other[6].ToHex()),
                          "unshallow " + one[7].ToHex(), "delimiter",
                          "packfile", "flush"));
}

TEST_F(UploadV2, RefusesFiltersThatAreForbidden) {
  options_.settings.banned_filters = {"tree"};
  EXPECT_THAT(AskV2("fetch", {"want " + Main(),
                              "filter combine:blob:none+tree:1", "done"})
                  .status,
              testing::IsError(ErrorCode::kInvalidArgument,
                               "filter 'tree' not supported"));
  for (const std::string filter :
       {"blob:none", "blob:limit=1", "object:type=tree", "combine:tree:1"}) {
    const std::string name = filter.starts_with("combine")
                                 ? "combine"
                                 : filter.substr(0, filter.find('='));
    options_.settings.banned_filters = {name};
    EXPECT_THAT(
        AskV2("fetch", {"want " + Main(), "filter " + filter, "done"}).status,
        testing::IsError(ErrorCode::kInvalidArgument,
                         "filter '" + name + "' not supported"));
  }
  options_.settings.banned_filters.clear();
  options_.settings.max_tree_depth = 2;
  EXPECT_THAT(
      AskV2("fetch", {"want " + Main(), "filter tree:3", "done"}).status,
      HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(
      AskV2("fetch", {"want " + Main(), "filter tree:2", "done"}).status,
      IsOk());
}

TEST_F(UploadV2, TellsSizes) {
  const std::string unknown(40, '1');
  EXPECT_THAT(
      Packets(AskV2("object-info", {"size", "oid " + Tag(), "oid " + unknown})
                  .bytes),
      ElementsAre("size", StartsWith(Tag() + " 1"), unknown + " ", "flush"));
}

TEST_F(UploadV2, TellsWhichObjectsItHas) {
  const std::string unknown(40, '1');
  EXPECT_THAT(
      Packets(AskV2("object-info", {"oid " + Tag(), "oid " + unknown}).bytes),
      ElementsAre(Tag(), unknown + " ", "flush"));
  EXPECT_THAT(Packets(AskV2("object-info", {"size"}).bytes),
              ElementsAre("flush"));
  EXPECT_THAT(AskV2("object-info", {"type", "oid " + Tag()}).status,
              testing::IsError(ErrorCode::kInvalidArgument,
                               "object-info: unexpected line: 'type'"));
}

TEST_F(UploadV2, TellsNoSizesIfThatIsForbidden) {
  options_.settings.advertise_object_info = false;
  EXPECT_THAT(AskV2("object-info", {"size"}).status,
              testing::IsError(ErrorCode::kInvalidArgument,
                               "invalid command 'object-info'"));
}

TEST_F(UploadV2, AcknowledgesForAClientThatWantsNothing) {
  EXPECT_THAT(
      Packets(AskV2("fetch", {"have " + Main(), "wait-for-done"}).bytes),
      ElementsAre("acknowledgments", "ACK " + Main(), "flush"));
}

TEST_F(UploadV2, AnswersRequestsUntilTheClientEnds) {
  options_.protocol = ServeProtocol::kV2;
  const Answer answer =
      Converse(*archive_, options_,
               RequestV2("ls-refs", {"ref-prefix HEAD"}) +
                   RequestV2("ls-refs", {"ref-prefix refs/tags"}) +
                   std::string(kFlushPkt));
  EXPECT_THAT(answer.status, IsOk());
  const auto packets = Packets(answer.bytes);
  EXPECT_EQ(packets[packets.size() - 4], Main() + " HEAD");
  EXPECT_EQ(packets[packets.size() - 2], Tag() + " refs/tags/v1");
}

TEST_F(UploadV2, RefusesRequestsThatAreMalformed) {
  options_.protocol = ServeProtocol::kV2;
  options_.exchange = Exchange::kRequest;
  for (const std::string& request :
       {std::string("zzzz"), std::string("0003"), std::string("0004"),
        std::string("fff4"), Pkt("command=push"),
        Pkt("command=fetch") + Pkt("command=fetch") + std::string(kFlushPkt),
        Pkt("agent=x") + std::string(kFlushPkt),
        Pkt("command=ls-refs") + Pkt("object-format=sha256") +
            std::string(kFlushPkt),
        Pkt("command=fetch") + "0001" + Pkt("want x") + std::string(kFlushPkt),
        Pkt("command=fetch") + "0001" + Pkt("want " + Main()) + "0001",
        Pkt("ERR what now")}) {
    EXPECT_THAT(Converse(*archive_, options_, request).status,
                HasCode(ErrorCode::kInvalidArgument))
        << request;
  }
}

TEST_F(UploadV0, ListsRefsAndCapabilities) {
  options_.exchange = Exchange::kAdvertisement;
  const auto packets = Packets(Converse(*archive_, options_, "").bytes);
  ASSERT_EQ(packets.size(), 7U);
  EXPECT_THAT(packets[0], StartsWith(Main() + " HEAD" + '\0'));
  EXPECT_THAT(packets[0], HasSubstr(" symref=HEAD:refs/heads/main "));
  EXPECT_THAT(packets[0], HasSubstr(" no-done "));
  EXPECT_THAT(packets[0], HasSubstr(" allow-tip-sha1-in-want "
                                    "allow-reachable-sha1-in-want "));
  EXPECT_EQ(packets[5], Main() + " refs/tags/v1^{}");
  EXPECT_EQ(packets[6], "flush");
}

TEST_F(UploadV0, SaysVersion1) {
  options_.exchange = Exchange::kAdvertisement;
  options_.protocol = ServeProtocol::kV1;
  EXPECT_EQ(Packets(Converse(*archive_, options_, "").bytes).front(),
            "version 1");
}

TEST_F(UploadV0, SendsEverythingToAClone) {
  const Answer answer =
      TalkV0(Pkt("want " + Tag() + " side-band-64k no-progress ofs-delta\n") +
             "0000" + Pkt("done\n"));
  ASSERT_THAT(answer.status, IsOk());
  EXPECT_THAT(Packets(answer.bytes), ElementsAre("NAK", "flush"));
  EXPECT_EQ(ObjectsIn(PackIn(answer.bytes)), archive_->object_count());
}

TEST_F(UploadV0, SendsThePackWithoutASideband) {
  const Answer answer =
      TalkV0(Pkt("want " + Tag() + "\n") + "0000" + Pkt("done\n"));
  EXPECT_THAT(answer.bytes, StartsWith("0008NAK\nPACK"));
}

TEST_F(UploadV0, AcknowledgesInDetail) {
  const std::string unknown(40, '1');
  const Answer answer =
      TalkV0(Pkt("want " + Main() +
                 " multi_ack_detailed side-band-64k no-progress\n") +
             "0000" + Pkt("have " + unknown + '\n') +
             Pkt("have " + Main() + '\n') + "0000" + Pkt("done\n"));
  EXPECT_THAT(Packets(answer.bytes),
              ElementsAre("ACK " + Main() + " common", "NAK", "ACK " + Main(),
                          "flush"));
  EXPECT_EQ(ObjectsIn(PackIn(answer.bytes)), 0);
}

TEST_F(UploadV0, LetsAnHttpClientSkipDone) {
  options_.exchange = Exchange::kRequest;
  const Answer answer =
      Converse(*archive_, options_,
               Pkt("want " + Main() +
                   " multi_ack_detailed no-done side-band-64k no-progress\n") +
                   "0000" + Pkt("have " + Main() + '\n') + "0000");
  EXPECT_THAT(
      Packets(answer.bytes),
      ElementsAre("ACK " + Main() + " common", "ACK " + Main() + " ready",
                  "NAK", "ACK " + Main(), "flush"));
}

TEST_F(UploadV0, TellsTheBoundaryFirst) {
  const Answer answer =
      TalkV0(Pkt("want " + Main() + " side-band-64k no-progress\n") +
             Pkt("deepen 1\n") + "0000" + Pkt("done\n"));
  EXPECT_THAT(Packets(answer.bytes),
              ElementsAre("shallow " + Main(), "flush", "NAK", "flush"));
}

TEST_F(UploadV0, SendsOnlyWhatIsListedUnlessMoreIsAllowed) {
  const auto opened = *History::Open(*archive_);
  History& history = *opened;
  const ObjectNumber tip = *history.Find(*ObjectId::FromHex(Main()));
  const std::string parent =
      history.id((*history.Parents(tip))->front()).ToHex();
  const std::string tree =
      history.id(*history.graph().ReadRootTree(tip)).ToHex();
  const auto ask = [&](const std::string& want, const WantsAllowed& allowed) {
    options_.settings.wants = allowed;
    return TalkV0(Pkt("want " + want + " side-band-64k\n") + "0000" +
                  Pkt("done\n"))
        .status;
  };
  const WantsAllowed listed;
  const WantsAllowed tips = {.tip = true};
  const WantsAllowed reachable = {.reachable = true};
  const WantsAllowed any = {.any = true};
  EXPECT_THAT(ask(parent, listed), HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(ask(parent, tips), HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(ask(parent, reachable), IsOk());
  EXPECT_THAT(ask(tree, reachable), IsOk());
  EXPECT_THAT(ask(tree, any), IsOk());
  options_.settings.hidden_refs = {"refs/tags"};
  EXPECT_THAT(ask(Tag(), listed), HasCode(ErrorCode::kInvalidArgument));
  EXPECT_THAT(ask(Tag(), reachable), IsOk());
  EXPECT_THAT(ask(Tag(), tips), IsOk());
}

TEST_F(UploadV0, ADetachedHeadMayBeWantedUnlessItIsHidden) {
  testing::MemorySource source = testing::SampleHistory(1);
  const ObjectId head =
      source.AddCommit(source.AddTree({}), {}, 5000, "detached\n");
  source.refs.head_symref.clear();
  source.refs.head_target = head;
  Open(source);
  options_.settings.wants = {};
  const std::string request =
      Pkt("want " + head.ToHex() + "\n") + "0000" + Pkt("done\n");
  EXPECT_THAT(TalkV0(request).status, IsOk());
  options_.settings.hidden_refs = {"HEAD"};
  EXPECT_THAT(TalkV0(request).status, HasCode(ErrorCode::kInvalidArgument));
}

TEST_F(UploadV0, RefusesRequestsThatAreMalformed) {
  for (const std::string& request :
       {Pkt("have " + Main()), Pkt("want x"),
        Pkt("want " + Main() + " x") + Pkt("filter blob:none"),
        Pkt("want " + std::string(40, '1')),
        Pkt("want " + Main()) + "0000" + Pkt("have x"),
        Pkt("want " + Main()) + "0000" + Pkt("what"),
        Pkt("want " + Main()) + "0000"}) {
    EXPECT_THAT(TalkV0(request).status, HasCode(ErrorCode::kInvalidArgument))
        << request;
  }
}

TEST_F(UploadV2, ACommitWithoutATreeEndsThePack) {
  testing::MemorySource source = testing::SampleHistory(1);
  const ObjectId id = source.Add(ObjectType::kCommit, "not a commit");
  Open(source);
  for (const char* const depth : {"deepen 1", "deepen 2"}) {
    SCOPED_TRACE(depth);
    const Answer answer = AskV2("fetch", {"want " + id.ToHex(), depth, "done"});
    EXPECT_THAT(answer.status, HasCode(ErrorCode::kCorrupt));
    EXPECT_THAT(answer.status.error().message, HasSubstr("has no tree"));
  }
}

TEST_F(UploadSessionTest, DamagedObjectsEndThePack) {
  Bytes bytes = testing::SampleFile();
  // Within the first block.
  const size_t at = archive_->blocks().block_offset(0) + 40;
  bytes[at] ^= 1;
  archive_ = *ArchiveFile::OpenWithoutIndex(
      std::make_unique<testing::MemoryFile>(bytes), {});
  const Answer answer = AskV2("fetch", {"want " + Tag(), "done"});
  EXPECT_THAT(answer.status, HasCode(ErrorCode::kCorrupt));
}

}  // namespace
}  // namespace zpack
