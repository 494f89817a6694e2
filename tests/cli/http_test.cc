// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Every command that reads a file reads it from a web server, and a clone does.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/http_server.h"
#include "support/program.h"
#include "support/repo_builder.h"
#include "support/subprocess.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class HttpTest : public ::testing::Test {
 protected:
  HttpTest() : repo_(dir_ / "repo"), tip_(repo_.History(20)) {
    repo_.SetRef("refs/heads/main", tip_);
    Require(RunZpack({"convert", "-q", repo_.path(), File()}).ok(), "convert");
    content_ = ReadFile(File());
  }

  std::string File() const { return dir_ / "x.zpack"; }
  HttpServer::Handler Honest() const {
    return [this](const HttpServerRequest& request) {
      return ReplyWithRange(request, content_);
    };
  }
  ProcessOptions Environment() const {
    const auto programs = std::filesystem::path(ZpackBinary()).parent_path();
    ProcessOptions options;
    options.environment = {"XDG_CACHE_HOME=" + (dir_ / "cache"), "no_proxy=*",
                           "TMPDIR=" + dir_.path(),
                           "PATH=" + programs.string() + ":" + getenv("PATH")};
    return options;
  }
  ProcessResult Run(const std::vector<std::string>& arguments) const {
    return RunZpack(arguments, Environment());
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string tip_;
  std::string content_;
};

// It is loaded for a URL alone.
TEST_F(HttpTest, ProgramsDoWithoutLibcurlUntilTheyNeedIt) {
  ProcessOptions broken = Environment();
  std::filesystem::create_directory(dir_ / "lib");
  WriteFile(dir_ / "lib/libcurl.so.4", "no library");
  broken.environment.push_back("LD_LIBRARY_PATH=" + (dir_ / "lib"));
  EXPECT_TRUE(RunZpack({"verify", File()}, broken).ok());
  const HttpServer server(Honest());
  const ProcessResult result =
      RunZpack({"verify", server.Url("/x.zpack")}, broken);
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err, HasSubstr("cannot use libcurl: "));
  EXPECT_THAT(result.err, HasSubstr(dir_ / "lib/libcurl.so.4"));
}

TEST_F(HttpTest, CommandsPrintWhatTheyPrintForTheFile) {
  const HttpServer server(Honest());
  const std::vector<std::vector<std::string>> commands = {
      {"list-refs"},
      {"show"},
      {"show", "--stats"},
      {"list-files"},
      {"verify", "-q"},
      {"rev-list", "--all", "--objects"},
      {"cat-file", "--batch", "--batch-all-objects"}};
  for (std::vector<std::string> command : commands) {
    SCOPED_TRACE(command.front());
    command.push_back(File());
    const ProcessResult local = Run(command);
    command.back() = server.Url();
    const ProcessResult remote = Run(command);
    EXPECT_EQ(remote.exit_code, 0) << remote.err;
    EXPECT_EQ(remote.out, local.out);
  }
  EXPECT_EQ(Run({"cat-file", "-p", server.Url(), "main"}).out,
            Run({"cat-file", "-p", File(), "main"}).out);
  EXPECT_EQ(Run({"cat-extra", server.Url(), "description"}).out,
            Run({"cat-extra", File(), "description"}).out);
}

TEST_F(HttpTest, RestoresARepository) {
  const HttpServer server(Honest());
  const ProcessResult restored =
      Run({"restore", "-q", server.Url(), dir_ / "back.git"});
  ASSERT_EQ(restored.exit_code, 0) << restored.err;
  EXPECT_EQ(ReadState(dir_ / "back.git"), ReadState(repo_.path()));
}

TEST_F(HttpTest, GitClones) {
  const HttpServer server(Honest());
  ProcessOptions options = Environment();
  for (std::string& entry : HermeticEnvironment(dir_.path())) {
    options.environment.push_back(std::move(entry));
  }
  const ProcessResult cloned =
      RunProcess({"git", "clone", "-q", "--mirror", "zpack::" + server.Url(),
                  dir_ / "clone.git"},
                 options);
  ASSERT_EQ(cloned.exit_code, 0) << cloned.err;
  EXPECT_EQ(ReadState(dir_ / "clone.git").refs, ReadState(repo_.path()).refs);
}

TEST_F(HttpTest, ServersDoNotFollowUrlsOfClients) {
  const HttpServer server(Honest());
  const ProcessResult served = Run({"upload-pack", server.Url()});
  EXPECT_EQ(served.exit_code, 128);
  EXPECT_EQ(server.requests(), 0U);
}

TEST_F(HttpTest, ServerWithoutRangesNeedsDownload) {
  const HttpServer server([&](const HttpServerRequest&) {
    return HttpServerReply{.body = content_};
  });
  const ProcessResult refused = Run({"list-refs", server.Url()});
  EXPECT_EQ(refused.exit_code, 128);
  EXPECT_THAT(refused.err, HasSubstr("fatal: the server does not send parts"));
  EXPECT_THAT(refused.err, HasSubstr("--download"));
  const ProcessResult listed = Run({"list-refs", "--download", server.Url()});
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_EQ(listed.out, Run({"list-refs", File()}).out);
}

TEST_F(HttpTest, GitDownloadsTheWholeFileIfTheUserSaysSo) {
  const HttpServer server([this](const HttpServerRequest&) {
    return HttpServerReply{.status = 200, .body = content_};
  });
  const auto git = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "git");
    return RunProcess(arguments, [&] {
      ProcessOptions options = Environment();
      const auto hermetic = HermeticEnvironment(dir_.path());
      options.environment.insert(options.environment.end(), hermetic.begin(),
                                 hermetic.end());
      return options;
    }());
  };
  const std::string url = "zpack::" + server.Url();
  const ProcessResult refused =
      git({"clone", "-q", "--bare", url, dir_ / "refused"});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_THAT(refused.err, HasSubstr("git -c zpack.download=true"));
  const ProcessResult cloned = git({"-c", "zpack.download=true", "clone", "-q",
                                    "--bare", url, dir_ / "cloned"});
  EXPECT_EQ(cloned.exit_code, 0) << cloned.err;
  EXPECT_EQ(RepoBuilder::Existing(dir_ / "cloned").Git({"rev-parse", "main"}),
            tip_);
  const ProcessResult log =
      Run({"exec", "--download", server.Url(), "git", "log", "-p", "main"});
  EXPECT_EQ(log.exit_code, 0) << log.err;
  EXPECT_EQ(log.out, repo_.TryGit({"log", "-p", "main"}).out);
}

TEST_F(HttpTest, DamageNamesUrlAndOffset) {
  content_[content_.size() / 2] ^= 1;
  const HttpServer server(Honest());
  const ProcessResult verified = Run({"verify", "-q", server.Url()});
  EXPECT_EQ(verified.exit_code, 1);
  EXPECT_THAT(verified.err, HasSubstr(server.Url()));
}

TEST_F(HttpTest, VerifySaysThatParityIsNotChecked) {
  const std::string line = "\nparity: not checked over HTTP";
  {
    const HttpServer server(Honest());
    EXPECT_THAT(Run({"verify", server.Url()}).out, Not(HasSubstr("parity")));
  }
  Require(RunZpack({"protect", "-q", File()}).ok(), "protect");
  content_ = ReadFile(File());
  const HttpServer server(Honest());
  const ProcessResult verified = Run({"verify", server.Url()});
  EXPECT_EQ(verified.exit_code, 0) << verified.err;
  EXPECT_THAT(verified.out, HasSubstr(line));
  const auto json =
      nlohmann::json::parse(Run({"verify", "--json", server.Url()}).out);
  EXPECT_EQ(json["parity"], nullptr);
  EXPECT_EQ(json["parity_skipped"], true);
  EXPECT_THAT(Run({"verify", "--level", "structure", server.Url()}).out,
              Not(HasSubstr("parity")));
}

// A file of more than what the first request brings.
class LargeHttpFileTest : public HttpTest {
 protected:
  LargeHttpFileTest() {
    repo_.SetRef("refs/heads/blob", repo_.WriteBlob(RandomBytes(1, 800'000)));
    Require(RunZpack({"convert", "-q", "-f", repo_.path(), File()}).ok(),
            "convert");
    content_ = ReadFile(File());
  }
};

// The time and size of a file that decays stay the same, and so do entity tags
// that are made of these.
TEST_F(LargeHttpFileTest, VerifyReadsWhatTheServerHasNow) {
  const HttpServer server(Honest());
  EXPECT_TRUE(Run({"restore", "-q", server.Url(), dir_ / "restored"}).ok());
  content_[content_.size() / 2] ^= 1;
  for (const std::string level : {"objects", "connectivity"}) {
    EXPECT_EQ(Run({"verify", "-q", "--level", level, server.Url()}).exit_code,
              1)
        << level;
  }
  EXPECT_EQ(Run({"verify", "-q", "--sample", "100%", server.Url()}).exit_code,
            1);
  EXPECT_EQ(Run({"attest", server.Url()}).exit_code, 1);
}

TEST_F(LargeHttpFileTest, ADamagedAnswerDoesNotStay) {
  std::atomic<bool> damages = true;
  const HttpServer server([&](const HttpServerRequest& request) {
    HttpServerReply reply = ReplyWithRange(request, content_);
    // Not the header, which is read each time.
    if (damages && request.number > 0) {
      for (char& c : reply.body) c ^= 1;
    }
    return reply;
  });
  const std::vector<std::vector<std::string>> commands = {
      {"restore", "-q", server.Url(), dir_ / "restored"},
      {"verify", "-q", server.Url()},
      {"cat-file", "-p", server.Url(), "refs/heads/blob"},
      {"salvage", "-q", server.Url(), dir_ / "salvaged"},
      {"clone"}};
  for (const auto& command : commands) {
    const auto run = [&] {
      return command.front() == "clone"
                 ? RunProcess({"git", "clone", "-q", "--bare",
                               "zpack::" + server.Url(), dir_ / "cloned"},
                              Environment())
                 : Run(command);
    };
    damages = true;
    EXPECT_NE(run().exit_code, 0) << command.front();
    damages = false;
    std::filesystem::remove_all(dir_ / "salvaged");
    const ProcessResult again = run();
    EXPECT_EQ(again.exit_code, 0) << command.front() << ": " << again.err;
  }
}

TEST_F(LargeHttpFileTest, AFileThatChangesIsNotDamaged) {
  const HttpServer server([&](const HttpServerRequest& request) {
    return ReplyWithRange(request, content_,
                          request.number == 0 ? "\"1\"" : "\"2\"");
  });
  const ProcessResult log = Run({"log", "--oneline", server.Url()});
  EXPECT_EQ(log.exit_code, 128);
  EXPECT_THAT(log.err, HasSubstr("changed"));
  EXPECT_THAT(log.err, Not(HasSubstr("damaged")));
}

TEST_F(HttpTest, ErrorsHaveNoPassword) {
  const HttpServer server(
      [](const HttpServerRequest&) { return HttpServerReply{.status = 404}; });
  std::string url = server.Url();
  url.insert(url.find("//") + 2, "me:secret@");
  const ProcessResult listed = Run({"list-refs", url});
  EXPECT_EQ(listed.exit_code, 128);
  EXPECT_THAT(listed.err, HasSubstr("the server has no such file (404)"));
  EXPECT_THAT(listed.err, Not(HasSubstr("secret")));
}

TEST_F(HttpTest, CommandsThatWriteNextToAFileTakeNoUrl) {
  const std::string url = "http://me:secret@127.0.0.1:1/x.zpack";
  const std::string out = dir_ / "out.zpack";
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"consolidate", url, out},
        {"convert", "--onto", url, repo_.path(), out},
        {"convert", "--base", url, repo_.path(), out},
        {"protect", "--beside", url},
        {"repair", "--in-place", url}}) {
    const ProcessResult result = Run(command);
    EXPECT_EQ(result.exit_code, 128) << command.front();
    EXPECT_THAT(result.err, HasSubstr("URLs are not read here"));
    EXPECT_THAT(result.err, Not(HasSubstr("secret")));
  }
}

// Nobody listens at port 1.
TEST_F(HttpTest, NoCommandShowsThePasswordOfAUrl) {
  for (const std::string url :
       {"http://me:secret@127.0.0.1:1/x", "http:///me:secret@127.0.0.1:1/x",
        "http:/me:secret@127.0.0.1:1/x", "http:////me:secret@127.0.0.1:1/x",
        "HTTP:///me:secret@127.0.0.1:1/x",
        "http://127.0.0.1:1/x?token=secret"}) {
    const std::vector<std::vector<std::string>> commands = {
        {"verify", url},
        {"verify", "--json", url},
        {"verify", "--format=junit", url},
        {"verify", "--against", url, File()},
        {"show", url},
        {"cat-file", url, "-p", "HEAD"},
        {"report", url},
        {"diff", url, File()},
        {"restore", url, dir_ / "restored"},
        {"convert", "--base", url, repo_.path(), dir_ / "out.zpack"},
        {"exec", url, "true"}};
    for (const auto& command : commands) {
      const ProcessResult result = Run(command);
      EXPECT_NE(result.exit_code, 0) << command.front() << ' ' << url;
      EXPECT_THAT(result.out + result.err, Not(HasSubstr("secret")))
          << command.front() << ' ' << url;
    }
  }
  for (const std::string url :
       {"https://me:secret@127.0.0.1:1/x", "https:///me:secret@127.0.0.1:1/x",
        "https:/me:secret@127.0.0.1:1/x"}) {
    const ProcessResult result = Run({"convert", url, dir_ / "out.zpack"});
    EXPECT_EQ(result.exit_code, 128);
    EXPECT_THAT(result.err, HasSubstr("Cloning 'https:"));
    EXPECT_THAT(result.out + result.err, Not(HasSubstr("secret"))) << url;
  }
}

}  // namespace
}  // namespace zpack::testing
