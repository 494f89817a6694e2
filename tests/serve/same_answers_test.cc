// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// git-zpack upload-pack and git upload-pack are asked the same.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "support/conversation.h"
#include "support/serve_fixture.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using std::string_literals::operator""s;

constexpr const char* kVersion2 = "GIT_PROTOCOL=version=2";

class SameAnswersTest : public ServeFixture {
 protected:
  struct Question {
    std::string input = {};
    // Of both programs. Without one, a request of version 0.
    std::vector<std::string> options = {"--stateless-rpc"};
    std::vector<std::string> environment = {};
  };

  static Question V2(const std::string& input) {
    return {.input = input, .environment = {kVersion2}};
  }

  // The packets but those of the pack, and the number of its objects. Of the
  // capabilities of version 0, only what HEAD is. Git lists HEAD of a namespace
  // twice, and some versions list no capabilities if there are no refs.
  static std::vector<std::string> Essence(const std::string& answer) {
    std::vector<std::string> essence;
    for (const std::string& packet : Packets(answer)) {
      const size_t end = packet.find('\0');
      std::string line = packet.substr(0, end);
      if (line.ends_with(" capabilities^{}")) continue;
      if (!essence.empty() && line == essence.back()) continue;
      essence.push_back(std::move(line));
      if (end == std::string::npos) continue;
      const size_t head = packet.find("symref=HEAD", end);
      if (head == std::string::npos) continue;
      essence.push_back(packet.substr(head, packet.find(' ', head) - head));
    }
    const std::string pack = PackIn(answer);
    if (!pack.empty()) essence.push_back(std::to_string(ObjectsIn(pack)));
    return essence;
  }

  // What Git answers, and what we do.
  std::vector<ProcessResult> Answers(const Question& question) const {
    std::vector<ProcessResult> answers;
    for (const std::string& program : {std::string("git"), ZpackBinary()}) {
      std::vector<std::string> command = {program, "upload-pack"};
      command.insert(command.end(), question.options.begin(),
                     question.options.end());
      command.push_back(program == "git" ? repo_.path() : file_);
      std::vector<std::string> entries = question.environment;
      entries.insert(
          entries.end(),
          {"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=uploadpack.allowFilter",
           "GIT_CONFIG_VALUE_0=true",
           "GIT_CONFIG_KEY_1=transfer.advertiseObjectInfo",
           "GIT_CONFIG_VALUE_1=true"});
      answers.push_back(Run(command, entries, question.input));
    }
    return answers;
  }

  // Expects that both answer the same, or refuse with `error`. Returns what
  // they answer.
  std::vector<std::string> Ask(const Question& question,
                               const std::string& error = "") const {
    const std::vector<ProcessResult> answers = Answers(question);
    for (const ProcessResult& answer : answers) {
      EXPECT_EQ(answer.exit_code, error.empty() ? 0 : 128)
          << ::testing::PrintToString(answer);
      EXPECT_THAT(answer.err, HasSubstr(error));
    }
    if (!error.empty()) return {};
    EXPECT_EQ(Essence(answers[1].out), Essence(answers[0].out));
    return Essence(answers[1].out);
  }

  // Expects the same answer but for the pack, which must have objects, and no
  // more than that of Git.
  void ExpectAsSmall(const Question& question) const {
    const std::vector<ProcessResult> answers = Answers(question);
    const std::string& git = answers[0].out;
    const std::string& ours = answers[1].out;
    EXPECT_EQ(Packets(ours).front(), Packets(git).front());
    EXPECT_GT(ObjectsIn(PackIn(ours)), 0);
    EXPECT_LE(ObjectsIn(PackIn(ours)), ObjectsIn(PackIn(git)));
  }

  std::string Id(const std::string& revision) const {
    return repo_.Git({"rev-parse", revision});
  }

  // Archives what the repository is now.
  void Update() const { Convert(file_); }
};

TEST_F(SameAnswersTest, ShowsOneNamespace) {
  const std::string main = Id("main");
  const std::string foo = "refs/namespaces/foo/";
  const std::string bar = foo + "refs/namespaces/bar/";
  for (const std::string& name :
       {foo + "refs/heads/public", foo + "refs/heads/other",
        bar + "refs/heads/deep", std::string("refs/namespaces/fo/refs/x"),
        std::string("refs/namespaces/unborn/refs/heads/x")}) {
    repo_.Git({"update-ref", name, main});
  }
  repo_.Git({"update-ref", foo + "refs/tags/v2", Id("v1")});
  repo_.Git({"symbolic-ref", foo + "HEAD", foo + "refs/heads/public"});
  repo_.Git({"symbolic-ref", foo + "refs/heads/sym", foo + "refs/heads/other"});
  repo_.Git({"symbolic-ref", "refs/namespaces/unborn/HEAD",
             "refs/namespaces/unborn/refs/heads/none"});
  Update();
  const std::string list = RequestV2("ls-refs", {"peel", "symrefs", "unborn"});
  for (const std::string name :
       {"foo", "foo/bar", "/foo//bar", "foo/refs", "none", "unborn", ""}) {
    SCOPED_TRACE(name);
    const std::string entry = "GIT_NAMESPACE=" + name;
    Ask({.input = list, .environment = {kVersion2, entry}});
    Ask({.options = {"--advertise-refs"}, .environment = {entry}});
  }
  EXPECT_THAT(Ask({.input = RequestV2("ls-refs", {}),
                   .environment = {kVersion2, "GIT_NAMESPACE=foo/bar"}}),
              ElementsAre(main + " refs/heads/deep", "flush"));
  for (const std::string name : {"a..b", "/", "foo/."}) {
    Ask({.input = list, .environment = {kVersion2, "GIT_NAMESPACE=" + name}},
        "bad git namespace path \"" + name + "\"");
  }
}

TEST_F(SameAnswersTest, HidesRefsOfANamespace) {
  const std::string foo = "refs/namespaces/foo/";
  for (const std::string name : {"a", "b", "c"}) {
    repo_.Git({"update-ref", foo + "refs/heads/" + name, Id("main")});
  }
  Update();
  for (const std::string pattern :
       {"refs/heads/a", "^refs/heads/a", "^refs/namespaces/foo/refs/heads/a",
        "refs/namespaces/foo/refs/heads/a", "refs/namespaces"}) {
    SCOPED_TRACE(pattern);
    const std::vector<std::string> answer =
        Ask({.input = RequestV2("ls-refs", {}),
             .environment = {
                 kVersion2, "GIT_NAMESPACE=foo",
                 "GIT_CONFIG_PARAMETERS='transfer.hiderefs=" + pattern + "'"}});
    EXPECT_THAT(answer, Contains(HasSubstr("refs/heads/b")));
  }
}

TEST_F(SameAnswersTest, WantsRefsOfTheNamespaceOnly) {
  repo_.Git({"update-ref", "refs/namespaces/foo/refs/heads/x", Id("other")});
  Update();
  const std::string option =
      "GIT_CONFIG_PARAMETERS='uploadpack.allowRefInWant'";
  const std::vector<std::string> entries = {kVersion2, "GIT_NAMESPACE=foo",
                                            option};
  const auto want = [](const std::string& name) {
    return RequestV2("fetch", {"want-ref " + name, "no-progress", "done"});
  };
  EXPECT_THAT(Ask({.input = want("refs/heads/x"), .environment = entries}),
              Contains(Id("other") + " refs/heads/x"));
  Ask({.input = want("refs/heads/main"), .environment = entries},
      "unknown ref refs/heads/main");
  // Version 0 lets a client have what is listed.
  const std::string request =
      Pkt("want " + Id("main") + " side-band-64k no-progress") + "0000" +
      Pkt("done");
  Ask({.input = request, .options = {}, .environment = {"GIT_NAMESPACE=foo"}},
      "not our ref " + Id("main"));
}

// Clients see the refs of the namespace that leads outside as ordinary ones.
TEST_F(SameAnswersTest, ShowsWhereALinkOutOfTheNamespaceLeads) {
  repo_.Git({"symbolic-ref", "refs/namespaces/foo/HEAD", "refs/heads/main"});
  repo_.Git({"symbolic-ref", "refs/namespaces/foo/refs/v", "refs/tags/v1"});
  repo_.Git({"symbolic-ref", "refs/namespaces/foo/refs/x", "refs/none"});
  Update();
  EXPECT_THAT(Ask({.input = RequestV2("ls-refs", {"peel"}),
                   .environment = {kVersion2, "GIT_NAMESPACE=foo"}}),
              ElementsAre(Id("main") + " HEAD",
                          Id("v1") + " refs/v peeled:" + Id("main"), "flush"));
  const ProcessResult symrefs =
      Run({ZpackBinary(), "upload-pack", "--stateless-rpc", file_},
          {kVersion2, "GIT_NAMESPACE=foo"}, RequestV2("ls-refs", {"symrefs"}));
  EXPECT_THAT(symrefs.out, Not(HasSubstr("symref-target")));
}

// The client has the trees and blobs of the commits at which its history ended.
TEST_F(SameAnswersTest, SendsNoMoreToAShallowClientThanGit) {
  const std::string main = Id("main");
  for (const std::string& end : {main, Id("main~1"), Id("main~3")}) {
    for (const std::string deepen : {"deepen 2147483647", "deepen 2",
                                     "deepen 4", "deepen-since 1700000060"}) {
      SCOPED_TRACE(end + ' ' + deepen);
      const std::string shallow = "shallow " + end;
      ExpectAsSmall(V2(RequestV2(
          "fetch", {"want " + main, shallow, deepen, "no-progress", "done"})));
      ExpectAsSmall({.input = Pkt("want " + main + " side-band-64k") +
                              Pkt(shallow) + Pkt(deepen) + "0000" +
                              Pkt("done")});
    }
  }
}

TEST_F(SameAnswersTest, AShallowClientGetsTheRestOfTheHistory) {
  for (const std::string version : {"0", "2"}) {
    const std::string clone = dir_ / ("shallow" + version);
    GitOut({"-c", "protocol.version=" + version, "clone", "-q", "--mirror",
            "--depth=2", "-u", "git-zpack upload-pack", "file://" + file_,
            clone});
    GitOut({"-C", clone, "-c", "protocol.version=" + version, "-c",
            "fetch.negotiationAlgorithm=noop", "fetch", "-q", "--unshallow",
            "--upload-pack", "git-zpack upload-pack"});
    ExpectMirror(clone);
  }
}

TEST_F(SameAnswersTest, TheInputMayEndOnlyBetweenRequests) {
  const std::string hung_up = "the remote end hung up unexpectedly";
  const std::string flush(kFlushPkt);
  const std::string want = Pkt("want " + Id("main"));
  for (const std::string& input :
       {std::string(), std::string("00"), std::string("0032want"), want,
        want + "00", want + Pkt("deepen 1"),
        want + flush + Pkt("have " + Id("main")),
        want + flush + Pkt("have " + Id("main")) + "000"}) {
    SCOPED_TRACE(input);
    Ask({.input = input, .options = {}}, hung_up);
    Ask({.input = input}, hung_up);
  }
  Ask({.input = want + flush, .options = {}}, hung_up);
  // The client reads the boundary and asks again.
  for (const std::string end : {"", "00", "0032have"}) {
    Ask({.input = want + flush + end});
    Ask({.input = want + Pkt("deepen 1") + flush + end});
    Ask({.input = flush + end});
  }
  for (const std::string input : {"", "00", "0010ab"}) Ask(V2(input));
  for (const std::string command : {"fetch", "ls-refs", "object-info"}) {
    const std::string request = Pkt("command=" + command);
    for (const std::string& input :
         {request, request + "00", request + "0001", request + "000100",
          request + "0001" + Pkt("unborn").substr(0, 7)}) {
      SCOPED_TRACE(input);
      Ask(V2(input), hung_up);
    }
  }
}

TEST_F(SameAnswersTest, TakesOneFilter) {
  const std::string error = "multiple filter-specs cannot be combined";
  const std::string want = "want " + Id("main");
  for (const std::string first : {"blob:none", "tree:1", "combine:tree:2"}) {
    const std::vector<std::string> filters = {"filter " + first,
                                              "filter object:type=commit"};
    Ask(V2(RequestV2("fetch", {want, filters[0], "no-progress", "done"})));
    Ask(V2(RequestV2("fetch", {want, filters[0], filters[1], "done"})), error);
    Ask({.input = Pkt(want + " filter") + Pkt(filters[0]) + Pkt(filters[1]) +
                  "0000" + Pkt("done")},
        error);
  }
}

TEST_F(SameAnswersTest, SaysWhatHeadIs) {
  const Question advertisement = {.options = {"--advertise-refs"}};
  const Question list = V2(RequestV2("ls-refs", {"peel", "symrefs", "unborn"}));
  const auto ask_all = [&] {
    Update();
    Ask(advertisement);
    Ask(V2(RequestV2("ls-refs", {"unborn"})));
    Ask(V2(RequestV2("ls-refs", {"symrefs", "ref-prefix HEAD"})));
    return Ask(list);
  };
  ask_all();
  for (const std::string revision : {"v1", "v1^{}", "main~3"}) {
    WriteFile(repo_.path() + "/HEAD", Id(revision) + '\n');
    const bool is_tag = revision == "v1";
    EXPECT_EQ(ask_all().front(),
              Id(revision) + " HEAD" +
                  (is_tag ? " peeled:" + Id("main") : std::string()));
  }
  WriteFile(repo_.path() + "/HEAD", "ref: refs/heads/unborn\n");
  EXPECT_EQ(ask_all().front(), "unborn HEAD symref-target:refs/heads/unborn");
  for (const std::string value : {"advertise", "allow", "ignore"}) {
    SCOPED_TRACE(value);
    const std::string entry =
        "GIT_CONFIG_PARAMETERS='lsrefs.unborn=" + value + "'";
    Ask({.input = RequestV2("ls-refs", {"unborn"}),
         .environment = {kVersion2, entry}});
  }
}

TEST_F(SameAnswersTest, SaysWhereHeadLeadsEvenIfItIsHidden) {
  for (const std::string hidden : {"HEAD", "refs/heads", "refs/heads/main"}) {
    const std::string entry =
        "GIT_CONFIG_PARAMETERS='transfer.hiderefs=" + hidden + "'";
    EXPECT_THAT(Ask({.options = {"--advertise-refs"}, .environment = {entry}}),
                Contains("symref=HEAD:refs/heads/main"));
    Ask({.input = RequestV2("ls-refs", {"symrefs"}),
         .environment = {kVersion2, entry}});
  }
}

TEST_F(SameAnswersTest, IgnoresWhatFollowsAnId) {
  const std::string main = Id("main");
  const std::string old = Id("main~2");
  const std::string nul(1, '\0');
  for (const std::string& tail :
       {" x"s, "x"s, nul, nul + "x"s, std::string(24, '0')}) {
    SCOPED_TRACE(tail);
    Ask(V2(RequestV2("fetch", {"want " + main + tail, "shallow " + old + tail,
                               "have " + old + tail, "no-progress"})));
    Ask(V2(RequestV2("fetch", {"want " + main + tail, "have " + old + tail,
                               "no-progress", "done" + nul + "x"})));
    for (const std::string multi_ack :
         {"", "multi_ack", "multi_ack_detailed"}) {
      Ask({.input =
               Pkt("want " + main + " side-band-64k no-progress " + multi_ack) +
               Pkt("shallow " + old + tail) + "0000" +
               Pkt("have " + old + tail) + "0000" + Pkt("done")});
    }
    const ProcessResult info =
        Answers(V2(RequestV2("object-info", {"size", "oid " + old + tail})))[1];
    EXPECT_THAT(Packets(info.out), Contains(StartsWith(old + " 2")));
  }
  Ask(V2(RequestV2("fetch", {"want " + main.substr(1), "done"})),
      "expected to get oid, not 'want " + main.substr(1));
  Ask(V2(RequestV2("fetch", {"have " + main.substr(1) + "x", "done"})),
      "expected SHA1 object, got '" + main.substr(1));
}

TEST_F(SameAnswersTest, TakesCapabilitiesWithAndWithoutAValue) {
  const std::string command = Pkt("command=ls-refs");
  for (const std::string line :
       {"agent", "agent=", "agent=x=y", "server-option", "server-option=x",
        "object-format=sha1"}) {
    Ask(V2(command + Pkt(line) + "0000"));
  }
  for (const std::string line :
       {"agents", "agentx=1", "server-options", "session-id", "fetch", ""}) {
    Ask(V2(command + Pkt(line) + "0000"), "unknown capability '" + line + "'");
  }
  Ask(V2(command + Pkt("object-format") + "0000"),
      "object-format capability requires an argument");
  Ask(V2(command + Pkt("object-format=foo") + "0000"),
      "unknown object format 'foo'");
  Ask(V2(command + Pkt("object-format=") + "0000"), "unknown object format ''");
  Ask(V2(command + Pkt("object-format=sha256") + "0000"),
      "mismatched object format: server sha1; client sha256");
  Ask({.input = command + Pkt("session-id") + "0000",
       .environment = {kVersion2,
                       "GIT_CONFIG_PARAMETERS='transfer.advertiseSID=true'"}});
}

TEST_F(SameAnswersTest, FindsTheFeaturesOfAClient) {
  const std::string main = Id("main");
  for (const std::string features :
       {"side-band-64k no-progress", " side-band-64k no-progress",
        " side-band-64k=1 no-progress=", " side-band-64k\tno-progress",
        "\tside-band\r no-progress  thin-pack",
        " multi_ack=x side-band-64k no-progress include-tag=1"}) {
    SCOPED_TRACE(features);
    EXPECT_THAT(Ask({.input = Pkt("want " + main + features) + "0000" +
                              Pkt("have " + Id("main~1")) + Pkt("done")}),
                Contains("flush"));
  }
}

}  // namespace
}  // namespace zpack::testing
