// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Options that several commands share.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli.h"
#include "progress_meter.h"
#include "zpack/archive_reader.h"
#include "zpack/options.h"
#include "zpack/refs.h"

namespace zpack::cli {

// Adds --threads, --quiet, --progress and --no-progress.
void AddRunOptions(po::options_description& options);
// Adds --threads alone, for commands without progress.
void AddThreadsOption(po::options_description& options);
// Adds --memory, which RunContext and ResourcesOf read.
void AddMemoryOption(po::options_description& options);
// Adds --discover, which DiscoveryOf reads.
void AddDiscoveryOption(po::options_description& options);
// Adds --json.
void AddJsonOption(po::options_description& options);
// Adds --download, which ReadContext reads.
void AddDownloadOption(po::options_description& options);
// Adds --backing, which BackingOf reads.
void AddBackingOption(po::options_description& options);
// Adds --download, --no-cache and --backing, which ReadContext reads.
void AddReadingOptions(po::options_description& options);
// Adds '--without <group>', which may be repeated.
void AddWithoutOption(po::options_description& options);

// RunOptions from the command line, and the progress meter that they refer to.
class RunContext {
 public:
  // `phases` are the phases of the operation, used to estimate its time. Warns
  // if --memory is below `least_memory` bytes. Throws UsageError if a value is
  // out of range.
  RunContext(const po::variables_map& options, const Io& io,
             std::vector<PhaseShare> phases = {}, uint64_t least_memory = 0);

  const RunOptions& run() const { return run_; }
  bool quiet() const { return quiet_; }

 private:
  bool quiet_;
  std::unique_ptr<ProgressMeter> meter_;
  RunOptions run_;
};

// Warns if --memory is below `least_memory` bytes.
void WarnOfLittleMemory(const po::variables_map& options, uint64_t least_memory,
                        std::ostream& err);

// Returns RunOptions with the values of --threads and --memory. Throws
// UsageError if a value is out of range.
RunOptions ResourcesOf(const po::variables_map& options);

// Returns how to find the repository of a path.
Discovery DiscoveryOf(const po::variables_map& options);

// The values of all '--backing': ReadOptions::backing.
std::vector<std::string> BackingOf(const po::variables_map& options);

// How a command reads files: with the values of AddReadingOptions, with a
// warning on standard error for damage that does not keep a file from being
// read, and with progress on a terminal while ids are derived.
class ReadContext final : private DamageSink {
 public:
  ReadContext(const po::variables_map& options, const Io& io);
  ReadContext(const ReadContext&) = delete;  // options_ point to this object
  ReadContext& operator=(const ReadContext&) = delete;

  const ReadOptions& options() const { return options_; }

 private:
  void OnDamage(const Error& damage) override;

  std::ostream& err_;
  std::unique_ptr<ProgressMeter> meter_;
  ReadOptions options_;
};

// The groups of all '--without'. Throws UsageError for an unknown group.
std::vector<FileGroup> WithoutOf(const po::variables_map& options);

// The value of an option that takes a percentage, like '5%' or '0.25', in
// hundredths of a percent; nothing without the option. Throws UsageError for
// values outside of 0.01% to 100%.
std::optional<uint32_t> PercentOf(const po::variables_map& options,
                                  const char* name);

// The file beside `file` in which its parity is.
std::string ParityBeside(const std::string& file);
// A line that warns of parity beside `file` that does not fit the file.
std::string StaleParityText(const std::string& parity, const std::string& file);
// Warns of parity beside `file`, which was replaced: it is of no use now.
void WarnOfOldParity(const std::string& file, std::ostream& err);

// Adds --redundancy, which RedundancyOf reads.
void AddRedundancyOption(po::options_description& options);
// The value of --redundancy in hundredths of a percent; nothing without the
// option. Throws UsageError unless the value is above 0 % and at most 100 %.
std::optional<uint32_t> RedundancyOf(const po::variables_map& options);

// The path of the .zpack file that a command reads: the argument <file>, or
// '/dev/stdin' if the argument is '-'. Throws CommandFailure. Call this once:
// standard input is read only once.
std::string FileToRead(const po::variables_map& options);

// A file that a command reads, and its name in results and messages.
struct InputFile {
  std::string path;
  std::string name;
};
// The values of an argument <file> that may be repeated, at least one. '-' is
// as in FileToRead, and must be the only one. Throws CommandFailure and
// UsageError.
std::vector<InputFile> FilesToRead(const po::variables_map& options);
// The same of these values.
std::vector<InputFile> FilesToRead(const std::vector<std::string>& paths);

// Throws CommandFailure, which names the command for repositories, if `path` is
// a Git repository where a command expects a .zpack file.
void RefuseRepository(const std::string& path);

// Throws UsageError if one of the options is given: the command has several
// files.
void RefuseForSeveralFiles(const po::variables_map& options,
                           std::initializer_list<const char*> names);

// Throws UsageError if `option` and one of `others` are given.
void RefuseBeside(const po::variables_map& options, const char* option,
                  std::initializer_list<const char*> others);

// Throws UsageError if one of `names` is given although the argument `argument`
// is '-' for standard output.
void RefuseWithStream(const po::variables_map& options, const char* argument,
                      std::initializer_list<const char*> names);

bool Has(const po::variables_map& options, const char* name);
std::string Text(const po::variables_map& options, const char* name);
// The values of an option that may be repeated.
std::vector<std::string> Texts(const po::variables_map& options,
                               const char* name);

// Returns the value of a numeric option, or `otherwise` if the option is not
// given. Throws UsageError if the value is not within [low, high].
int64_t Number(const po::variables_map& options, const char* name, int64_t low,
               int64_t high, int64_t otherwise);

// The same for a value `text` of the option.
int64_t NumberFrom(const std::string& text, const char* name, int64_t low,
                   int64_t high);

// "unknown level 'x'; the levels are a, b and c", for an option that takes one
// of `names`, at least two. The last word of `what` gets the plural.
UsageError UnknownValue(std::string_view what, std::string_view value,
                        const std::vector<std::string_view>& names);
// The value of `text` in `table`, which has pairs of names and values. Throws
// UnknownValue.
template <typename Table>
auto NamedValue(std::string_view what, std::string_view text,
                const Table& table) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : table) {
    if (name == text) return value;
    names.push_back(name);
  }
  throw UnknownValue(what, text, names);
}

// 1 for "", and what one of Git's suffixes 'k', 'm' and 'g' multiplies a number
// by. Nothing for any other text.
std::optional<int64_t> UnitOf(std::string_view text);
// Parses sizes such as "8m", with Git's suffixes k, m and g. Throws UsageError.
uint64_t ParseSize(const std::string& text, const char* name);

// Sets `object[key]` to `bytes` if they are UTF-8. Otherwise sets `object[key]`
// to a readable replacement and `object[key + "_hex"]` to the bytes in
// hexadecimal.
void SetBytes(nlohmann::ordered_json& object, const std::string& key,
              std::string_view bytes);

// Return value of a visitor that never stops early. An error ends the visit.
inline Result<Visit> GoOn(const Status& status) {
  if (!status) return std::unexpected(status.error());
  return Visit::kContinue;
}

// Returns an array of titles and seconds.
nlohmann::ordered_json PhasesToJson(const std::vector<PhaseTime>& phases);

// Returns text such as "3 refs, 1 object".
std::string Describe(const MovedOn& moved_on);
// Returns an object with both counts.
nlohmann::ordered_json MovedOnToJson(const MovedOn& moved_on);

// Prints one warning for each directory.
void WarnOfMissingAlternates(const std::vector<std::string>& directories,
                             std::ostream& err);
// Returns an array of objects with "path".
nlohmann::ordered_json MissingAlternatesToJson(
    const std::vector<std::string>& directories);

// " and 3 refs", or ", 3 refs and 2 files".
std::string RefsAndFiles(uint64_t refs, uint64_t files);
// "3 promised objects are not in the file".
std::string PromisedText(uint64_t count);
// "2 objects were missing when the file was made".
std::string LostText(uint64_t count);
// Its id and type, or null.
nlohmann::ordered_json LossToJson(const ListedLoss& loss);
nlohmann::ordered_json LossesToJson(const std::vector<ListedLoss>& losses);
nlohmann::ordered_json PromisorRemotesToJson(
    const std::vector<PromisorRemote>& remotes);

// Says, on a line, why these files of a restored repository end in '.archived'.
std::string InactiveHint(const std::vector<std::string>& names);

// Writes a JSON document and a line feed.
void PrintJson(const nlohmann::ordered_json& document, std::ostream& out);

// Largest resident set of this process so far, in bytes.
uint64_t PeakResidentBytes();

}  // namespace zpack::cli
