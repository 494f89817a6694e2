// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Servers tell what they do in the ways of Git: GIT_TRACE_PACKET and
// GIT_TRACE2_EVENT.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/serve_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kProtocolV2 = "GIT_PROTOCOL=version=2";

// What follows 'packet: ' in each line that has it.
std::vector<std::string> TracedPackets(const std::string& text) {
  constexpr std::string_view kMark = "packet: ";
  std::vector<std::string> packets;
  for (const std::string& line : SplitLines(text)) {
    const size_t at = line.find(kMark);
    if (at != std::string::npos) packets.push_back(line.substr(at));
  }
  return packets;
}

class TraceTest : public ServeFixture {
 protected:
  // Answers a request for refs of protocol version 2.
  ProcessResult ListRefs(const std::vector<std::string>& entries) const {
    std::vector<std::string> all = entries;
    all.emplace_back(kProtocolV2);
    return Run({ZpackBinary(), "upload-pack", "--stateless-rpc", file_}, all,
               kListRefs);
  }

  // The events in a file. Expects what all of them have in common.
  static std::vector<nlohmann::json> Events(const std::string& path) {
    std::vector<nlohmann::json> events;
    for (const std::string& line : SplitLines(ReadFile(path))) {
      events.push_back(nlohmann::json::parse(line));
      const nlohmann::json& event = events.back();
      EXPECT_EQ(event.at("sid"), events.front().at("sid"));
      EXPECT_EQ(event.at("thread"), "main");
      EXPECT_THAT(
          event.at("time").get<std::string>(),
          MatchesRegex(
              R"(....-..-..T..:..:..\.[0-9][0-9][0-9][0-9][0-9][0-9]Z)"));
    }
    return events;
  }

  static void ExpectRun(const std::vector<nlohmann::json>& events,
                        const std::vector<std::string>& arguments, int code) {
    ASSERT_THAT(events, SizeIs(5));
    EXPECT_EQ(events[0].at("event"), "version");
    EXPECT_EQ(events[0].at("evt"), "4");
    EXPECT_EQ(events[1].at("event"), "start");
    EXPECT_EQ(events[1].at("argv"), arguments);
    EXPECT_EQ(events[2].at("event"), "cmd_name");
    EXPECT_EQ(events[2].at("name"), arguments[1]);
    for (const size_t end : {3, 4}) {
      EXPECT_EQ(events[end].at("event"), end == 3 ? "exit" : "atexit");
      EXPECT_EQ(events[end].at("code"), code);
      EXPECT_GE(events[end].at("t_abs").get<double>(), 0);
    }
  }
};

TEST_F(TraceTest, PrintsThePacketsThatGitPrints) {
  const std::string ours = ListRefs({"GIT_TRACE_PACKET=1"}).err;
  EXPECT_THAT(
      SplitLines(ours),
      Each(MatchesRegex(
          R"([0-9][0-9]:[0-9][0-9]:[0-9][0-9]\.[0-9]* packet:  upload-pack.*)")));
  const ProcessResult git =
      Run({"git", "upload-pack", "--stateless-rpc", repo_.path()},
          {kProtocolV2, "GIT_TRACE_PACKET=1"}, kListRefs);
  ASSERT_EQ(git.exit_code, 0);
  EXPECT_EQ(TracedPackets(ours), TracedPackets(git.err));
  EXPECT_THAT(TracedPackets(ours),
              Contains("packet:  upload-pack< command=ls-refs"));
}

TEST_F(TraceTest, PrintsTheRequestsOfAFetch) {
  repo_.Git({"config", "uploadpack.allowRefInWant", "true"});
  for (const std::string version : {"0", "1", "2"}) {
    const auto traced = [&](const std::string& url,
                            const std::string& upload_pack) {
      const std::string clone = dir_ / ("clone" + version + upload_pack);
      const ProcessResult result =
          Git({"-c", "protocol.version=" + version, "clone", "-q", "--bare",
               "-u", upload_pack, url, clone},
              {"GIT_TRACE_PACKET=1"});
      EXPECT_EQ(result.exit_code, 0) << result.err;
      std::vector<std::string> requests;
      for (const std::string& line : TracedPackets(result.err)) {
        // Of the first one, only the id: the capabilities differ.
        if (line.starts_with("packet:  upload-pack< ")) {
          requests.push_back(line.substr(0, line.find(" multi_ack")));
        }
      }
      return requests;
    };
    const auto ours = traced("file://" + file_, "git-zpack upload-pack");
    EXPECT_EQ(ours, traced("file://" + repo_.path(), "git-upload-pack"));
    EXPECT_THAT(ours, Contains("packet:  upload-pack< done"));
  }
}

TEST_F(TraceTest, ShowsNoPackAndNoProgress) {
  const std::string want = "want " + repo_.Git({"rev-parse", "main"});
  for (const std::string bands : {"", " side-band-64k"}) {
    const std::string line = want + bands + '\n';
    const std::string request =
        (bands.empty() ? "0032" : "0040") + line + "00000009done\n";
    const ProcessResult result =
        Run({ZpackBinary(), "upload-pack", "--stateless-rpc", file_},
            {"GIT_TRACE_PACKET=1"}, request);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("PACK"));
    std::vector<std::string> expected = {
        "packet:  upload-pack< " + want + bands,
        "packet:  upload-pack< 0000",
        "packet:  upload-pack< done",
        "packet:  upload-pack> NAK",
    };
    if (!bands.empty()) expected.emplace_back("packet:  upload-pack> 0000");
    EXPECT_EQ(TracedPackets(result.err), expected);
  }
}

TEST_F(TraceTest, GoesWhereTheValueSays) {
  for (const std::string value : {"", "0", "false", "FALSE"}) {
    EXPECT_EQ(ListRefs({"GIT_TRACE_PACKET=" + value}).err, "");
  }
  for (const std::string value : {"1", "true", "2"}) {
    EXPECT_THAT(TracedPackets(ListRefs({"GIT_TRACE_PACKET=" + value}).err),
                Contains("packet:  upload-pack< command=ls-refs"));
  }
  const std::string path = dir_ / "trace";
  for (const size_t runs : {1, 2}) {
    EXPECT_EQ(ListRefs({"GIT_TRACE_PACKET=" + path}).err, "");
    EXPECT_THAT(TracedPackets(ReadFile(path)), SizeIs(10 * runs));
  }
  const std::string third = dir_ / "third";
  Run({"bash", "-c",
       "exec \"$0\" upload-pack --advertise-refs \"$1\" 3> \"$2\"",
       ZpackBinary(), file_, third},
      {"GIT_TRACE_PACKET=3"});
  EXPECT_THAT(TracedPackets(ReadFile(third)), Contains(HasSubstr(" HEAD\\0")));
}

TEST_F(TraceTest, WarnsOfATargetThatDoesNotExist) {
  const ProcessResult relative = ListRefs({"GIT_TRACE_PACKET=trace"});
  EXPECT_EQ(relative.exit_code, 0);
  EXPECT_THAT(
      relative.err,
      StartsWith("warning: unknown trace value for 'GIT_TRACE_PACKET': trace"));
  const ProcessResult directory = ListRefs({"GIT_TRACE_PACKET=" + dir_.path()});
  EXPECT_EQ(directory.exit_code, 0);
  EXPECT_THAT(directory.err, StartsWith("warning: could not open '" +
                                        dir_.path() + "' for tracing: "));
  const ProcessResult closed = ListRefs({"GIT_TRACE_PACKET=9"});
  EXPECT_EQ(closed.exit_code, 0);
  EXPECT_EQ(closed.err,
            "warning: unable to write trace for GIT_TRACE_PACKET: Bad file "
            "descriptor\n");
}

TEST_F(TraceTest, HttpBackendPrintsPackets) {
  const ProcessResult result = Run(
      {ZpackBinary(), "http-backend"},
      {"REQUEST_METHOD=GET", "GIT_PROJECT_ROOT=" + root_,
       "PATH_INFO=/project.zpack/info/refs",
       "QUERY_STRING=service=git-upload-pack", "HTTP_GIT_PROTOCOL=version=2",
       "GIT_TRACE_PACKET=1", "GIT_TRACE2_EVENT=" + (dir_ / "events")});
  EXPECT_THAT(TracedPackets(result.err),
              Contains("packet:  upload-pack> version 2"));
  ExpectRun(Events(dir_ / "events"), {"git-zpack", "http-backend"}, 0);
}

TEST_F(TraceTest, TellsWhenACommandStartsAndEnds) {
  const std::string path = dir_ / "events";
  ListRefs({"GIT_TRACE2_EVENT=" + path});
  ExpectRun(Events(path),
            {"git-zpack", "upload-pack", "--stateless-rpc", file_}, 0);
  const std::string failed = dir_ / "failed";
  Run({ZpackBinary(), "upload-pack", "/none"}, {"GIT_TRACE2_EVENT=" + failed});
  ExpectRun(Events(failed), {"git-zpack", "upload-pack", "/none"}, 128);
  EXPECT_THAT(ListRefs({"GIT_TRACE2_EVENT=0"}).err, IsEmpty());
}

TEST_F(TraceTest, AnEventKnowsItsParent) {
  const std::string path = dir_ / "events";
  ListRefs({"GIT_TRACE2_EVENT=" + path, "GIT_TRACE2_PARENT_SID=above",
            "GIT_TRACE2_PARENT_NAME=fetch"});
  const auto events = Events(path);
  ASSERT_THAT(events, SizeIs(5));
  EXPECT_THAT(events[0].at("sid").get<std::string>(), StartsWith("above/"));
  EXPECT_EQ(events[2].at("hierarchy"), "fetch/upload-pack");
}

TEST_F(TraceTest, EachProcessGetsAFileInADirectory) {
  const std::string directory = dir_ / "traces";
  fs::create_directory(directory);
  for (int run = 0; run < 2; ++run) {
    ListRefs({"GIT_TRACE2_EVENT=" + directory, "GIT_TRACE2_PARENT_SID=above"});
  }
  const auto files = ListDirectory(directory);
  ASSERT_THAT(files, SizeIs(2));
  for (const std::string& file : files) {
    const auto events = Events(directory + '/' + file);
    ASSERT_THAT(events, SizeIs(5));
    EXPECT_EQ(events[0].at("sid"), "above/" + file);
  }
}

}  // namespace
}  // namespace zpack::testing
