// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "cli.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <ostream>
#include <utility>

#include "command_words.h"
#include "json_error.h"
#include "named_output.h"
#include "nearest_name.h"
#include "other_names.h"
#include "serve/event_trace.h"
#include "standard_input_file.h"
#include "terminal_text.h"
#include "zpack/build_options.h"
#include "zpack/quote.h"
#include "zpack/version.h"

namespace zpack::cli {
namespace {

// Takes the arguments beyond those of the command, so that an error can name
// the first of them.
constexpr const char* kSurplus = "surplus-argument";

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
  out << fmt::format("   {:<12} {}\n", "help", "Show the manual of a command")
      << fmt::format("   {:<12} {}\n", "version",
                     "Show the version, with --build-options all of it")
      << "\nSee 'git-zpack help <command>' or 'git-zpack <command> --help' for "
         "one of them.\n";
}

po::options_description OwnOptions(const Command& command) {
  po::options_description options("options");
  command.add_options(options);
  const bool taken = options.find_nothrow("-h", false) != nullptr;
  options.add_options()(taken ? "help" : "help,h", "show this help");
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
      if (argument != name) continue;
      const std::string_view between = name.starts_with("--") ? "=" : "";
      argument = fmt::format("{}{}{}", name, between, value);
    }
  }
  return arguments;
}

// Returns true if the result is to be printed as JSON. Checked first, so that
// errors of the other arguments are JSON, too.
bool AsksForJson(const Command& command,
                 const std::vector<std::string>& arguments) {
  const auto end = std::ranges::find(arguments, "--");
  return std::find(arguments.begin(), end, "--json") != end &&
         OwnOptions(command).find_nothrow("json", false) != nullptr;
}

// Puts '--' before the command line that a command takes as its last argument.
std::vector<std::string> WithCommandLineApart(
    const Command& command, std::vector<std::string> arguments) {
  if (command.last_argument != LastArgument::kCommandLine) return arguments;
  size_t seen = 0;  // arguments that are no options
  for (auto word = arguments.begin(); word != arguments.end(); ++word) {
    if (*word == "--") break;
    if (word->starts_with('-') && *word != "-") continue;
    if (++seen < command.arguments.size()) continue;
    arguments.insert(word, "--");
    break;
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

// The same for a command, which may have another option -h. Like in Git, it
// then asks for help if it stands alone.
bool AsksForHelp(const Command& command,
                 const std::vector<std::string>& arguments) {
  if (OwnOptions(command).find_nothrow("-h", false)->long_name() == "help") {
    return AsksForHelp(arguments);
  }
  const auto end = std::ranges::find(arguments, "--");
  return std::find(arguments.begin(), end, "--help") != end ||
         (arguments.size() == 1 && arguments.front() == "-h");
}

// The names of the command's options, as the user types them.
std::vector<std::string> OptionNames(const Command& command) {
  std::vector<std::string> names;
  const po::options_description own = OwnOptions(command);
  for (const auto& option : own.options()) {
    // An option of one letter alone has no long name.
    if (option->long_name().empty()) continue;
    names.push_back("--" + option->long_name());
  }
  return names;
}

// ", did you mean '--level'?", or nothing.
std::string Suggestion(std::string_view typed,
                       const std::vector<std::string>& names) {
  const auto nearest = NearestName(typed, names);
  return nearest ? fmt::format(", did you mean '{}'?", *nearest) : "";
}

// One line: what is wrong, and where the help is.
int FailUsage(const Command& command, const std::string& message,
              const Io& io) {
  const bool question = message.ends_with('?');
  io.err << fmt::format("error: {}{} See 'git-zpack {} --help'.\n",
                        EscapeUnprintable(message), question ? "" : ".",
                        command.name);
  if (io.json) PrintJsonUsageError(message, io.out);
  return kUsage;
}

// Returns whether the command does a part of what Git's command of the same
// name does.
bool IsCommandOfGit(std::string_view name) {
  constexpr std::array<std::string_view, 7> kNames = {
      "archive", "cat-file", "diff", "grep", "log", "ls-tree", "rev-list"};
  return std::ranges::find(kNames, name) != kNames.end();
}

// Returns whether the command prints contents, which a terminal gets as they
// are, as with Git. cat-file decides by itself.
bool PrintsContents(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {
      "cat-file", "cat-extra", "archive", "exec", "grep"};
  return std::ranges::find(kNames, name) != kNames.end();
}

// Runs the command with output that is safe for a terminal.
int RunForTerminal(const Command& command,
                   const std::vector<std::string>& arguments, const Io& io) {
  if (!io.out_is_terminal || PrintsContents(command.name)) {
    return RunCommand(command, arguments, io);
  }
  // The colors of log are its own.
  TerminalText text(io.out, command.name == "log"
                                ? TerminalText::Colors::kKeep
                                : TerminalText::Colors::kEscape);
  std::ostream out(&text);
  const int code = RunCommand(
      command, arguments,
      {io.in, out, io.err, io.err_is_terminal, io.stop, io.out_is_terminal});
  out.flush();
  return code;
}

// Runs a command that serves clients, and says when it starts and ends if
// GIT_TRACE2_EVENT asks for that.
int RunTraced(const Command& command, const std::vector<std::string>& arguments,
              const Io& io) {
  EventTrace trace(arguments);
  const int code =
      RunForTerminal(command, {arguments.begin() + 1, arguments.end()}, io);
  trace.End(code);
  return code;
}

bool ServesClients(std::string_view name) {
  return name == "upload-pack" || name == "http-backend" || name == "shell";
}

int FailCommand(const std::string& name, const Io& io) {
  std::vector<std::string> names = {"help", "version"};
  for (const Command& command : Commands()) names.emplace_back(command.name);
  const std::string_view like = CommandsLike(name);
  const std::string suggestion = like.empty()
                                     ? Suggestion(name, names)
                                     : fmt::format(", did you mean {}?", like);
  io.err << fmt::format(
      "git-zpack: '{}' is not a git-zpack command{} See 'git-zpack --help'.\n",
      QuoteName(name), suggestion.empty() ? "." : suggestion);
  return kUsage;
}

// 'version [--build-options | --verbose]'.
int RunVersion(const std::vector<std::string>& arguments, const Io& io) {
  if (AsksForHelp({arguments.begin() + 1, arguments.end()})) {
    io.out << "usage: git-zpack version [--build-options]\n";
    return kDone;
  }
  bool details = false;
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i] != "--build-options" && arguments[i] != "--verbose") {
      const std::string nearest =
          Suggestion(arguments[i], {"--build-options", "--verbose"});
      io.err << fmt::format(
          "error: unknown option '{}'{} See 'git-zpack --help'.\n",
          EscapeUnprintable(arguments[i]), nearest.empty() ? "." : nearest);
      return kUsage;
    }
    details = true;
  }
  io.out << fmt::format("git-zpack version {} (format {}.{})\n",
                        LibraryVersion(), kFormatMajor, kFormatMinor);
  if (!details) return kDone;
  for (const BuildOption& option : BuildOptions()) {
    io.out << fmt::format("{}: {}\n", option.name, option.value);
  }
  return kDone;
}

// 'help [<command>]'. The main program tries the manual page first.
int RunHelp(const std::vector<std::string>& arguments, const Io& io) {
  if (arguments.size() == 1 ||
      AsksForHelp({arguments.begin() + 1, arguments.end()})) {
    PrintOverview(io.out);
    return kDone;
  }
  if (arguments.size() > 2) {
    io.err << "error: 'help' takes one command. See 'git-zpack --help'.\n";
    return kUsage;
  }
  if (arguments[1] == "help") return RunHelp({"help"}, io);
  if (arguments[1] == "version") return RunVersion({"version", "--help"}, io);
  const Command* const command = FindCommand(arguments[1]);
  if (command == nullptr) return FailCommand(arguments[1], io);
  PrintUsage(*command, io.out);
  return kDone;
}

std::string GitHasMore(const Command& command, std::string_view option) {
  return fmt::format("; Git has more: 'git zpack exec <file> git {} {} ...'",
                     command.name, option);
}

}  // namespace

int RunCommand(const Command& command, const std::vector<std::string>& words,
               const Io& streams) {
  const std::vector<std::string> arguments = WithCommandLineApart(
      command, PlainWords(command, OwnOptions(command), words));
  Io io = streams;
  io.json = AsksForJson(command, arguments);
  if (AsksForHelp(command, arguments)) {
    PrintUsage(command, io.out);
    return kDone;
  }
  try {
    return command.run(ParseArguments(command, arguments), io);
  } catch (const CommandFailure& failure) {
    return Fail(io, failure.error);
  } catch (const UsageError& error) {
    return FailUsage(command, error.message, io);
  } catch (const po::unknown_option& error) {
    std::string typed = error.get_option_name();
    typed.resize(std::min(typed.find('='), typed.size()));
    std::string suggestion = IsOptionOfGit(command.name, typed)
                                 ? ""
                                 : Suggestion(typed, OptionNames(command));
    if (suggestion.empty() && IsCommandOfGit(command.name)) {
      suggestion = GitHasMore(command, typed);
    }
    return FailUsage(
        command, fmt::format("unknown option '{}'{}", typed, suggestion), io);
  } catch (const po::invalid_command_line_syntax& error) {
    // Such as --branches=<pattern>.
    const bool git_may_know =
        error.kind() == po::invalid_syntax::extra_parameter &&
        IsCommandOfGit(command.name);
    std::string message = error.what();
    if (git_may_know) message += GitHasMore(command, error.get_option_name());
    return FailUsage(command, message, io);
  } catch (const po::error& error) {
    return FailUsage(command, error.what(), io);
  }
}

const std::vector<Command>& Commands() {
  static const std::vector<Command> commands = {
      kConvertCommand,     kConsolidateCommand, kVerifyCommand,
      kAttestCommand,      kRestoreCommand,     kProtectCommand,
      kRepairCommand,      kSalvageCommand,     kRepackCommand,
      kShowCommand,        kReportCommand,      kDiffCommand,
      kListRefsCommand,    kCatFileCommand,     kRevListCommand,
      kGrepCommand,        kLogCommand,         kLsTreeCommand,
      kArchiveCommand,     kMountCommand,       kExecCommand,
      kListFilesCommand,   kCatExtraCommand,    kUploadPackCommand,
      kHttpBackendCommand, kShellCommand};
  return commands;
}

const Command* FindCommand(std::string_view name) {
  const auto at = std::ranges::find(Commands(), name, &Command::name);
  return at == Commands().end() ? nullptr : &*at;
}

po::variables_map ParseArguments(const Command& command,
                                 const std::vector<std::string>& arguments) {
  const po::options_description own = OwnOptions(command);
  po::options_description all = own;
  po::positional_options_description positional;
  for (size_t i = 0; i < command.arguments.size(); ++i) {
    const std::string name(command.arguments[i]);
    const bool repeated = command.last_argument != LastArgument::kOnce &&
                          i + 1 == command.arguments.size();
    if (repeated) {
      all.add_options()(name.c_str(), po::value<std::vector<std::string>>());
    } else {
      all.add_options()(name.c_str(), po::value<std::string>());
    }
    positional.add(name.c_str(), repeated ? -1 : 1);
  }
  if (command.last_argument == LastArgument::kOnce) {
    all.add_options()(kSurplus, po::value<std::vector<std::string>>());
    positional.add(kSurplus, -1);
  }
  po::variables_map values;
  std::vector<std::string> words = PlainWords(command, own, arguments);
  const std::vector<std::string> after = TakeWordsAfterDashes(command, words);
  words = WithOptionalValues(command, std::move(words));
  words = WithEmptyValuesApart(own, words);
  po::parsed_options parsed = po::command_line_parser(words)
                                  .options(all)
                                  .positional(positional)
                                  .style(kOptionStyle)
                                  .run();
  const std::vector<po::option> in_order = parsed.options;
  KeepLast(all, command.last_value_counts || !command.after_dashes.empty(),
           parsed.options);
  po::store(parsed, values);
  po::notify(values);
  if (!command.after_dashes.empty()) {
    values.insert({std::string(command.after_dashes),
                   po::variable_value(boost::any(after), false)});
  }
  KeepWords(in_order, values);
  if (values.count(kSurplus) != 0) {
    throw UsageError{fmt::format(
        "unexpected argument '{}'",
        QuoteName(values[kSurplus].as<std::vector<std::string>>().front(),
                  kMaxNameInMessage))};
  }
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
    int code = kDone;
    const Command* const command = FindCommand(name);
    if (name == "-h" || name == "--help" || name == "help") {
      code = RunHelp(arguments, io);
    } else if (name == "--version" || name == "version") {
      code = RunVersion(arguments, io);
    } else if (command == nullptr) {
      code = FailCommand(name, io);
    } else if (ServesClients(name)) {
      code = RunTraced(*command, arguments, io);
    } else {
      code = RunForTerminal(*command, {arguments.begin() + 1, arguments.end()},
                            io);
    }
    errno = 0;
    io.out.flush();
    if (!io.out && (code == kDone || code == kNo)) {
      return FailWithoutJson(io, NamedOutput{io.out}.Failure());
    }
    return code;
  } catch (const std::bad_alloc&) {
    io.err << "fatal: out of memory\n";
  } catch (const std::exception& error) {
    io.err << "fatal: " << EscapeUnprintable(error.what()) << '\n';
  }
  return kFailed;
}

int Fail(const Io& io, const Error& error) {
  const int code = FailWithoutJson(io, error);
  if (io.json) PrintJsonError(error, io.out);
  return code;
}

int FailWithoutJson(const Io& io, const Error& error) {
  if (error.code == ErrorCode::kInterrupted) return kInterrupted;
  io.err << "fatal: "
         << EscapeUnprintable(WithStandardInputNamed(error.message)) << '\n';
  return kFailed;
}

}  // namespace zpack::cli
