// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "common_options.h"
#include "exec/git_setting.h"
#include "exec/lazy_repository.h"
#include "read/unapplied_grafts.h"
#include "zpack/archive_reader.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace exec_command {
namespace {

// As in shells.
constexpr int kCannotExecute = 126;
constexpr int kNoSuchCommand = 127;

// Variables that would lead Git to parts of another repository. In a hook that
// checks a push, Git also refuses to change refs; and in a program that
// git-upload-pack(1) starts, to fetch what is missing.
constexpr std::array kRepositoryVariables = {"GIT_ALTERNATE_OBJECT_DIRECTORIES",
                                             "GIT_COMMON_DIR",
                                             "GIT_DIR",
                                             "GIT_GRAFT_FILE",
                                             "GIT_IMPLICIT_WORK_TREE",
                                             "GIT_INDEX_FILE",
                                             "GIT_NAMESPACE",
                                             "GIT_NO_LAZY_FETCH",
                                             "GIT_OBJECT_DIRECTORY",
                                             "GIT_PREFIX",
                                             "GIT_QUARANTINE_PATH",
                                             "GIT_REFERENCE_BACKEND",
                                             "GIT_SHALLOW_FILE",
                                             "GIT_WORK_TREE"};

void AddOptions(po::options_description& options) {
  options.add_options()(
      "all",
      "fetch the contents of all files at once; for commands that read many");
  AddDownloadOption(options);
}

// Lets Git find git-remote-zpack, which is installed beside this program.
void AddOwnDirectoryToPath() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return;
  const char* const path = getenv("PATH");
  const std::string directory = program.parent_path().native();
  setenv("PATH",
         path == nullptr ? directory.c_str()
                         : fmt::format("{}:{}", directory, path).c_str(),
         1);
}

// Replaces this process, so that exit code and signals are the command's.
// Returns only if this fails.
int Execute(std::vector<std::string> command, const Io& io) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  io.out.flush();
  io.err.flush();
  // This program ignores the signal; the command must not inherit that.
  std::signal(SIGXFSZ, SIG_DFL);
  execvp(arguments.front(), arguments.data());
  const int error = errno;
  io.err << fmt::format("fatal: cannot run '{}': {}\n",
                        QuoteName(command.front(), kMaxNameInMessage),
                        std::strerror(error));
  return error == ENOENT ? kNoSuchCommand : kCannotExecute;
}

// Returns whether Git has a command of this name, such as 'log' or 'grep'.
bool GitHasCommand(const std::string& name) {
  if (name == "git" || name.find_first_of("/\n") != std::string::npos) {
    return false;
  }
  const auto commands = OutputOfGit({"--list-cmds=main"});
  return commands && ("\n" + *commands + "\n").find("\n" + name + "\n") !=
                         std::string::npos;
}

// The words to execute: 'grep' stands for 'git grep', not for the program of
// that name, which would not look into the file.
std::vector<std::string> CommandOf(const po::variables_map& values) {
  std::vector<std::string> words = Texts(values, "command");
  if (GitHasCommand(words.front())) words.insert(words.begin(), "git");
  return words;
}

int Run(const po::variables_map& values, const Io& io) {
  const std::string file = Text(values, "file");
  RefuseRepository(file);
  std::string repository;
  {
    const ReadContext read(values, io);
    const auto reader = ArchiveReader::Open(file, read.options());
    if (!reader) return Fail(io, reader.error());
    WarnOfGrafts(**reader, io.err);
    for (const char* const variable : kRepositoryVariables) unsetenv(variable);
    AddOwnDirectoryToPath();
    const LazyOptions options = {
        Has(values, "all") ? LazyContents::kAll : LazyContents::kNone,
        read.options().download};
    const auto prepared = PrepareLazyRepository(file, **reader, options, io);
    if (!prepared) return Fail(io, prepared.error());
    repository = *prepared;
  }
  setenv("GIT_DIR", repository.c_str(), 1);
  setenv(kLazyRepositoryVariable, repository.c_str(), 1);
  setenv(kLazyCommandVariable, fmt::format("{}", getpid()).c_str(), 1);
  return Execute(CommandOf(values), io);
}

}  // namespace
}  // namespace exec_command

const Command kExecCommand = {
    "exec",
    "Run a Git command over a .zpack file",
    "[--all] [--download] <file> <command> [<argument>...]",
    {"file", "command"},
    0,
    LastArgument::kCommandLine,
    {},
    false,
    exec_command::AddOptions,
    exec_command::Run};

}  // namespace zpack::cli
