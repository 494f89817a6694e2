// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "support/as_reftable.h"
#include "support/repo_builder.h"

namespace zpack::testing {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> ZpackCommand(
    const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {ZpackBinary()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

ProcessOptions WithEnvironment(ProcessOptions options) {
  for (std::string& entry : HermeticEnvironment()) {
    options.environment.push_back(std::move(entry));
  }
  return options;
}

std::vector<std::string> SortedUnique(std::vector<std::string> lines) {
  std::ranges::sort(lines);
  const auto repeated = std::ranges::unique(lines);
  lines.erase(repeated.begin(), repeated.end());
  return lines;
}

std::string ReadHead(const std::string& repository) {
  const ProcessResult symbolic =
      RunGit({"symbolic-ref", "-q", "HEAD"}, repository);
  if (symbolic.ok()) return "ref: " + symbolic.out;
  return RunGit({"rev-parse", "--verify", "HEAD"}, repository).out;
}

std::vector<std::string> ReadShallow(const std::string& repository) {
  const std::string file = SplitLines(
      RunGit({"rev-parse", "--path-format=absolute", "--git-path", "shallow"},
             repository)
          .out)[0];
  if (!Exists(file)) return {};
  return SortedUnique(SplitLines(ReadFile(file)));
}

// fsck says the same about loose and packed objects in different words.
std::string SameWhenPacked(const std::string& line) {
  const size_t at = line.find(": object could not be parsed: ./objects/");
  return at == std::string::npos
             ? line
             : line.substr(0, at) + ": object corrupt or missing";
}

// As a message: the first lines that are only on one side.
std::string Differences(const std::vector<std::string>& source,
                        const std::vector<std::string>& restored) {
  std::vector<std::string> lost;
  std::vector<std::string> gained;
  std::ranges::set_difference(source, restored, std::back_inserter(lost));
  std::ranges::set_difference(restored, source, std::back_inserter(gained));
  lost.resize(std::min<size_t>(lost.size(), 10));
  gained.resize(std::min<size_t>(gained.size(), 10));
  std::string text;
  for (const std::string& line : lost) text += "- " + line + '\n';
  for (const std::string& line : gained) text += "+ " + line + '\n';
  return text;
}

void ExpectSuccess(const std::vector<std::string>& arguments) {
  const ProcessResult result = RunZpack(arguments);
  EXPECT_EQ(result.exit_code, 0) << ::testing::PrintToString(result);
}

// Takes the repository in `file` to reftables and out of them again: restores
// it, and returns a file that is made of that. Both must hold the same.
std::string ThroughReftable(const std::string& file, const TempDir& directory) {
  const std::string repository = directory / "rt-reftable.git";
  const std::string again = directory / "rt-reftable.zpack";
  ExpectSuccess(
      {"restore", "-q", "--force", "--ref-format=reftable", file, repository});
  ExpectSuccess({"verify", "-q", "--against", repository, file});
  ExpectSuccess({"convert", "-q", "--force", repository, again});
  return again;
}

}  // namespace

std::string ZpackBinary() {
  const char* const given = std::getenv("ZPACK_BINARY");
  return given != nullptr ? given : ZPACK_BINARY;
}

ProcessResult RunZpack(const std::vector<std::string>& arguments,
                       ProcessOptions options) {
  return RunProcess(ZpackCommand(arguments),
                    WithEnvironment(std::move(options)));
}

ZpackProcess::ZpackProcess(const std::vector<std::string>& arguments)
    : Process(ZpackCommand(arguments), WithEnvironment({})) {}

std::vector<std::string> SplitLines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

RepositoryState ReadState(const std::string& path) {
  // Git cannot be run in a '.git' file.
  const std::string repository =
      fs::is_directory(path) ? path : fs::path(path).parent_path().string();
  RepositoryState state;
  state.objects = SortedUnique(
      SplitLines(RunGit({"--no-replace-objects", "cat-file", "--unordered",
                         "--batch-all-objects", "--batch-check"},
                        repository)
                     .out));
  state.refs =
      RunGit({"for-each-ref", "--format=%(objectname) %(refname) %(symref)"},
             repository)
          .out;
  state.head = ReadHead(repository);
  state.shallow = ReadShallow(repository);
  // What only reflogs keep is kept, but without its reflog.
  std::vector<std::string> check = {"fsck", "--full", "--strict",
                                    "--no-reflogs", "--no-dangling"};
  // Links to files and directories of refs are not restored as links.
  if (GitIsSince(50)) check.emplace_back("--no-references");
  const ProcessResult fsck = RunGit(check, repository);
  // Bits of fsck's exit code: 1 for bad loose objects, 4 for bad packed ones.
  state.fsck_exit_code =
      (fsck.exit_code & ~5) | ((fsck.exit_code & 5) != 0 ? 1 : 0);
  for (const std::string& line : SplitLines(fsck.out + fsck.err)) {
    // Advice, e.g. on what is deprecated, is not about objects.
    if (!line.starts_with("hint:")) state.fsck.push_back(SameWhenPacked(line));
  }
  state.fsck = SortedUnique(std::move(state.fsck));
  return state;
}

std::string ExpectRoundTrip(const std::string& repository,
                            const TempDir& directory,
                            const std::vector<std::string>& options,
                            Fsck fsck) {
  const bool all = std::ranges::find(options, "--reachable") == options.end();
  const std::string file = directory / "rt.zpack";
  const std::string restored = directory / "rt.git";
  std::vector<std::string> convert = {"convert", "--force", "-q"};
  convert.insert(convert.end(), options.begin(), options.end());
  convert.insert(convert.end(), {repository, file});
  const bool in_reftables = TestRefStorage() == RefStorage::kReftable;
  std::optional<AsReftable> as_reftable;
  if (in_reftables) as_reftable.emplace(repository);

  const ProcessResult converted = RunZpack(convert);
  EXPECT_EQ(converted.exit_code, 0) << ::testing::PrintToString(converted);
  EXPECT_EQ(converted.out + converted.err, "");
  if (!converted.ok()) return restored;

  std::vector<std::string> verify = {"verify", "-q", "--level", "connectivity"};
  if (all) verify.insert(verify.end(), {"--against", repository});
  verify.push_back(file);
  const ProcessResult verified = RunZpack(verify);
  EXPECT_EQ(verified.exit_code, 0) << ::testing::PrintToString(verified);

  as_reftable.reset();
  const ProcessResult brought_back = RunZpack(
      {"restore", "-q", "--force",
       in_reftables ? ThroughReftable(file, directory) : file, restored});
  EXPECT_EQ(brought_back.exit_code, 0)
      << ::testing::PrintToString(brought_back);
  if (!brought_back.ok()) return restored;

  const RepositoryState before = ReadState(repository);
  const RepositoryState after = ReadState(restored);
  // Without unreachable objects there is less to say, never more.
  EXPECT_EQ(Differences(all ? before.objects : after.objects, after.objects),
            "");
  EXPECT_TRUE(std::ranges::includes(before.objects, after.objects));
  EXPECT_EQ(Differences(SplitLines(before.refs), SplitLines(after.refs)), "");
  EXPECT_EQ(before.refs == after.refs, true);
  EXPECT_EQ(before.head, after.head);
  EXPECT_EQ(before.shallow, after.shallow);
  if (fsck == Fsck::kSkip) return restored;
  EXPECT_EQ(Differences(all ? before.fsck : after.fsck, after.fsck), "");
  EXPECT_TRUE(std::ranges::includes(before.fsck, after.fsck));
  EXPECT_EQ(all ? before.fsck_exit_code : after.fsck_exit_code,
            after.fsck_exit_code);
  return restored;
}

void ExpectRefused(const std::string& repository, const TempDir& directory,
                   const std::vector<std::string>& reasons,
                   const std::vector<std::string>& options) {
  const std::string empty = directory / "refused";
  fs::create_directories(empty);
  std::vector<std::string> convert = {"convert"};
  convert.insert(convert.end(), options.begin(), options.end());
  convert.insert(convert.end(), {repository, empty + "/x.zpack"});
  const ProcessResult result = RunZpack(convert);
  EXPECT_EQ(result.exit_code, 128) << ::testing::PrintToString(result);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, ::testing::StartsWith("fatal: "));
  for (const std::string& reason : reasons) {
    EXPECT_THAT(result.err, ::testing::HasSubstr(reason));
  }
  const bool kept = fs::remove(empty + "/.x.zpack.zpack-tmp");
  EXPECT_EQ(kept, result.err.find("--resume to") != std::string::npos);
  const std::vector<std::string> lines = SplitLines(result.err);
  EXPECT_EQ(std::ranges::count_if(lines,
                                  [](const std::string& line) {
                                    return !line.starts_with("hint: ");
                                  }),
            1);
  EXPECT_THAT(ListDirectory(empty), ::testing::IsEmpty());
}

}  // namespace zpack::testing
