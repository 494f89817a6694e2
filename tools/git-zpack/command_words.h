// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The words of a command line in their order. Commands with
// Command::after_dashes have options as Git's have them; others leave it to
// Boost what an option is.

#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

#include "cli.h"

namespace zpack::cli {

// A word of a command line: an option or an argument that is none.
struct CommandWord {
  std::string option;  // the name without dashes, or empty
  std::string value;   // of the option, or the argument
};
// The words before '--', in their order.
using CommandWords = std::vector<CommandWord>;
CommandWords WordsInOrder(const po::variables_map& options);

// The words where options are words of their own, '-<n>' has its meaning, and a
// value cannot be taken for an option. `options` are those of the command.
// Unchanged for a command without Command::after_dashes.
std::vector<std::string> PlainWords(const Command& command,
                                    const po::options_description& options,
                                    const std::vector<std::string>& words);

// The words where '--<name>=' is '--<name>' and an empty word for options with
// a value, because Boost takes no empty value after '='.
std::vector<std::string> WithEmptyValuesApart(
    const po::options_description& options,
    const std::vector<std::string>& words);

// Removes '--' and the words after it, which are returned. Leaves all where
// they are for a command without Command::after_dashes.
std::vector<std::string> TakeWordsAfterDashes(const Command& command,
                                              std::vector<std::string>& words);

// Leaves only the last of an option that is given more than once, as in Git; of
// options with a value only if `values` is true. Options that collect values
// are marked as composing.
void KeepLast(const po::options_description& known, bool values,
              std::vector<po::option>& options);

// Keeps the options for WordsInOrder.
void KeepWords(const std::vector<po::option>& options,
               po::variables_map& values);

}  // namespace zpack::cli
