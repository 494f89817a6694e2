// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Clones over HTTP, from nginx with the configuration in tools/examples.

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <thread>

#include "support/serve_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kNginx = "/usr/sbin/nginx";
constexpr const char* kWrapper = "/usr/sbin/fcgiwrap";

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

// A port that nobody listens on at the moment.
uint16_t FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  Require(bind(fd, generic, size) == 0 && getsockname(fd, generic, &size) == 0,
          "bind");
  close(fd);
  return ntohs(address.sin_port);
}

// Returns a connection, or -1.
template <typename Address>
int Connect(sa_family_t family, const Address& address) {
  const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address),
              sizeof address) == 0) {
    return fd;
  }
  close(fd);
  return -1;
}
int Connect(uint16_t port) { return Connect(AF_INET, Loopback(port)); }

bool Accepts(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  Require(path.size() < sizeof address.sun_path, "a short path of a socket");
  path.copy(address.sun_path, path.size());
  const int fd = Connect(AF_UNIX, address);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

// Waits until `condition` holds. False if it does not within 20 seconds.
template <typename Condition>
bool WaitFor(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

// Replaces the only `from` in `text`.
void Substitute(std::string& text, const std::string& from,
                const std::string& to) {
  const size_t at = text.find(from);
  Require(
      at != std::string::npos && text.find(from, at + 1) == std::string::npos,
      "'" + from + "' is not once in nginx.conf");
  text.replace(at, from.size(), to);
}

class HttpServerTest : public ServeFixture {
 protected:
  void SetUp() override {
    if (!Exists(kNginx) || !Exists(kWrapper)) {
      GTEST_SKIP() << "needs Debian's nginx-light and fcgiwrap";
    }
    ProcessOptions options;
    options.environment = Environment();
    wrapper_ = std::make_unique<Process>(
        std::vector<std::string>{kWrapper, "-s", "unix:" + dir_ / "socket"},
        options);
    ASSERT_TRUE(WaitFor([&] { return Accepts(dir_ / "socket"); }));
    // Somebody may take the port before nginx does.
    for (int attempt = 0; attempt < 3 && !StartServer(options); ++attempt) {
    }
    ASSERT_TRUE(server_) << ReadFile(dir_ / "error.log");
  }

  void TearDown() override {
    if (HasFailure() && Exists(dir_ / "error.log")) {
      std::cerr << ReadFile(dir_ / "error.log");
    }
    for (const auto& process : {&server_, &wrapper_}) {
      if (*process) (*process)->Signal(SIGTERM);
      if (*process) (*process)->Wait();
      process->reset();
    }
  }

  bool StartServer(const ProcessOptions& options) {
    port_ = FreePort();
    WriteConfiguration();
    WriteFile(dir_ / "error.log", "");
    server_ = std::make_unique<Process>(
        std::vector<std::string>{kNginx, "-p", dir_.path(), "-e",
                                 dir_ / "error.log", "-c", dir_ / "nginx.conf",
                                 "-g",
                                 // One process, which a test can end.
                                 "daemon off; master_process off;"},
        options);
    const bool ended = WaitFor([&] {
      return AcceptsConnections() ||
             ReadFile(dir_ / "error.log").find("[emerg]") != std::string::npos;
    });
    if (ended && AcceptsConnections()) return true;
    server_.reset();
    return false;
  }

  bool AcceptsConnections() const {
    const int fd = Connect(port_);
    if (fd >= 0) close(fd);
    return fd >= 0;
  }

  void WriteConfiguration() const {
    std::string text = ReadFile(ZPACK_SOURCE "/tools/examples/nginx.conf");
    // The description, which has the same paths.
    text.erase(0, text.find("\n\n") + 2);
    text.erase(0, text.find("user www-data;"));
    Substitute(text, "user www-data;\n", "");
    Substitute(text, "/run/nginx-zpack.pid", dir_ / "nginx.pid");
    Substitute(text, "/var/log/nginx/zpack-error.log", dir_ / "error.log");
    Substitute(text, "/var/log/nginx/zpack-access.log", dir_ / "access.log");
    Substitute(text, "127.0.0.1:80", "127.0.0.1:" + std::to_string(port_));
    Substitute(text, "/run/fcgiwrap.socket", dir_ / "socket");
    Substitute(text, "/usr/bin/git-zpack-http-backend",
               Programs() + "/git-zpack-http-backend");
    Substitute(text, "/srv/zpack", root_);
    // Directories that nginx makes, and that only root may make elsewhere.
    std::string places;
    for (const std::string name :
         {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"}) {
      places +=
          "    " + name + "_temp_path " + dir_ / ("nginx-" + name) + ";\n";
    }
    Substitute(text, "http {\n", "http {\n" + places);
    WriteFile(dir_ / "nginx.conf", text);
  }

  std::string Url(const std::string& path) const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
  }

  // Sends a request as it is and returns everything that comes back.
  std::string Send(const std::string& request) const {
    const int fd = Connect(port_);
    Require(fd >= 0, "connect");
    Require(write(fd, request.data(), request.size()) ==
                static_cast<ssize_t>(request.size()),
            "write");
    std::string answer;
    std::array<char, 4096> buffer{};
    ssize_t got = 0;
    while ((got = read(fd, buffer.data(), buffer.size())) > 0) {
      answer.append(buffer.data(), static_cast<size_t>(got));
    }
    close(fd);
    return answer;
  }
  std::string Get(const std::string& target) const {
    return Send("GET " + target +
                " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  }
  std::string Post(const std::string& headers, const std::string& body) const {
    return Send(
        "POST /project.git/git-upload-pack HTTP/1.1\r\nHost: x\r\n"
        "Connection: close\r\nGit-Protocol: version=2\r\n" +
        headers + "\r\n" + body);
  }

  uint16_t port_ = 0;
  std::unique_ptr<Process> wrapper_;
  std::unique_ptr<Process> server_;
};

constexpr const char* kType =
    "Content-Type: application/x-git-upload-pack-request\r\n";

TEST_F(HttpServerTest, ServesEveryProtocolVersion) {
  for (const std::string version : {"0", "1", "2"}) {
    ExpectCloneOf(Url("/project.git"), {"-c", "protocol.version=" + version});
  }
  fs::create_directories(root_ + "/a b/c");
  fs::copy_file(file_, root_ + "/a b/c/x.zpack");
  ExpectCloneOf(Url("/a%20b/c/x"));
}

TEST_F(HttpServerTest, ServesShallowAndPartialClones) {
  const std::string clone = dir_ / "clone";
  GitOut({"clone", "-q", "--filter=blob:none", "--depth", "1",
          Url("/project.git"), clone});
  EXPECT_EQ(GitIn(clone, {"status", "--porcelain"}), "");
  GitIn(clone, {"fetch", "-q", "--unshallow"});
  EXPECT_EQ(GitIn(clone, {"rev-list", "--count", "HEAD"}), "5");
}

// So many commits that Git compresses the request.
TEST_F(HttpServerTest, ServesClientsThatHaveMuch) {
  for (const std::string version : {"0", "2"}) {
    const std::string clone = dir_ / ("clone" + version);
    const std::string option = "protocol.version=" + version;
    GitOut(
        {"-c", option, "clone", "-q", "--mirror", Url("/project.git"), clone});
    const RepoBuilder own = RepoBuilder::Existing(clone);
    std::string tip = GitIn(clone, {"rev-parse", "main"});
    // The client names the newest commits first.
    constexpr uint64_t kNewer = 1800000000;
    for (int i = 0; i < 80; ++i) {
      tip = own.SimpleCommit(std::to_string(i), {tip},
                             kNewer + static_cast<uint64_t>(i));
    }
    own.SetRef("refs/heads/own", tip);
    const std::string more = repo_.SimpleCommit(
        "more" + version, {repo_.Git({"rev-parse", "main"})});
    repo_.SetRef("refs/heads/main", more);
    Convert(file_);
    const ProcessResult fetched =
        Git({"-C", clone, "-c", option, "fetch", "-q", Url("/project.git"),
             "+refs/heads/main:refs/heads/main"},
            {"GIT_TRACE_CURL=1", "GIT_TRACE_CURL_NO_DATA=1"});
    EXPECT_EQ(fetched.exit_code, 0) << ::testing::PrintToString(fetched);
    EXPECT_THAT(fetched.err, HasSubstr("Content-Encoding: gzip"));
    EXPECT_EQ(GitIn(clone, {"rev-parse", "main"}), more);
  }
}

TEST_F(HttpServerTest, AnswersRequestsWithAndWithoutLength) {
  const std::string body = kListRefs;
  const std::string length =
      "Content-Length: " + std::to_string(body.size()) + "\r\n";
  EXPECT_THAT(Post(kType + length, body), HasSubstr(" refs/heads/main\n"));
  std::array<char, 16> size{};
  snprintf(size.data(), size.size(), "%zx\r\n", body.size());
  EXPECT_THAT(Post(std::string(kType) + "Transfer-Encoding: chunked\r\n",
                   size.data() + body + "\r\n0\r\n\r\n"),
              HasSubstr(" refs/heads/main\n"));
  EXPECT_THAT(Post("Content-Type: text/plain\r\n" + length, body),
              StartsWith("HTTP/1.1 415 Unsupported Media Type\r\n"));
}

TEST_F(HttpServerTest, ServesNothingElse) {
  fs::copy_file(file_, dir_ / "secret.zpack");
  fs::create_symlink("../secret.zpack", root_ + "/out.zpack");
  const std::string query = "/info/refs?service=git-upload-pack";
  EXPECT_THAT(Get("/project.git" + query), StartsWith("HTTP/1.1 200 "));
  for (const std::string path :
       {"/../secret.git", "/%2e%2e/secret.git", "/..%2fsecret.git", "/out.git",
        "/x/../../secret", "/%00", "/project.git%00"}) {
    EXPECT_THAT(Get(path + query), StartsWith("HTTP/1.1 4")) << path;
  }
  EXPECT_THAT(Get("/project.git/info/refs"), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(Get("/project.git/HEAD"), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(Get("/project.zpack"), StartsWith("HTTP/1.1 404 "));
  const ProcessResult push =
      Git({"-C", repo_.path(), "push", Url("/project.git"), "main"});
  EXPECT_EQ(push.exit_code, 128);
  EXPECT_THAT(push.err, HasSubstr("403"));
  EXPECT_THAT(push.err,
              HasSubstr("remote: a .zpack file is read-only: cannot push"));
}

}  // namespace
}  // namespace zpack::testing
