// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The command line of git-zpack. Input and output are parameters, so that tests
// and fuzzers can run it in their own process.

#pragma once

#include <boost/program_options.hpp>
#include <iosfwd>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zpack/result.h"

namespace zpack::cli {

namespace po = boost::program_options;

// Exit codes, with the same meaning as in Git.
inline constexpr int kDone = 0;
inline constexpr int kNo = 1;        // the answer is no
inline constexpr int kFailed = 128;  // the command failed
inline constexpr int kUsage = 129;   // wrong usage
inline constexpr int kInterrupted = 130;

struct Io {
  std::istream& in;
  std::ostream& out;  // data
  std::ostream& err;  // everything else
  bool err_is_terminal = false;
  std::stop_token stop = {};
  // Commands then escape what a terminal would obey in names.
  bool out_is_terminal = false;
  // With --json: an error is also printed as JSON, on `out`.
  bool json = false;
};

// Wrong usage that the option parser does not detect, for example two options
// that exclude each other.
struct UsageError {
  std::string message;
};

// An error that ends a command, thrown where no Result can be returned.
struct CommandFailure {
  Error error;
};

enum class LastArgument : uint8_t {
  kOnce,
  kRepeated,
  kCommandLine,  // repeated, and options after the first one belong to it
};

struct Command {
  std::string_view name;
  std::string_view summary;
  std::string_view usage;  // without the program's name
  // Names of the positional arguments. The last `optional_arguments` of them
  // may be left out.
  std::vector<std::string_view> arguments;
  size_t optional_arguments;
  // Whether the last argument may be repeated. If so, its value is a
  // std::vector<std::string>. With kCommandLine, no option has a value.
  LastArgument last_argument;
  // Options whose value may be left out, as '--name', with the value that is
  // used then. A value is given after '='.
  std::vector<std::pair<std::string_view, std::string_view>> optional_values;
  // True for commands that write files: they end in an orderly way when a stop
  // is requested. A signal kills other commands at once, because they have
  // nothing to remove.
  bool interruptible;
  void (*add_options)(po::options_description& options);
  int (*run)(const po::variables_map& options, const Io& io);
  // The argument, which may be repeated, that gets the words after '--'.
  // Without it, they are arguments like others.
  std::string_view after_dashes = {};
  // Of options that are given several times, the last value counts, as in Git.
  // Otherwise, only options without a value may be given several times.
  bool last_value_counts = false;
  // The option that '-<n>' stands for, without its dashes.
  std::string_view number_option = {};
};

// All commands, in the order of the help.
const std::vector<Command>& Commands();
const Command* FindCommand(std::string_view name);

// Parses the arguments after the command's name. Throws po::error or
// UsageError.
po::variables_map ParseArguments(const Command& command,
                                 const std::vector<std::string>& arguments);

// Runs one command line, given without the program's name, and returns the exit
// code. Never throws.
int Run(const std::vector<std::string>& arguments, const Io& io);

// Runs one command with the arguments after its name. Prints its help and
// errors of usage.
int RunCommand(const Command& command, const std::vector<std::string>& words,
               const Io& streams);

// Prints "fatal: <message>", and the error as JSON if `io.json` is set, and
// returns the exit code for the error.
int Fail(const Io& io, const Error& error);
// The same without JSON, for commands whose JSON includes the error.
int FailWithoutJson(const Io& io, const Error& error);

// The commands, each in a file of its own.
extern const Command kConvertCommand;
extern const Command kVerifyCommand;
extern const Command kAttestCommand;
extern const Command kRestoreCommand;
extern const Command kConsolidateCommand;
extern const Command kProtectCommand;
extern const Command kRepairCommand;
extern const Command kSalvageCommand;
extern const Command kRepackCommand;
extern const Command kShowCommand;
extern const Command kReportCommand;
extern const Command kDiffCommand;
extern const Command kListRefsCommand;
extern const Command kListFilesCommand;
extern const Command kCatExtraCommand;
extern const Command kCatFileCommand;
extern const Command kRevListCommand;
extern const Command kGrepCommand;
extern const Command kLogCommand;
extern const Command kLsTreeCommand;
extern const Command kArchiveCommand;
extern const Command kExecCommand;
extern const Command kMountCommand;
extern const Command kUploadPackCommand;
extern const Command kHttpBackendCommand;
extern const Command kShellCommand;

}  // namespace zpack::cli
