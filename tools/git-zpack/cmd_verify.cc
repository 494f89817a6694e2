// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <limits>
#include <ostream>
#include <utility>

#include "common_options.h"
#include "verify_findings.h"
#include "zpack/verify.h"

namespace zpack::cli {
namespace verify_command {
namespace {

constexpr int64_t kMaxErrors = std::numeric_limits<int64_t>::max();

void AddOptions(po::options_description& options) {
  options.add_options()(
      "level", po::value<std::string>()->value_name("<level>"),
      "structure, checksums, objects (default) or connectivity; each includes "
      "those before it")(
      "against", po::value<std::string>()->value_name("<repository>"),
      "also compare objects, refs and HEAD with this repository")(
      "allow-newer",
      "with --against: accept a repository with more objects and refs, or with "
      "moved refs")("expect-hash",
                    po::value<std::string>()->value_name("<hash>"),
                    "the file hash must be this one, as 'show' prints it")(
      "max-errors", po::value<std::string>()->value_name("<n>"),
      "list at most <n> findings; the counts are those of all")(
      "format", po::value<std::string>()->value_name("<format>"),
      "text (default), json, junit, github or sarif");
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
  const auto level = ParseVerifyLevel(text);
  if (!level) throw UsageError{fmt::format("unknown level '{}'", text)};
  return *level;
}

// Records as a difference that the file has another hash than the user expects.
void ExpectHash(const std::string& expected, VerifyReport& report) {
  // Without a hash, the structure is damaged, and the report says so.
  if (report.file_hash.empty() || report.file_hash == expected) return;
  report.differences.push_back(
      {Difference::Kind::kDifferent, "file hash",
       fmt::format("file hash is {}, not {} as expected", report.file_hash,
                   expected)});
}

// The value of --expect-hash; empty without the option.
std::string ExpectedHash(const po::variables_map& values, VerifyLevel level) {
  std::string hash = Text(values, "expect-hash");
  if (!Has(values, "expect-hash")) return hash;
  constexpr size_t kDigits = 64;
  for (char& c : hash) {
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  }
  if (hash.size() != kDigits ||
      hash.find_first_not_of("0123456789abcdef") != std::string::npos) {
    throw UsageError{
        "option '--expect-hash' expects the file hash that 'show' prints: 64 "
        "hexadecimal digits"};
  }
  if (level < VerifyLevel::kChecksums) {
    throw UsageError{
        "option '--expect-hash' needs '--level checksums' or a higher level"};
  }
  return hash;
}

VerifyFormat FormatOf(const po::variables_map& values) {
  if (!Has(values, "format")) {
    return Has(values, "json") ? VerifyFormat::kJson : VerifyFormat::kText;
  }
  const std::string name = Text(values, "format");
  const auto format = ParseVerifyFormat(name);
  if (!format) throw UsageError{fmt::format("unknown format '{}'", name)};
  if (Has(values, "json") && *format != VerifyFormat::kJson) {
    throw UsageError{"options '--json' and '--format' cannot be used together"};
  }
  return *format;
}

void Print(VerifyFormat format, const VerifyFindings& findings,
           const RunContext& context, const Io& io) {
  switch (format) {
    case VerifyFormat::kText:
      return PrintVerifyText(findings, context.quiet() ? nullptr : &io.out,
                             io.err);
    case VerifyFormat::kJson:
      return PrintVerifyJson(findings, io.out);
    case VerifyFormat::kJunit:
      return PrintVerifyJunit(findings, io.out);
    case VerifyFormat::kGithub:
      return PrintVerifyGithub(findings, io.out);
    case VerifyFormat::kSarif:
      return PrintVerifySarif(findings, io.out);
  }
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
  if (options.sample && Has(values, "expect-hash")) {
    throw UsageError{
        "options '--sample' and '--expect-hash' exclude each other"};
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
  if (Has(values, "allow-newer")) {
    if (!Has(values, "against")) {
      throw UsageError{"option '--allow-newer' needs '--against'"};
    }
    options.allow_newer = AllowNewer::kYes;
  }
  const std::string file = FileToRead(values);
  const VerifyFormat format = FormatOf(values);
  const std::string expected = ExpectedHash(values, options.level);
  VerifyFindings findings;
  findings.file = file;
  findings.repository = Text(values, "against");
  const ScrubOptions scrub = ScrubOf(values, options.level);
  findings.since = scrub.since;
  if (Has(values, "max-errors")) {
    findings.max_errors = static_cast<uint64_t>(
        Number(values, "max-errors", 0, kMaxErrors, kMaxErrors));
  }
  auto report = Scrub(file, findings.repository, options, scrub);
  if (!report) {
    PrintVerifyFailure(format, file, report.error(), io.out);
    return Fail(io, report.error());
  }
  findings.report = *std::move(report);
  if (!expected.empty()) ExpectHash(expected, findings.report);
  // In JSON, they are a list.
  if (format != VerifyFormat::kJson) {
    WarnOfMissingAlternates(findings.report.missing_alternates, io.err);
  }
  Print(format, findings, context, io);
  return findings.report.ok() ? kDone : kNo;
}

}  // namespace
}  // namespace verify_command

const Command kVerifyCommand = {
    "verify",
    "Prove a .zpack file intact, by itself and against its repository",
    "[--level <level>] [--against <repository> [--allow-newer]] "
    "[--sample <percent> [--seed <n>] | --since <older file>] "
    "[--expect-hash <hash>] [--format <format>] [<options>] <file>",
    {"file"},
    0,
    LastArgument::kOnce,
    {},
    false,
    verify_command::AddOptions,
    verify_command::Run};

}  // namespace zpack::cli
