// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// git-zpack upload-pack in the place of git-upload-pack.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "support/serve_fixture.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class UploadPackTest : public ServeFixture {
 protected:
  // Runs 'git-zpack upload-pack <arguments>' with an empty standard input.
  ProcessResult Upload(std::vector<std::string> arguments,
                       const std::vector<std::string>& entries = {}) const {
    arguments.insert(arguments.begin(), {ZpackBinary(), "upload-pack"});
    return Run(arguments, entries);
  }

  // Runs a line of shell, where $1 is the program, $2 the file and $3 a FIFO
  // that nobody writes to or reads from.
  ProcessResult Shell(const std::string& line) const {
    const std::string fifo = dir_ / "fifo";
    mkfifo(fifo.c_str(), 0600);
    return Run({"bash", "-c", line, "bash", ZpackBinary(), file_, fifo});
  }
};

TEST_F(UploadPackTest, ServesCloneAndFetch) {
  for (const std::string version : {"0", "1", "2"}) {
    const std::string clone = dir_ / ("clone" + version);
    GitOut({"-c", "protocol.version=" + version, "clone", "-q", "--mirror",
            "-u", "git-zpack upload-pack", "file://" + file_, clone});
    ExpectMirror(clone);
    GitOut(
        {"-C", clone, "fetch", "-q", "--upload-pack", "git-zpack upload-pack"});
  }
}

TEST_F(UploadPackTest, FindsTheFile) {
  fs::copy_file(file_, home_ + "/mine.zpack");
  const std::string stem = root_ + "/project";
  for (const std::string& path :
       {file_, stem, stem + "/", std::string("~/mine.zpack"),
        std::string("~/mine")}) {
    const ProcessResult result = Upload({"--advertise-refs", path});
    EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
    EXPECT_THAT(result.out, HasSubstr(" refs/heads/main\n"));
    const ProcessResult strict = Upload({"--strict", "--advertise-refs", path});
    EXPECT_EQ(strict.exit_code, path == file_ ? 0 : 128) << path;
  }
  ExpectFatal(Upload({"~nobody-has-this-name/x"}), "there is no such user");
}

TEST_F(UploadPackTest, AdvertisesWhatTheVersionAsksFor) {
  EXPECT_THAT(Upload({"--advertise-refs", file_}).out, HasSubstr(" HEAD"));
  EXPECT_THAT(
      Upload({"--http-backend-info-refs", file_}, {"GIT_PROTOCOL=version=1"})
          .out,
      StartsWith("000eversion 1\n"));
  EXPECT_THAT(Upload({"--advertise-refs", "--stateless-rpc", file_},
                     {"GIT_PROTOCOL=foo:version=2"})
                  .out,
              StartsWith("000eversion 2\n"));
}

TEST_F(UploadPackTest, ExplainsWrongUsage) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{},
                                             {"a", "b"},
                                             {"--timeout=x", file_},
                                             {"--timeout=-1", file_},
                                             {"--strict", "--no-strict", file_},
                                             {"--unknown", file_}}) {
    const ProcessResult result = Upload(arguments);
    EXPECT_EQ(result.exit_code, 129);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("See 'git-zpack upload-pack --help'"));
  }
  EXPECT_EQ(Upload({"--help"}).exit_code, 0);
}

TEST_F(UploadPackTest, NamesTheFileThatIsMissing) {
  const ProcessResult result = Upload({"/nonexistent/x"});
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err, StartsWith("fatal: "));
  EXPECT_THAT(result.err, HasSubstr("/nonexistent/x"));
}

TEST_F(UploadPackTest, EndsWhenTheClientSendsNothing) {
  ExpectFatal(
      Shell(R"(exec "$1" upload-pack --timeout=1 "$2" <> "$3" > /dev/null)"),
      "timeout: the client sent nothing for 1 second");
}

TEST_F(UploadPackTest, EndsWhenTheClientReceivesNothing) {
  const std::string fifo = dir_ / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const int full = open(fifo.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  ASSERT_GE(full, 0);
  std::array<char, 4096> bytes{};
  while (write(full, bytes.data(), bytes.size()) > 0) {
  }
  ExpectFatal(
      Shell(
          R"(exec "$1" upload-pack --advertise-refs --timeout=1 "$2" 1<> "$3")"),
      "timeout: the client received nothing for 1 second");
  close(full);
}

TEST_F(UploadPackTest, DiesSilentlyWhenTheClientIsGone) {
  const ProcessResult result = Shell(
      R"((sleep 0.2; exec "$1" upload-pack --advertise-refs "$2") | true
         exit "${PIPESTATUS[0]}")");
  EXPECT_EQ(result.exit_code, 141);
  EXPECT_EQ(result.err, "");
}

TEST_F(UploadPackTest, DiesSilentlyEvenIfItsParentIgnoresSigpipe) {
  const ProcessResult result = Shell(
      R"((trap '' PIPE; sleep 0.2
          exec "$1" upload-pack --advertise-refs "$2") | true
         exit "${PIPESTATUS[0]}")");
  EXPECT_EQ(result.exit_code, 141);
  EXPECT_EQ(result.err, "");
}

TEST_F(UploadPackTest, RefusesGarbage) {
  for (const std::string input :
       {"garbage", "0000garbage", "fffe", "0003", "00000001",
        "0032want 0000000000000000000000000000000000000000\n0000"}) {
    for (const std::string protocol : {"version=0", "version=2"}) {
      const ProcessResult result = Run({ZpackBinary(), "upload-pack", file_},
                                       {"GIT_PROTOCOL=" + protocol}, input);
      EXPECT_EQ(result.signal, 0);
      EXPECT_THAT(result.exit_code, ::testing::AnyOf(0, 128))
          << ::testing::PrintToString(result);
    }
  }
}

}  // namespace
}  // namespace zpack::testing
