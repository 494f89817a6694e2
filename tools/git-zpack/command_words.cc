// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "command_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace zpack::cli {
namespace {

// The value that WordsInOrder returns.
constexpr const char* kWords = "words in their order";

bool TakesValue(const po::options_description& options,
                const std::string& name) {
  const po::option_description* const option =
      options.find_nothrow(name, false);
  return option != nullptr && option->semantic()->max_tokens() > 0;
}

// Whether the value of the option `word`, which is one of PlainWords, is the
// next word.
bool TakesNextWord(const po::options_description& options,
                   const std::string& word) {
  if (word.starts_with("--")) {
    return !word.contains('=') && TakesValue(options, word.substr(2));
  }
  return word.size() == 2 && word.front() == '-' && TakesValue(options, word);
}

// Takes the options of one word apart: '-in5e' becomes '-i', '-n',
// '--context=5' and '-e'. A value stays with its option.
std::vector<std::string> Letters(const Command& command,
                                 const po::options_description& options,
                                 std::string_view word) {
  constexpr std::string_view kDigits = "0123456789";
  std::vector<std::string> letters;
  for (word.remove_prefix(1); !word.empty();) {
    const size_t digits =
        std::min(word.find_first_not_of(kDigits), word.size());
    if (digits > 0) {
      letters.push_back(fmt::format("--{}={}", command.number_option,
                                    word.substr(0, digits)));
      word.remove_prefix(digits);
      continue;
    }
    letters.push_back({'-', word.front()});
    word.remove_prefix(1);
    if (!TakesValue(options, letters.back())) continue;
    letters.back() += word;
    break;
  }
  return letters;
}

}  // namespace

CommandWords WordsInOrder(const po::variables_map& options) {
  return options[kWords].as<CommandWords>();
}

std::vector<std::string> PlainWords(const Command& command,
                                    const po::options_description& options,
                                    const std::vector<std::string>& words) {
  if (command.after_dashes.empty()) return words;
  std::vector<std::string> plain;
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (*word == "--") {
      plain.insert(plain.end(), word, words.end());
      break;
    }
    if (word->size() > 1 && word->front() == '-' && (*word)[1] != '-') {
      const auto letters = Letters(command, options, *word);
      plain.insert(plain.end(), letters.begin(), letters.end());
    } else {
      plain.push_back(*word);
    }
    std::string& option = plain.back();
    const auto is_option = [&](const auto& optional) {
      return optional.first == option;
    };
    if (word + 1 == words.end() || !TakesNextWord(options, option) ||
        std::ranges::any_of(command.optional_values, is_option)) {
      continue;
    }
    const std::string name = option.starts_with("--")
                                 ? option.substr(2)
                                 : options.find(option, false).long_name();
    ++word;
    if (word->empty()) {
      plain.push_back(*word);
    } else if (name.empty()) {
      option += *word;
    } else {
      option = fmt::format("--{}={}", name, *word);
    }
  }
  return plain;
}

std::vector<std::string> WithEmptyValuesApart(
    const po::options_description& options,
    const std::vector<std::string>& words) {
  std::vector<std::string> apart;
  const auto end = std::ranges::find(words, "--");
  for (auto word = words.begin(); word != end; ++word) {
    const bool empty = word->starts_with("--") && word->size() > 3 &&
                       word->find('=') + 1 == word->size();
    const std::string name = empty ? word->substr(2, word->size() - 3) : "";
    const po::option_description* const option =
        empty ? options.find_nothrow(name, false) : nullptr;
    if (option != nullptr && option->semantic()->max_tokens() == 0) {
      throw UsageError{
          fmt::format("option '--{}' does not take any arguments", name)};
    }
    // Of an option that does not exist, the name is what is wrong.
    if (empty) {
      apart.push_back("--" + name);
      apart.emplace_back();
    } else {
      apart.push_back(*word);
    }
  }
  apart.insert(apart.end(), end, words.end());
  return apart;
}

std::vector<std::string> TakeWordsAfterDashes(const Command& command,
                                              std::vector<std::string>& words) {
  const auto dashes = std::ranges::find(words, "--");
  if (command.after_dashes.empty() || dashes == words.end()) return {};
  std::vector<std::string> after(dashes + 1, words.end());
  words.erase(dashes, words.end());
  return after;
}

void KeepLast(const po::options_description& known, bool values,
              std::vector<po::option>& options) {
  std::set<std::string> later;
  for (size_t i = options.size(); i-- > 0;) {
    const po::option& option = options[i];
    if (option.position_key >= 0) continue;
    const auto semantic = known.find(option.string_key, false).semantic();
    if (semantic->is_composing() || (!values && semantic->max_tokens() != 0)) {
      continue;
    }
    if (!later.insert(option.string_key).second) {
      options.erase(options.begin() + static_cast<ptrdiff_t>(i));
    }
  }
}

void KeepWords(const std::vector<po::option>& options,
               po::variables_map& values) {
  CommandWords words;
  for (const po::option& option : options) {
    const bool is_argument = option.position_key >= 0;
    words.push_back({is_argument ? "" : option.string_key,
                     option.value.empty() ? "" : option.value.front()});
  }
  values.insert({kWords, po::variable_value(boost::any(words), false)});
}

}  // namespace zpack::cli
