// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "cli.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <ostream>

#include "zpack/quote.h"
#include "zpack/version.h"

namespace zpack::cli {
namespace {

constexpr int kOptionStyle =
    po::command_line_style::unix_style ^ po::command_line_style::allow_guessing;

void PrintOverview(std::ostream& out) {
  out << "usage: git-zpack <command> [<options>] <arguments>\n"
         "   or: git zpack <command> [<options>] <arguments>\n\n"
         "Keep a Git repository in one small file, prove it intact, and bring "
         "it back.\n\n";
  for (const Command& command : Commands()) {
    out << fmt::format("   {:<12} {}\n", command.name, command.summary);
  }
  out << "\nSee 'git-zpack <command> --help' or 'man git-zpack-<command>' for "
         "one of them.\n";
}

po::options_description OwnOptions(const Command& command) {
  po::options_description options("options");
  command.add_options(options);
  options.add_options()("help,h", "show this help");
  return options;
}

void PrintUsage(const Command& command, std::ostream& out) {
  out << "usage: git-zpack " << command.name << ' ' << command.usage << "\n\n"
      << command.summary << "\n\n"
      << OwnOptions(command);
}

// Adds the default value to options whose value may be left out, such as
// '--batch'. Boost's implicit_value() would use the next argument as the value.
std::vector<std::string> WithOptionalValues(
    const Command& command, std::vector<std::string> arguments) {
  for (std::string& argument : arguments) {
    if (argument == "--") break;
    for (const auto& [name, value] : command.optional_values) {
      if (argument == name) argument = fmt::format("{}={}", name, value);
    }
  }
  return arguments;
}

// Returns true if help is requested. Checked first, so that no other error
// prevents the help.
bool AsksForHelp(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") return false;
    if (argument == "-h" || argument == "--help") return true;
  }
  return false;
}

int RunCommand(const Command& command,
               const std::vector<std::string>& arguments, const Io& io) {
  if (AsksForHelp(arguments)) {
    PrintUsage(command, io.out);
    return kDone;
  }
  try {
    return command.run(ParseArguments(command, arguments), io);
  } catch (const UsageError& error) {
    io.err << "error: " << EscapeUnprintable(error.message) << "\n\n";
  } catch (const po::error& error) {
    io.err << "error: " << EscapeUnprintable(error.what()) << "\n\n";
  }
  PrintUsage(command, io.err);
  return kUsage;
}

}  // namespace

const std::vector<Command>& Commands() {
  static const std::vector<Command> commands = {
      kConvertCommand,     kVerifyCommand,   kRestoreCommand,
      kProtectCommand,     kRepairCommand,   kSalvageCommand,
      kRepackCommand,      kShowCommand,     kReportCommand,
      kListRefsCommand,    kCatFileCommand,  kRevListCommand,
      kLsTreeCommand,      kArchiveCommand,  kExecCommand,
      kListFilesCommand,   kCatExtraCommand, kUploadPackCommand,
      kHttpBackendCommand, kShellCommand};
  return commands;
}

const Command* FindCommand(std::string_view name) {
  const auto at = std::ranges::find(Commands(), name, &Command::name);
  return at == Commands().end() ? nullptr : &*at;
}

po::variables_map ParseArguments(const Command& command,
                                 const std::vector<std::string>& arguments) {
  po::options_description all = OwnOptions(command);
  po::positional_options_description positional;
  for (size_t i = 0; i < command.arguments.size(); ++i) {
    const std::string name(command.arguments[i]);
    const bool repeated = command.last_argument == LastArgument::kRepeated &&
                          i + 1 == command.arguments.size();
    if (repeated) {
      all.add_options()(name.c_str(), po::value<std::vector<std::string>>());
    } else {
      all.add_options()(name.c_str(), po::value<std::string>());
    }
    positional.add(name.c_str(), repeated ? -1 : 1);
  }
  po::variables_map values;
  po::store(po::command_line_parser(WithOptionalValues(command, arguments))
                .options(all)
                .positional(positional)
                .style(kOptionStyle)
                .run(),
            values);
  po::notify(values);
  const size_t required = command.arguments.size() - command.optional_arguments;
  for (size_t i = 0; i < required; ++i) {
    if (values.count(std::string(command.arguments[i])) == 0) {
      throw UsageError{fmt::format("missing <{}>", command.arguments[i])};
    }
  }
  return values;
}

int Run(const std::vector<std::string>& arguments, const Io& io) {
  try {
    if (arguments.empty()) {
      PrintOverview(io.err);
      return kUsage;
    }
    const std::string& name = arguments.front();
    if (name == "-h" || name == "--help" || name == "help") {
      PrintOverview(io.out);
      return kDone;
    }
    if (name == "--version" || name == "version") {
      io.out << fmt::format("git-zpack version {} (format {}.{})\n",
                            LibraryVersion(), kFormatMajor, kFormatMinor);
      return kDone;
    }
    const Command* const command = FindCommand(name);
    if (command == nullptr) {
      io.err << fmt::format(
          "git-zpack: '{}' is not a git-zpack command. See 'git-zpack "
          "--help'.\n",
          QuoteName(name));
      return kUsage;
    }
    const int code =
        RunCommand(*command, {arguments.begin() + 1, arguments.end()}, io);
    io.out.flush();
    if (!io.out && code == kDone) {
      io.err << "fatal: cannot write to standard output\n";
      return kFailed;
    }
    return code;
  } catch (const std::bad_alloc&) {
    io.err << "fatal: out of memory\n";
  } catch (const std::exception& error) {
    io.err << "fatal: " << error.what() << '\n';
  }
  return kFailed;
}

int Fail(const Io& io, const Error& error) {
  if (error.code == ErrorCode::kInterrupted) return kInterrupted;
  io.err << "fatal: " << EscapeUnprintable(error.message) << '\n';
  return kFailed;
}

}  // namespace zpack::cli
