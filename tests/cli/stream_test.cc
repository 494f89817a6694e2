// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// '-' for standard input and output, and what convert lets Git clone first:
// bundles and URLs. No temporary file is left, whatever happens.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class StreamTest : public ::testing::Test {
 protected:
  StreamTest() : repo_(dir_ / "repo"), file_(dir_ / "x.zpack") {
    repo_.History(10);
    fs::create_directory(Temporaries());
    options_.environment = {"TMPDIR=" + Temporaries()};
    options_.directory = dir_.path();
    Require(Run({"convert", "-q", "repo", "x.zpack"}).ok(), "convert");
  }
  ~StreamTest() override {
    EXPECT_THAT(ListDirectory(Temporaries()), IsEmpty());
  }

  std::string Temporaries() const { return dir_ / "temporaries"; }

  ProcessResult Run(const std::vector<std::string>& arguments,
                    const std::string& input = "") const {
    ProcessOptions options = options_;
    options.input = input;
    return RunZpack(arguments, options);
  }
  // With a terminal for all streams.
  ProcessResult OnTerminal(const std::string& arguments) const {
    return RunProcess({"script", "-q", "-e", "-c",
                       ZpackBinary() + ' ' + arguments, "/dev/null"},
                      options_);
  }
  ProcessResult Shell(const std::string& script) const {
    return RunProcess({"bash", "-c", script, ZpackBinary()}, options_);
  }
  std::string MakeBundle() const {
    repo_.Git({"bundle", "create", "-q", dir_ / "x.bundle", "--all", "HEAD"});
    return dir_ / "x.bundle";
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_;
  ProcessOptions options_;
};

TEST_F(StreamTest, ConvertWritesTheFileToStandardOutput) {
  const ProcessResult result = Run({"convert", "repo", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(result.out == ReadFile(file_));
  EXPECT_THAT(result.err,
              AllOf(StartsWith("Converted "), HasSubstr(", verified;")));
  EXPECT_FALSE(Exists(dir_ / "-"));
}

TEST_F(StreamTest, LooseObjectsAreNotPacksOfNoBytes) {
  const RepoBuilder loose(dir_ / "loose");
  loose.WriteBlob("content");
  EXPECT_THAT(Run({"convert", "loose", "loose.zpack"}).err,
              HasSubstr("' has no packs.\n"));
  loose.PackAll();
  EXPECT_THAT(Run({"convert", "-f", "loose", "loose.zpack"}).err,
              HasSubstr("; the packs of '"));
}

TEST_F(StreamTest, FileThatIsCalledLikeAStreamNeedsItsDirectory) {
  EXPECT_TRUE(Run({"convert", "-q", "repo", "./-"}).ok());
  EXPECT_TRUE(ReadFile(dir_ / "-") == ReadFile(file_));
  EXPECT_THAT(Run({"verify", "./-"}).out, StartsWith("./-: ok"));
}

TEST_F(StreamTest, NothingIsWrittenBeforeTheFileIsVerified) {
  const std::string blob = repo_.WriteBlob("damaged");
  WriteFile(repo_.LooseObjectPath(blob), "nonsense");
  const ProcessResult result = Run({"convert", "repo", "-"});
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, ::testing::Not(HasSubstr("--resume")));
}

TEST_F(StreamTest, OptionsThatNeedANameAreWrongUsage) {
  for (const char* const option : {"--update", "--resume", "--json"}) {
    const ProcessResult result = Run({"convert", option, "repo", "-"});
    EXPECT_EQ(result.exit_code, 129);
    EXPECT_THAT(result.err, HasSubstr(option));
  }
}

TEST_F(StreamTest, TerminalsAreRefused) {
  if (RunProcess({"sh", "-c", "command -v script"}).exit_code != 0) {
    GTEST_SKIP() << "script(1) is missing: apt-get install bsdutils";
  }
  const ProcessResult written = OnTerminal("convert -q repo -");
  EXPECT_EQ(written.exit_code, 128);
  EXPECT_THAT(written.out, HasSubstr("refusing to write"));
  const ProcessResult read = OnTerminal("verify -");
  EXPECT_EQ(read.exit_code, 128);
  EXPECT_THAT(read.out, HasSubstr("refusing to read"));
}

TEST_F(StreamTest, ReaderThatGoesAwayLeavesNothing) {
  repo_.WriteBlob(RandomBytes(1, 1000000));
  const ProcessResult result =
      Shell("\"$0\" convert -q repo - | head -c 10 | wc -c");
  EXPECT_EQ(result.out, "10\n");
}

// What a command writes for people or programs.
TEST_F(StreamTest, DocumentsGoToStandardOutput) {
  const std::vector<std::vector<std::string>> commands = {
      {"verify", "--format", "junit"},
      {"verify", "--format", "json"},
      {"verify"},
      {"attest"}};
  for (const std::vector<std::string>& command : commands) {
    SCOPED_TRACE(::testing::PrintToString(command));
    std::vector<std::string> plain = command;
    plain.emplace_back("x.zpack");
    std::vector<std::string> named = command;
    named.insert(named.end(), {"-o", "-", "x.zpack"});
    const ProcessResult expected = Run(plain);
    const ProcessResult result = Run(named);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const auto without_numbers = [](std::string text) {
      std::erase_if(text, [](char c) { return '0' <= c && c <= '9'; });
      return text;
    };
    EXPECT_EQ(without_numbers(result.out), without_numbers(expected.out));
  }
  EXPECT_EQ(Run({"archive", "-o", "-", "x.zpack", "main"}).out,
            Run({"archive", "x.zpack", "main"}).out);
  EXPECT_THAT(Run({"report", "--html", "-", "x.zpack"}).out,
              StartsWith("<!doctype html>"));
  EXPECT_EQ(Run({"report", "--html", "-", "--json", "x.zpack"}).exit_code, 129);
  EXPECT_FALSE(fs::exists(dir_ / "-"));
}

TEST_F(StreamTest, BundleGoesToStandardOutput) {
  ASSERT_TRUE(Run({"restore", "--bundle", "b", "x.zpack"}).ok());
  const ProcessResult result = Run({"restore", "--bundle=-", "x.zpack"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, AllOf(HasSubstr("to standard output."),
                                Not(HasSubstr("git clone"))));
  EXPECT_EQ(result.out, ReadFile(dir_ / "b"));
  EXPECT_EQ(Run({"restore", "--bundle=-", "--json", "x.zpack"}).exit_code, 129);
  const ProcessResult shown = OnTerminal("restore --bundle=- x.zpack");
  EXPECT_EQ(shown.exit_code, 128);
  EXPECT_THAT(shown.out, HasSubstr("refusing to write a bundle"));
}

TEST_F(StreamTest, FilesThatMustBeReadBackHaveNames) {
  for (const char* const command : {"protect", "repair"}) {
    const ProcessResult result = Run({command, "-o", "-", "x.zpack"});
    EXPECT_EQ(result.exit_code, 129);
    EXPECT_THAT(result.err, HasSubstr("option '--output' expects a path"));
  }
  EXPECT_FALSE(fs::exists(dir_ / "-"));
}

TEST_F(StreamTest, WriteFailuresNameTheOutputAndTheReason) {
  const std::string full = "No space left on device\n";
  for (const std::string command :
       {"list-refs x.zpack", "list-refs --json x.zpack",
        "cat-file -p x.zpack main:counter", "archive x.zpack main",
        "archive --format=tar.gz x.zpack main",
        "archive --format=tar.zst x.zpack main",
        "archive --format=zip x.zpack main", "log x.zpack main",
        "rev-list --all x.zpack", "convert -q repo -",
        "restore --bundle - x.zpack"}) {
    const ProcessResult result = Shell("\"$0\" " + command + " > /dev/full");
    EXPECT_EQ(result.exit_code, 128) << command;
    EXPECT_EQ(result.err, "fatal: write failure on standard output: " + full)
        << command;
  }
  for (const std::string command :
       {"archive -o /dev/full x.zpack main",
        "archive -o /dev/full --format=zip x.zpack main",
        "archive -o /dev/full --format=tar.gz x.zpack main",
        "report --html /dev/full x.zpack", "attest -o /dev/full x.zpack"}) {
    const ProcessResult result = Shell("\"$0\" " + command);
    EXPECT_EQ(result.exit_code, 128) << command;
    EXPECT_EQ(result.err, "fatal: write failure on '/dev/full': " + full)
        << command;
  }
  const ProcessResult limited =
      Shell("ulimit -f 1; \"$0\" restore --bundle b x.zpack");
  EXPECT_EQ(limited.exit_code, 128);
  EXPECT_EQ(limited.err, "fatal: write failure on 'b': File too large\n");
}

// Long output is written at once, long before the command ends.
TEST_F(StreamTest, EveryCommandSaysWhyItsOutputCannotBeWritten) {
  repo_.SetRef("refs/tags/lines", repo_.SimpleCommit([] {
    std::string lines;
    for (int i = 0; i < 500; ++i) {
      lines += "line " + std::to_string(i) + '\n';
    }
    return lines;
  }()));
  fs::copy_file(file_, dir_ / "z.zpack");
  ASSERT_TRUE(Run({"convert", "-q", "-f", "repo", "x.zpack"}).ok());
  for (const std::string command :
       {"archive x.zpack main",
        "attest x.zpack",
        "cat-file -p x.zpack main",
        "cat-file --batch-check --batch-all-objects x.zpack",
        "cat-file -p x.zpack lines:file",
        "consolidate --json x.zpack c.zpack",
        "convert --json -q repo y.zpack",
        "diff --json x.zpack z.zpack",
        "grep --json line x.zpack lines",
        "grep line x.zpack lines",
        "list-files --json x.zpack",
        "list-refs --json x.zpack",
        "list-refs x.zpack",
        "log --json x.zpack main",
        "log x.zpack main",
        "ls-tree x.zpack lines",
        "protect --json x.zpack",
        "repair --json x.zpack",
        "report --json x.zpack",
        "report x.zpack",
        "restore --bundle - x.zpack",
        "restore --json -q x.zpack r.git",
        "rev-list --all x.zpack",
        "rev-list --objects --all x.zpack",
        "salvage --json -q x.zpack s.git",
        "show --blocks --json x.zpack",
        "show --json x.zpack",
        "show x.zpack",
        "verify --json x.zpack",
        "verify x.zpack",
        "--help",
        "--version",
        "show --help"}) {
    SCOPED_TRACE(command);
    const ProcessResult result = Shell("\"$0\" " + command + " > /dev/full");
    EXPECT_EQ(result.exit_code, 128);
    EXPECT_THAT(result.err,
                ::testing::EndsWith("fatal: write failure on standard output: "
                                    "No space left on device\n"));
  }
  EXPECT_TRUE(Run({"verify", "-q", "y.zpack"}).ok());
}

TEST_F(StreamTest, FullOutputIsAnError) {
  const ProcessResult result = Shell("\"$0\" convert -q repo - > /dev/full");
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err, HasSubstr("write failure on standard output"));
}

TEST_F(StreamTest, VerifyReadsStandardInput) {
  const std::string content = ReadFile(file_);
  const ProcessResult piped = Run({"verify", "-"}, content);
  EXPECT_EQ(piped.exit_code, 0) << piped.err;
  EXPECT_THAT(piped.out, StartsWith("<stdin>: ok, "));
  EXPECT_THAT(Run({"verify", "--against", "repo", "-"}, content).exit_code, 0);
  // A regular file need not be copied, unless some of it was read already.
  EXPECT_EQ(Shell("\"$0\" verify -q - < x.zpack").exit_code, 0);
  EXPECT_EQ(Shell("{ echo first; cat x.zpack; } > y; "
                  "{ read -r line; \"$0\" verify -q -; } < y")
                .exit_code,
            0);

  std::string damaged = content;
  damaged[damaged.size() / 2] ^= 1;
  const ProcessResult bad = Run({"verify", "-"}, damaged);
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.err, HasSubstr("'<stdin>'"));
  EXPECT_THAT(bad.err + bad.out, Not(HasSubstr("/dev/stdin")));
  EXPECT_NE(Run({"verify", "-"}, "").exit_code, 0);
}

TEST_F(StreamTest, RestoreReadsStandardInput) {
  const ProcessResult result =
      Shell("\"$0\" convert -q repo - | \"$0\" restore -q - r.git");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(ReadState(dir_ / "r.git"), ReadState(repo_.path()));
}

TEST_F(StreamTest, OtherCommandsReadStandardInput) {
  const std::string content = ReadFile(file_);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"show"},
        {"show", "--stats"},
        {"list-refs"},
        {"list-files"},
        {"cat-extra", "FILE", "description"},
        {"cat-file", "-p", "FILE", "HEAD"},
        {"cat-file", "--batch-check", "--batch-all-objects"},
        {"rev-list", "--all"},
        {"ls-tree", "FILE", "HEAD"},
        {"archive", "FILE", "HEAD"}}) {
    const auto with = [&](const std::string& file) {
      std::vector<std::string> arguments = command;
      const auto at = std::ranges::find(arguments, "FILE");
      if (at == arguments.end()) {
        arguments.push_back(file);
      } else {
        *at = file;
      }
      return Run(arguments, content);
    };
    const ProcessResult streamed = with("-");
    EXPECT_EQ(streamed.exit_code, with(file_).exit_code) << streamed.err;
    EXPECT_TRUE(streamed.out == with(file_).out) << command.front();
  }
  EXPECT_EQ(Run({"salvage", "-q", "-", "s.git"}, content).exit_code, 0);
  const ProcessResult both = Run({"cat-file", "--batch", "-"}, content);
  EXPECT_EQ(both.exit_code, 129);
  EXPECT_THAT(both.err, HasSubstr("standard input"));
}

TEST_F(StreamTest, TemporaryThatDoesNotFitIsNamed) {
  const ProcessResult result =
      Shell("ulimit -f 64; head -c 1000000 /dev/zero | \"$0\" verify -");
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err,
              HasSubstr("cannot write a temporary file in '" + Temporaries()));
}

TEST_F(StreamTest, BundleIsClonedFirst) {
  MakeBundle();
  const ProcessResult result =
      Run({"convert", "-f", "x.bundle", "bundle.zpack"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("Cloning 'x.bundle' with 'git clone --mirror'"),
                    HasSubstr("the packs of 'x.bundle' take")));
  ASSERT_TRUE(Run({"restore", "-q", "bundle.zpack", "r.git"}).ok());
  EXPECT_EQ(ReadState(dir_ / "r.git"), ReadState(repo_.path()));
  // Nothing is kept that tells of the clone.
  EXPECT_EQ(Run({"list-files", "bundle.zpack"}).out, "");
  // The next night.
  const ProcessResult again =
      Run({"convert", "--update", "x.bundle", "bundle.zpack"});
  EXPECT_THAT(again.err, HasSubstr("Unchanged: 'bundle.zpack' "));
}

TEST_F(StreamTest, BundleMayComeFromAnywhereAndGoToStandardOutput) {
  const std::string bundle = MakeBundle();
  const ProcessResult result = Run({"convert", "-q", bundle, "-"});
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(Run({"verify", "-q", "-"}, result.out).exit_code, 0);
}

TEST_F(StreamTest, BundleIsNotReplaced) {
  const std::string bundle = MakeBundle();
  const std::string content = ReadFile(bundle);
  const ProcessResult result = Run({"convert", "-f", "x.bundle", "./x.bundle"});
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err, HasSubstr("both source and destination"));
  EXPECT_TRUE(ReadFile(bundle) == content);
}

TEST_F(StreamTest, DamagedBundleIsAnError) {
  const std::string bundle = MakeBundle();
  const std::string content = ReadFile(bundle);
  WriteFile(bundle, content.substr(0, content.size() - 30));
  const ProcessResult result = Run({"convert", "x.bundle", "bundle.zpack"});
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err,
              HasSubstr("fatal: 'git clone' failed with exit code"));
  EXPECT_FALSE(Exists(dir_ / "bundle.zpack"));
}

TEST_F(StreamTest, NamespaceOfTheUserDoesNotCount) {
  options_.environment.emplace_back("GIT_NAMESPACE=other");
  ASSERT_TRUE(Run({"convert", "-q", "file://" + repo_.path(), "u.zpack"}).ok());
  EXPECT_TRUE(Run({"list-refs", "u.zpack"}).out ==
              Run({"list-refs", "x.zpack"}).out);
}

TEST_F(StreamTest, UrlIsClonedFirst) {
  repo_.Git({"config", "alias.x", "log"});
  const std::string url = "file://" + repo_.path();
  const ProcessResult result =
      Run({"convert", "--json", "-f", url, "url.zpack"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("Cloning '" + url + "' with"));
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["cloned_from"], url);
  EXPECT_TRUE(json["git_directory"].is_null());
  ASSERT_TRUE(Run({"restore", "-q", "url.zpack", "r.git"}).ok());
  EXPECT_EQ(ReadState(dir_ / "r.git"), ReadState(repo_.path()));

  const ProcessResult local = Run({"convert", "--json", "-f", "repo", "l"});
  EXPECT_TRUE(nlohmann::json::parse(local.out)["cloned_from"].is_null());
}

TEST_F(StreamTest, PasswordOfAUrlIsNotShown) {
  // Port 1 answers nobody.
  const ProcessResult result =
      Run({"convert", "http://me:secret@127.0.0.1:1/x.git", "url.zpack"});
  EXPECT_EQ(result.exit_code, 128);
  EXPECT_THAT(result.err, HasSubstr("Cloning 'http://127.0.0.1:1/x.git' with"));
  EXPECT_THAT(result.err, ::testing::Not(HasSubstr("secret")));
}

TEST_F(StreamTest, AddressOfSshIsClonedFirst) {
  WriteFile(dir_ / "ssh", "#!/bin/bash\nshift $(($# - 1))\neval \"$1\"\n");
  fs::permissions(dir_ / "ssh", fs::perms::owner_all);
  options_.environment.push_back("GIT_SSH=" + (dir_ / "ssh"));
  const ProcessResult result =
      Run({"convert", "host:" + repo_.path(), "ssh.zpack"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("Cloning 'host:" + repo_.path()));
}

TEST_F(StreamTest, SignalRemovesTheClone) {
  // Git waits for a server that says nothing.
  WriteFile(dir_ / "ssh",
            "#!/bin/bash\necho waiting >&2\nexec cat 2> /dev/null\n");
  fs::permissions(dir_ / "ssh", fs::perms::owner_all);
  std::vector<std::string> command = {"env",
                                      "TMPDIR=" + Temporaries(),
                                      "GIT_SSH=" + (dir_ / "ssh"),
                                      ZpackBinary(),
                                      "convert",
                                      "host:x.git",
                                      dir_ / "y.zpack"};
  Process process(command);
  ASSERT_TRUE(process.WaitForErr("waiting"));
  process.Signal(SIGINT);
  const ProcessResult result = process.Wait();
  EXPECT_EQ(result.signal, SIGINT) << ::testing::PrintToString(result);
  EXPECT_FALSE(Exists(dir_ / "y.zpack"));
}

TEST_F(StreamTest, SignalRemovesTheFileForStandardOutput) {
  for (uint64_t i = 0; i < 24; ++i) {
    repo_.WriteBlob(RawToHex(RandomBytes(i, 250000)));
  }
  Process process({"env", "TMPDIR=" + Temporaries(), ZpackBinary(), "convert",
                   "--progress", "--level", "22", "--block-size", "64k",
                   "--threads", "1", repo_.path(), "-"});
  ASSERT_TRUE(process.WaitForErr("Compressing objects"));
  process.Signal(SIGTERM);
  const ProcessResult result = process.Wait();
  EXPECT_EQ(result.signal, SIGTERM) << ::testing::PrintToString(result);
  EXPECT_EQ(result.out, "");
  // The phase was interrupted.
  EXPECT_THAT(result.err, ::testing::Not(::testing::ContainsRegex(
                              "Compressing objects[^\n]*done")));
}

}  // namespace
}  // namespace zpack::testing
