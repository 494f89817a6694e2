// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A sweep over all commands: on a terminal, no name or message in a repository
// or file becomes a control character. Elsewhere, programs read the bytes that
// Git prints.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "cli.h"
#include "support/program.h"
#include "support/repo_builder.h"
#include "support/temp_dir.h"
#include "terminal_text.h"

namespace zpack::testing {
namespace {

using ::testing::HasSubstr;

// Clears the screen, sets a title, C1 controls in UTF-8 and raw, a bell, and a
// character that turns the direction of text.
constexpr std::string_view kEvil =
    "x\x1b[2J\x1b]0;t\x07\xc2\x9b"
    "1m\x9b\xe2\x80\xae"
    "y";
// Refs cannot hold C0 controls.
constexpr std::string_view kEvilRef =
    "x\xc2\x9b"
    "1m\x9b\xe2\x80\xae"
    "y";

// What a terminal would obey: control characters in `text` other than line
// feeds, carriage returns and tabs, and what EscapeUnprintable would escape.
std::string Controls(std::string_view text) {
  std::string found;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool layout = c == '\n' || c == '\r' || c == '\t';
    const std::string_view rest = text.substr(i);
    const bool c1 = c == 0xc2 && rest.size() > 1 &&
                    static_cast<unsigned char>(rest[1]) < 0xa0;
    if ((c < 0x20 && !layout) || c == 0x7f || c1 ||
        rest.starts_with("\xe2\x80\xae") || c == 0x9b) {
      found += "byte " + std::to_string(c) + " at " + std::to_string(i) + "; ";
    }
  }
  return found;
}

// The text without the colors that '--color' asks for.
std::string WithoutColors(const std::string& text) {
  static const std::regex kColor("\x1b\\[[0-9;]*m");
  return std::regex_replace(text, kColor, "");
}

class TerminalOutputTest : public ::testing::Test {
 protected:
  TerminalOutputTest() : repo_(dir_ / "repo") {
    const std::string evil(kEvil);
    const std::string blob = repo_.WriteBlob("content\n");
    CommitFields fields;
    const std::string inner =
        repo_.WriteTree(TreeEntryBytes("100644", evil + "2", blob));
    fields.tree = repo_.WriteTree(TreeEntryBytes("100644", evil, blob) +
                                  TreeEntryBytes("40000", "z" + evil, inner));
    fields.message = evil + "\n";
    fields.extra_headers = "encoding " + evil + "\n";
    const std::string commit = repo_.WriteCommit(fields);
    repo_.SetRef("refs/heads/main", commit);
    repo_.SetRef("refs/heads/" + std::string(kEvilRef), commit);
    repo_.SetRef("refs/tags/t",
                 repo_.WriteTag(commit, "commit", evil, evil + "\n"));
    repo_.WriteLooseRef("refs/remotes/o/HEAD",
                        "ref: refs/heads/" + std::string(kEvilRef) + "\n");
    WriteFile(repo_.git_dir() + "/hooks/" + evil, "#!/bin/sh\n");
    repo_.Git({"config", "remote.o.url", "https://user:pw@h/" + evil});
    repo_.Git({"config", "credential." + evil + ".helper", evil});
    Require(RunZpack({"convert", "-q", repo_.path(), file_}).ok(), "convert");
    CommitFields other = fields;
    other.message = "another\n";
    repo_.SetRef("refs/heads/main", repo_.WriteCommit(other));
    Require(RunZpack({"convert", "-q", repo_.path(), other_}).ok(), "convert");
    damaged_ = dir_ / (evil + ".zpack");
    std::string bytes = ReadFile(file_);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    WriteFile(damaged_, bytes);
  }

  // Standard output and standard error are one terminal. Arguments are passed
  // as they are: script(1) starts a shell, which gets them as variables.
  ProcessResult OnTerminal(const std::vector<std::string>& arguments) const {
    ProcessOptions options;
    std::string command = "exec \"$ZPACK_PROGRAM\"";
    options.environment = {"ZPACK_PROGRAM=" + ZpackBinary()};
    for (size_t i = 0; i < arguments.size(); ++i) {
      const std::string name = "ZPACK_ARGUMENT_" + std::to_string(i);
      options.environment.push_back(name + "=" + arguments[i]);
      command += " \"$" + name + "\"";
    }
    return RunProcess({"script", "-q", "-e", "-c", command, "/dev/null"},
                      options);
  }

  TempDir dir_;
  RepoBuilder repo_;
  std::string file_ = dir_ / "x.zpack";
  std::string other_ = dir_ / "other.zpack";
  std::string damaged_;
};

TEST_F(TerminalOutputTest, NoCommandPassesOnControlCharacters) {
  const std::string evil(kEvil);
  // Of another file, with names and values that a terminal would obey.
  const std::string statement = dir_ / (evil + ".json");
  auto forged =
      nlohmann::json::parse(RunZpack({"attest", "--no-progress", other_}).out);
  forged["predicate"]["x\x1b[2J"] = 1;
  forged["predicate"]["format"]["version"] = "x\x1b[2J\xc2\x9b";
  WriteFile(statement, forged.dump());
  const std::vector<std::vector<std::string>> runs = {
      {evil},
      {"help", evil},
      {"version", "--" + evil},
      {"show", "--" + evil},
      {"show", file_},
      {"show", "--stats", file_},
      {"show", "--json", file_},
      {"show", dir_ / evil},
      {"list-refs", "--symref", "-d", file_},
      {"list-refs", "--json", file_},
      {"list-files", file_},
      {"list-files", "--json", file_},
      {"cat-extra", file_, evil},
      {"rev-list", "--all", "--objects", file_},
      {"rev-list", file_, evil},
      {"rev-list", file_, evil + ".." + evil},
      {"grep", "-l", "-e", "", file_, "HEAD"},
      {"grep", "--all-history", "-l", "-e", "", file_},
      {"grep", evil, file_, evil},
      {"grep", "-P", evil + "(", file_},
      {"log", "--all", "--raw", "--decorate", "--color", file_},
      {"log", "--all", "--name-only", "-z", "--format=%B%an", file_},
      {"log", "--all", "--json", "--name-status", file_},
      {"log", file_, evil},
      {"log", "--format=%(" + evil, "--since=" + evil, file_},
      {"ls-tree", "-r", "-t", file_, "HEAD"},
      {"ls-tree", "-r", "-z", file_, "HEAD"},
      {"ls-tree", file_, evil},
      {"cat-file", "-p", file_, "HEAD"},
      {"cat-file", "-p", file_, "HEAD^{tree}"},
      {"cat-file", "-p", file_, "t"},
      {"cat-file", "-p", file_, evil},
      {"cat-file", "--batch-check=%(objectname) %(rest)", "--batch-all-objects",
       file_},
      {"archive", file_, evil},
      {"diff", file_, other_},
      {"diff", "--json", file_, other_},
      {"diff", file_, damaged_ + "none"},
      {"verify", "--no-progress", damaged_},
      {"verify", "--no-progress", "--format=github", damaged_},
      {"verify", "--no-progress", "--format=junit", damaged_},
      {"verify", "--no-progress", "--format=sarif", damaged_},
      {"verify", "--no-progress", "--json", damaged_},
      {"verify", "--no-progress", "--against", repo_.path(), file_},
      {"verify", "--no-progress", "--format=github", "--against", repo_.path(),
       file_},
      {"verify", "--no-progress", "--against", dir_ / evil, file_},
      {"verify", "--level", evil, file_},
      {"verify", "--no-progress", "--attestation", statement, file_},
      {"verify", "--no-progress", "--json", "--attestation", statement, file_},
      {"verify", "--no-progress", "--attestation", dir_ / evil, file_},
      {"attest", "--no-progress", file_},
      {"attest", "--no-progress", damaged_},
      {"attest", "--no-progress", "--level", evil, file_},
      {"convert", "--no-progress", "--force", repo_.path(),
       dir_ / (evil + "c")},
      {"convert", "--no-progress", dir_ / evil, dir_ / "n"},
      {"convert", "--no-progress", "--json", "--force", repo_.path(),
       dir_ / (evil + "c")},
      {"restore", "--no-progress", file_, dir_ / (evil + "r")},
      {"restore", "--no-progress", file_, dir_ / (evil + "r")},
      {"restore", "--no-progress", "--keep-going", damaged_,
       dir_ / (evil + "k")},
      {"salvage", "--no-progress", damaged_, dir_ / (evil + "s")},
      {"protect", "--no-progress", "--beside", other_},
      {"protect", "--no-progress", damaged_},
      {"repair", "--no-progress", damaged_},
      {"repack", "--no-progress", "-d", repo_.path()},
      {"repack", "--no-progress", dir_ / evil},
      // What upload-pack writes for a file is a protocol.
      {"upload-pack", dir_ / (evil + "none")},
      {"shell", "--root", dir_ / evil, "--command", evil},
      {"exec", dir_ / evil, "--", "git", "log"}};
  for (const std::vector<std::string>& arguments : runs) {
    const ProcessResult result = OnTerminal(arguments);
    EXPECT_EQ(result.signal, 0);
    const bool colors =
        std::ranges::find(arguments, "--color") != arguments.end();
    EXPECT_EQ(Controls(colors ? WithoutColors(result.out) : result.out), "")
        << ::testing::PrintToString(arguments) << '\n'
        << result.out.substr(0, 3000);
  }
}

TEST_F(TerminalOutputTest, PipesGetWhatGitPrints) {
  EXPECT_EQ(RunZpack({"rev-list", "--objects", file_, "t"}).out,
            repo_.TryGit({"rev-list", "--objects", "t"}).out);
  EXPECT_THAT(RunZpack({"list-refs", file_}).out, HasSubstr(kEvilRef));
  EXPECT_THAT(RunZpack({"cat-file", "-p", file_, "HEAD"}).out,
              HasSubstr(kEvil));
}

TEST(TerminalText, KeepsCharactersWholeAtTheEndOfPieces) {
  std::ostringstream out;
  {
    cli::TerminalText text(out);
    std::ostream stream(&text);
    stream << "gr\xc3" << std::flush << "\xbc\xc3\x9f" << std::flush << "\x1b";
  }
  EXPECT_EQ(out.str(), "gr\xc3\xbc\xc3\x9f\\033");
  out.str("");
  const std::string line(200000, 'a');
  {
    cli::TerminalText text(out);
    std::ostream stream(&text);
    stream << line << '\n' << "b\x9b\n";
  }
  EXPECT_EQ(out.str(), line + "\nb\\233\n");
}

}  // namespace
}  // namespace zpack::testing
