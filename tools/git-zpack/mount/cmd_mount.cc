// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of 'mount'. The work is that of another program (tools/mount), so
// that git-zpack does not need FUSE.

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "common_options.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace mount_command {
namespace {

constexpr const char* kProgram = "git-zpack-mount";

void AddOptions(po::options_description& options) {
  options.add_options()("foreground,f",
                        "do not go to the background; print errors of reading "
                        "to standard error")(
      "allow-other", "let other users read the files, too")(
      "log", po::value<std::string>()->value_name("<path>"),
      "append errors of reading to this file, instead of sending them to the "
      "log of the system");
  AddReadingOptions(options);
}

// The command line that ParseArguments made `values` of.
std::vector<std::string> WordsOf(const po::variables_map& values) {
  po::options_description known;
  AddOptions(known);
  std::vector<std::string> words = {kProgram};
  for (const auto& [name, value] : values) {
    // Arguments, and what the parser keeps, are no options.
    const auto* const option = known.find_nothrow(name, false);
    if (option == nullptr || value.defaulted()) continue;
    if (const auto* const texts =
            boost::any_cast<std::vector<std::string>>(&value.value())) {
      for (const std::string& text : *texts) {
        words.push_back(fmt::format("--{}={}", name, text));
      }
    } else if (option->semantic()->max_tokens() != 0) {
      words.push_back(fmt::format("--{}={}", name, value.as<std::string>()));
    } else {
      words.push_back(fmt::format("--{}", name));
    }
  }
  words.insert(words.end(),
               {"--", Text(values, "file"), Text(values, "directory")});
  return words;
}

// The program beside this one, or its name alone, for PATH.
std::string PathOfProgram() {
  std::error_code error;
  const std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return kProgram;
  const std::string beside = self.parent_path() / kProgram;
  struct stat own{};
  struct stat other{};
  // A link of that name to this program would start it again and again.
  if (stat(self.c_str(), &own) != 0 || stat(beside.c_str(), &other) != 0 ||
      (own.st_dev == other.st_dev && own.st_ino == other.st_ino)) {
    return kProgram;
  }
  return beside;
}

int Run(const po::variables_map& values, const Io& io) {
  std::vector<std::string> words = WordsOf(values);
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  io.err.flush();
  execvp(PathOfProgram().c_str(), argv.data());
  if (errno == ENOENT) {
    return Fail(io, Error{ErrorCode::kNotFound,
                          "the program 'git-zpack-mount' is not installed; it "
                          "is in the package 'git-zpack-mount'"});
  }
  return Fail(
      io, Error{ErrorCode::kIo,
                fmt::format("cannot run '{}': {}", kProgram, strerror(errno))});
}

}  // namespace
}  // namespace mount_command

const Command kMountCommand = {
    "mount",
    "Show the files of every commit in a .zpack file as a directory",
    "[-f] [--allow-other] [--log=<path>] [--download] [--no-cache] "
    "[--backing=<path>]... <file> <directory>",
    {"file", "directory"},
    0,
    LastArgument::kOnce,
    {},
    false,
    mount_command::AddOptions,
    mount_command::Run};

}  // namespace zpack::cli
