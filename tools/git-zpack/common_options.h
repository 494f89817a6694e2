// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Options that several commands share, and what they mean.

#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
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
// Adds --memory, which RunContext reads.
void AddMemoryOption(po::options_description& options);
// Adds --discover, which DiscoveryOf reads.
void AddDiscoveryOption(po::options_description& options);
// Adds --json.
void AddJsonOption(po::options_description& options);

// RunOptions from the command line, and the meter they point to.
class RunContext {
 public:
  // `phases` are those of the operation, for an estimate of its time. Throws
  // UsageError for a value out of range.
  RunContext(const po::variables_map& options, const Io& io,
             std::vector<PhaseShare> phases = {});

  const RunOptions& run() const { return run_; }
  bool quiet() const { return quiet_; }

 private:
  bool quiet_;
  std::unique_ptr<ProgressMeter> meter_;
  RunOptions run_;
};

// What the path of a repository means.
Discovery DiscoveryOf(const po::variables_map& options);

bool Has(const po::variables_map& options, const char* name);
std::string Text(const po::variables_map& options, const char* name);

// The value of a numeric option within [low, high], or `otherwise` when it was
// not given. Throws UsageError.
int64_t Number(const po::variables_map& options, const char* name, int64_t low,
               int64_t high, int64_t otherwise);

// "8m" and the like, with Git's suffixes k, m and g. Throws UsageError.
uint64_t ParseSize(const std::string& text, const char* name);

// Sets `object[key]` to `bytes` if they are UTF-8; else to a readable
// replacement, and `object[key + "_hex"]` to the exact bytes.
void SetBytes(nlohmann::ordered_json& object, const std::string& key,
              std::string_view bytes);

// What a visitor that does not stop early returns: an error ends the visit.
inline Result<Visit> GoOn(const Status& status) {
  if (!status) return std::unexpected(status.error());
  return Visit::kContinue;
}

// An array of titles and seconds.
nlohmann::ordered_json PhasesToJson(const std::vector<PhaseTime>& phases);

// "3 refs, 1 object".
std::string Describe(const MovedOn& moved_on);
// An object with both counts.
nlohmann::ordered_json MovedOnToJson(const MovedOn& moved_on);

// One warning for each directory.
void WarnOfMissingAlternates(const std::vector<std::string>& directories,
                             std::ostream& err);
// An array of objects with "path".
nlohmann::ordered_json MissingAlternatesToJson(
    const std::vector<std::string>& directories);

// Writes a JSON document and a line feed.
void PrintJson(const nlohmann::ordered_json& document, std::ostream& out);

// Largest resident set of this process so far, in bytes.
uint64_t PeakResidentBytes();

}  // namespace zpack::cli
