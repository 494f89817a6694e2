// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The command line of git-zpack, with its input and output injected, so that
// tests and fuzzers can run it in their own process.

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

// Exit codes, as Git uses them.
inline constexpr int kDone = 0;
inline constexpr int kNo = 1;        // the answer is no
inline constexpr int kFailed = 128;  // could not do it
inline constexpr int kUsage = 129;   // asked wrongly
inline constexpr int kInterrupted = 130;

struct Io {
  std::istream& in;
  std::ostream& out;  // data
  std::ostream& err;  // everything else
  bool err_is_terminal = false;
  std::stop_token stop;
};

// Wrong usage that the option parser cannot see, e.g. two options that exclude
// each other.
struct UsageError {
  std::string message;
};

enum class LastArgument : uint8_t { kOnce, kRepeated };

struct Command {
  std::string_view name;
  std::string_view summary;
  std::string_view usage;  // without the program's name
  // Names of the positional arguments, all required unless `optional` of them
  // at the end are not.
  std::vector<std::string_view> arguments;
  size_t optional_arguments;
  // Whether the last one may be given any number of times; it is then a
  // std::vector<std::string>.
  LastArgument last_argument;
  // Options whose value may be left out, as '--name', and what it then is. A
  // value that is given follows '='.
  std::vector<std::pair<std::string_view, std::string_view>> optional_values;
  // Those that write files end in order when a stop is requested. The others
  // have nothing to remove, and are simply killed by a signal: at once,
  // whatever is being decoded.
  bool interruptible;
  void (*add_options)(po::options_description& options);
  int (*run)(const po::variables_map& options, const Io& io);
};

// All commands, in the order of the help.
const std::vector<Command>& Commands();
const Command* FindCommand(std::string_view name);

// Parses the arguments after a command's name. Throws po::error or UsageError.
po::variables_map ParseArguments(const Command& command,
                                 const std::vector<std::string>& arguments);

// Runs one command line, without the program's name, and returns the exit
// code. Never throws.
int Run(const std::vector<std::string>& arguments, const Io& io);

// Prints "fatal: <message>" and returns the exit code for the error.
int Fail(const Io& io, const Error& error);

// What the commands offer; one file each.
extern const Command kConvertCommand;
extern const Command kVerifyCommand;
extern const Command kRestoreCommand;
extern const Command kRepackCommand;
extern const Command kShowCommand;
extern const Command kListRefsCommand;
extern const Command kCatFileCommand;
extern const Command kRevListCommand;

}  // namespace zpack::cli
