// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Clones over SSH. The client starts a server for each connection and talks to
// it over a pipe (ProxyCommand), so that no port and no daemon is needed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "support/serve_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kSshServer = "/usr/sbin/sshd";

class SshTest : public ServeFixture {
 protected:
  void SetUp() override {
    if (!Exists(kSshServer) || !Run({"ssh", "-V"}).ok()) {
      GTEST_SKIP() << "needs Debian's openssh-server and openssh-client";
    }
    // Made by the service, which need not run. sshd demands it of root.
    if (geteuid() == 0) mkdir("/run/sshd", 0755);
    for (const std::string name : {"host", "user"}) {
      ASSERT_TRUE(Run({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f",
                       dir_ / name})
                      .ok());
    }
    std::string server = "HostKey " + dir_ / "host";
    server += "\nAuthorizedKeysFile " + dir_ / "authorized";
    server +=
        "\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
        "PermitRootLogin yes\nAcceptEnv GIT_PROTOCOL\nPrintMotd no\n"
        "SetEnv PATH=" +
        Programs() + ":/usr/local/bin:/usr/bin:/bin";
    for (const char* const name : {"LSAN_OPTIONS", "ASAN_OPTIONS"}) {
      const char* const value = std::getenv(name);
      if (value != nullptr) {
        server += " \"" + std::string(name) + '=' + value + '"';
      }
    }
    WriteFile(dir_ / "sshd_config", server + '\n');
    WriteFile(dir_ / "ssh_config",
              "Host *\n  IdentitiesOnly yes\n  StrictHostKeyChecking no\n"
              "  LogLevel ERROR\n  BatchMode yes\n  User " +
                  std::string(getpwuid(geteuid())->pw_name) +
                  "\n  IdentityFile " + dir_ / "user" +
                  "\n  UserKnownHostsFile " + dir_ / "known" +
                  "\n  ProxyCommand " + kSshServer + " -i -e -f " +
                  dir_ / "sshd_config" + " -E " + dir_ / "sshd.log\n");
    Authorize("");
    // Says nothing about the programs under test.
    const ProcessResult login =
        Run({"ssh", "-F", dir_ / "ssh_config", "server", "true"});
    if (!login.ok()) {
      GTEST_SKIP() << "sshd does not let this user log in: " << login.err
                   << Log();
    }
  }

  void TearDown() override {
    if (HasFailure()) std::cerr << Log();
  }

  // What sshd had to say.
  std::string Log() const {
    const std::string file = dir_ / "sshd.log";
    return Exists(file) ? ReadFile(file) : "";
  }

  // Accepts the user's key with these options of authorized_keys.
  void Authorize(const std::string& options) const {
    WriteFile(dir_ / "authorized", options + (options.empty() ? "" : " ") +
                                       ReadFile(dir_ / "user.pub"));
  }

  std::vector<std::string> Ssh() const {
    return {"GIT_SSH_COMMAND=ssh -F " + dir_ / "ssh_config"};
  }
};

TEST_F(SshTest, ServesClientsThatNameTheProgram) {
  for (const std::string version : {"0", "2"}) {
    const std::string clone = dir_ / ("clone" + version);
    GitOut({"-c", "protocol.version=" + version, "clone", "-q", "--mirror",
            "-u", "git-zpack upload-pack", "server:" + file_, clone},
           Ssh());
    ExpectMirror(clone);
  }
}

TEST_F(SshTest, ForcedCommandServesStockClients) {
  Authorize("command=\"git-zpack shell --root " + root_ + "\",restrict");
  for (const std::string version : {"0", "1", "2"}) {
    ExpectCloneOf("server:project.git", {"-c", "protocol.version=" + version},
                  Ssh());
  }
  ExpectCloneOf("ssh://server/project", {}, Ssh());
  const ProcessResult listed = Git({"ls-remote", "server:project"},
                                   {Ssh().front(), "GIT_TRACE_PACKET=1"});
  EXPECT_THAT(listed.err, HasSubstr("< version 2"));
}

TEST_F(SshTest, ForcedCommandServesPartialAndShallowClones) {
  Authorize("command=\"git-zpack shell --root " + root_ + "\",restrict");
  const std::string clone = dir_ / "clone";
  GitOut({"clone", "-q", "--filter=blob:none", "--depth", "2",
          "server:project.git", clone},
         Ssh());
  EXPECT_EQ(GitIn(clone, {"rev-list", "--count", "HEAD"}), "2");
  EXPECT_EQ(GitIn(clone, {"status", "--porcelain"}), "");
}

TEST_F(SshTest, ForcedCommandAllowsNothingElse) {
  Authorize("command=\"git-zpack shell --root " + root_ + "\",restrict");
  const auto ssh = [this](const std::string& command) {
    std::vector<std::string> words = {"ssh", "-F", dir_ / "ssh_config",
                                      "server"};
    if (!command.empty()) words.push_back(command);
    return Run(words);
  };
  ExpectFatal(ssh("cat /etc/passwd"), "command not allowed");
  ExpectFatal(ssh("git-upload-pack 'project'; id"), "bad quotes");
  ExpectFatal(ssh(""), "interactive shell is not available");
  const ProcessResult push =
      Git({"-C", repo_.path(), "push", "server:project", "main"}, Ssh());
  EXPECT_EQ(push.exit_code, 128);
  EXPECT_THAT(push.err, HasSubstr("read-only: cannot push"));
}

}  // namespace
}  // namespace zpack::testing
