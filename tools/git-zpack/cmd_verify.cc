// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <array>
#include <ostream>
#include <utility>

#include "common_options.h"
#include "zpack/quote.h"
#include "zpack/verify.h"

namespace zpack::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<std::string_view, VerifyLevel>, 4> kLevels = {
    {{"structure", VerifyLevel::kStructure},
     {"checksums", VerifyLevel::kChecksums},
     {"objects", VerifyLevel::kObjects},
     {"connectivity", VerifyLevel::kConnectivity}}};

void AddOptions(po::options_description& options) {
  options.add_options()(
      "level", po::value<std::string>()->value_name("<level>"),
      "structure, checksums, objects (default) or connectivity; each includes "
      "those before it")(
      "against", po::value<std::string>()->value_name("<repository>"),
      "also compare objects, refs and HEAD with this repository")(
      "allow-newer",
      "with --against: accept a repository with more objects and refs, or with "
      "moved refs");
  options.add_options()(
      "sample", po::value<std::string>()->value_name("<percent>"),
      "check only this share of the blocks, chosen at random, like 5%")(
      "seed", po::value<std::string>()->value_name("<n>"),
      "with --sample: choose the blocks that an earlier run with this seed "
      "chose")("since", po::value<std::string>()->value_name("<older file>"),
               "do not hash objects in blocks that this older, trusted file "
               "holds as well");
  AddDiscoveryOption(options);
  AddDownloadOption(options);
  AddRunOptions(options);
  AddMemoryOption(options);
  AddJsonOption(options);
}

VerifyLevel ToLevel(const po::variables_map& values) {
  if (!Has(values, "level")) return VerifyLevel::kObjects;
  const std::string text = Text(values, "level");
  for (const auto& [name, level] : kLevels) {
    if (name == text) return level;
  }
  throw UsageError{fmt::format("unknown level '{}'", text)};
}

std::string_view KindName(Difference::Kind kind) {
  switch (kind) {
    case Difference::Kind::kMissing:
      return "missing";
    case Difference::Kind::kExtra:
      return "extra";
    case Difference::Kind::kDifferent:
      return "different";
  }
  return "unknown";
}

Json ParityToJson(const VerifyReport& report) {
  if (!report.parity) return nullptr;
  const ParityState& parity = *report.parity;
  Json json;
  SetBytes(json, "path", parity.path);
  json.update({{"parity_shards", parity.parity_shards},
               {"parity_left", parity.parity_left},
               {"intact", parity.intact},
               {"damaged_shards", parity.damaged_shards},
               {"repair_possible", parity.repair_possible},
               {"repairable_bytes", parity.repairable_bytes}});
  return json;
}

Json ScopeToJson(const VerifyReport& report) {
  if (!report.scope) return nullptr;
  const VerifyScope& scope = *report.scope;
  Json json = {{"blocks", scope.blocks},
               {"blocks_checked", scope.blocks_checked},
               {"objects_left_out", scope.objects_left_out},
               {"seed", nullptr}};
  if (scope.seed) json["seed"] = *scope.seed;
  return json;
}

Json ToJson(const VerifyReport& report) {
  Json damages = Json::array();
  for (const Error& damage : report.damages) {
    Json row = {{"message", damage.message}};
    if (damage.offset) row["offset"] = *damage.offset;
    if (!damage.object.empty()) row["object"] = damage.object.ToHex();
    damages.push_back(std::move(row));
  }
  Json differences = Json::array();
  for (const Difference& difference : report.differences) {
    Json row = {{"kind", KindName(difference.kind)}};
    SetBytes(row, "subject", difference.subject);
    row["message"] = difference.message;
    differences.push_back(std::move(row));
  }
  Json json = {{"ok", report.ok()}, {"git_directory", nullptr}};
  if (!report.git_directory.empty()) {
    SetBytes(json, "git_directory", report.git_directory);
  }
  json.update({{"level", kLevels[static_cast<size_t>(report.level)].first},
               {"objects", report.objects},
               {"promised_objects", report.promised_objects},
               {"objects_verified", report.objects_verified},
               {"objects_damaged", report.objects_damaged},
               {"bytes_verified", report.bytes_verified},
               {"files_verified", report.files_verified},
               {"damages", damages},
               {"differences", differences},
               {"scope", ScopeToJson(report)},
               {"parity", ParityToJson(report)},
               {"moved_on", MovedOnToJson(report.moved_on)},
               {"missing_alternates",
                MissingAlternatesToJson(report.missing_alternates)},
               {"phases", PhasesToJson(report.phases)},
               {"peak_rss_bytes", PeakResidentBytes()}});
  return json;
}

// What the parity can do, as a line; empty without parity.
std::string ParityText(const VerifyReport& report) {
  if (!report.parity) return "";
  const ParityState& parity = *report.parity;
  std::string text = fmt::format("parity: {} of {} shards, ",
                                 parity.parity_left, parity.parity_shards);
  if (parity.damaged_shards == 0) {
    text += fmt::format("any {} of damage can be repaired",
                        HumanSize(parity.repairable_bytes));
  } else if (parity.repair_possible) {
    text += fmt::format(
        "{} damaged shards of the file can be repaired with 'git zpack repair'",
        parity.damaged_shards);
  } else {
    text += fmt::format("too few for {} damaged shards of the file",
                        parity.damaged_shards);
  }
  return text + '\n';
}

// What was checked and what was not, as lines; empty if everything was checked.
std::string ScopeText(const VerifyReport& report, const std::string& since) {
  if (!report.scope) return "";
  const VerifyScope& scope = *report.scope;
  if (scope.seed) {
    return fmt::format(
        "sample: {} of {} blocks checked, seed {}\n"
        "not checked: {} objects in the other blocks, the hash of the file{}, "
        "the parity\n",
        scope.blocks_checked, scope.blocks, *scope.seed, scope.objects_left_out,
        report.level == VerifyLevel::kObjects ? ", peeled refs" : "");
  }
  return fmt::format(
      "since '{}': objects of {} of {} blocks hashed\n"
      "not hashed: {} objects in blocks that '{}' holds byte for byte; their "
      "checksums were checked\n",
      QuoteName(since), scope.blocks_checked, scope.blocks,
      scope.objects_left_out, QuoteName(since));
}

// What damage means for the objects.
std::string LossText(const VerifyReport& report) {
  if (report.damages.empty() || report.objects == 0) return "";
  if (report.scope && report.scope->objects_left_out != 0 &&
      report.objects_damaged == 0) {
    return "; damaged";
  }
  if (report.objects_damaged == 0) return "; damaged, but no object is lost";
  return fmt::format("; {} lost", report.objects_damaged);
}

std::string Summary(const std::string& file, const VerifyReport& report) {
  const std::string_view verdict = report.ok() ? "ok" : "bad";
  const std::string against =
      report.git_directory.empty()
          ? ""
          : fmt::format(", compared with '{}'",
                        QuoteName(report.git_directory));
  const std::string promised =
      report.promised_objects == 0
          ? ""
          : "; " + PromisedText(report.promised_objects);
  if (report.level < VerifyLevel::kObjects) {
    return fmt::format("{}: {} ({} only){}{}", QuoteName(file), verdict,
                       kLevels[static_cast<size_t>(report.level)].first,
                       against, promised);
  }
  std::string text =
      fmt::format("{}: {}, {} of {} objects verified{}{}{}", QuoteName(file),
                  verdict, report.objects_verified, report.objects,
                  LossText(report), against, promised);
  if (report.moved_on.any()) {
    text +=
        fmt::format("; the repository moved on: {}", Describe(report.moved_on));
  }
  return text;
}

// Takes the options that leave blocks out.
ScrubOptions ScrubOf(const po::variables_map& values, VerifyLevel level) {
  ScrubOptions options;
  options.sample = PercentOf(values, "sample");
  options.since = Text(values, "since");
  if (Has(values, "seed")) {
    if (!options.sample) throw UsageError{"option '--seed' needs '--sample'"};
    options.seed =
        static_cast<uint32_t>(Number(values, "seed", 0, UINT32_MAX, 0));
  }
  if (Has(values, "since") && options.since.empty()) {
    throw UsageError{"option '--since' expects a file"};
  }
  if (options.sample && Has(values, "since")) {
    throw UsageError{"options '--sample' and '--since' exclude each other"};
  }
  if (options.sample && Has(values, "against")) {
    throw UsageError{"options '--sample' and '--against' exclude each other"};
  }
  if (options.sample && level != VerifyLevel::kChecksums &&
      level != VerifyLevel::kObjects) {
    throw UsageError{
        "option '--sample' needs '--level checksums' or '--level objects'"};
  }
  if (Has(values, "since") && level < VerifyLevel::kObjects) {
    throw UsageError{
        "option '--since' needs '--level objects' or '--level connectivity'"};
  }
  return options;
}

int Run(const po::variables_map& values, const Io& io) {
  const RunContext context(values, io);
  const ReadContext read(values, io);
  VerifyOptions options;
  options.run = context.run();
  options.read = read.options();
  options.level = ToLevel(values);
  options.discovery = DiscoveryOf(values);
  if (Has(values, "discover") && !Has(values, "against")) {
    throw UsageError{"option '--discover' needs '--against'"};
  }
  if (Has(values, "against") && Text(values, "against").empty()) {
    throw UsageError{"option '--against' expects a repository"};
  }
  const ScrubOptions scrub = ScrubOf(values, options.level);
  if (Has(values, "allow-newer")) {
    if (!Has(values, "against")) {
      throw UsageError{"option '--allow-newer' needs '--against'"};
    }
    options.allow_newer = AllowNewer::kYes;
  }
  const std::string file = Text(values, "file");
  const auto report = Scrub(file, Text(values, "against"), options, scrub);
  if (!report) return Fail(io, report.error());
  WarnOfMissingAlternates(report->missing_alternates, io.err);
  for (const Error& damage : report->damages) {
    io.err << "error: " << EscapeUnprintable(damage.message) << '\n';
  }
  for (const Difference& difference : report->differences) {
    io.err << "error: " << EscapeUnprintable(difference.message) << '\n';
  }
  if (Has(values, "json")) {
    PrintJson(ToJson(*report), io.out);
  } else if (!context.quiet()) {
    io.out << Summary(file, *report) << '\n'
           << ScopeText(*report, scrub.since) << ParityText(*report);
  }
  return report->ok() ? kDone : kNo;
}

}  // namespace

const Command kVerifyCommand = {
    "verify",
    "Prove a .zpack file intact, by itself and against its repository",
    "[--level <level>] [--against <repository> [--allow-newer]] "
    "[--sample <percent> [--seed <n>] | --since <older file>] [--download] "
    "[<options>] "
    "<file>",
    {"file"},
    0,
    LastArgument::kOnce,
    {},
    false,
    AddOptions,
    Run};

}  // namespace zpack::cli
