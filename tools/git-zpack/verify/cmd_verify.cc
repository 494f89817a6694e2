// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "common_options.h"
#include "output_file.h"
#include "several_files.h"
#include "verify/damage_hints.h"
#include "verify/statement.h"
#include "verify/verify_findings.h"
#include "verify/verify_options.h"
#include "zpack/quote.h"
#include "zpack/verify.h"

namespace zpack::cli {
namespace verify_command {
namespace {

constexpr int64_t kMaxErrors = std::numeric_limits<int64_t>::max();
constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

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
      "attestation", po::value<std::string>()->value_name("<statement>"),
      "the file must be as this statement of 'attest' says")(
      "max-errors", po::value<std::string>()->value_name("<n>"),
      "list at most <n> findings of each file, 20 by default; 'all' lists "
      "every damaged object, too")(
      "output,o", po::value<std::string>()->value_name("<report>"),
      "write the report to this file")(
      "format", po::value<std::string>()->value_name("<format>"),
      "text (default), json, junit, github or sarif");
  options.add_options()(
      "read-source",
      "with --against: also read and hash the objects of the repository")(
      "sample", po::value<std::string>()->value_name("<percent>"),
      "check only this share of the blocks, chosen at random, like 5%")(
      "seed", po::value<std::string>()->value_name("<n>"),
      "with --sample: choose the blocks that an earlier run with this seed "
      "chose")("since", po::value<std::string>()->value_name("<older file>"),
               "do not hash objects in blocks that this older, trusted file "
               "holds as well")(
      "own",
      "do not check the files that <file> depends on; they must be there "
      "all the same");
  AddDiscoveryOption(options);
  AddReadingOptions(options);
  AddRunOptions(options);
  AddMemoryOption(options);
  AddJsonOption(options);
}

// The level of the option; by default kObjects or, if that is higher, the level
// that the statement says was checked.
VerifyLevel ToLevel(const po::variables_map& values,
                    const std::optional<Statement>& statement) {
  if (!Has(values, "level")) {
    return statement ? std::max(statement->level(), VerifyLevel::kObjects)
                     : VerifyLevel::kObjects;
  }
  const VerifyLevel level = ParseVerifyLevel(Text(values, "level"));
  if (statement && level < statement->level()) {
    throw UsageError{fmt::format(
        "option '--level' is below the level of the statement, which is '{}'",
        VerifyLevelName(statement->level()))};
  }
  return level;
}

// Reads the statement of --attestation. Throws CommandFailure and UsageError.
std::optional<Statement> StatementOf(const po::variables_map& values) {
  if (!Has(values, "attestation")) return std::nullopt;
  if (Text(values, "attestation").empty()) {
    throw UsageError{"option '--attestation' expects a statement"};
  }
  RefuseBeside(values, "attestation", {"sample"});
  return Statement::Read(Text(values, "attestation"));
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
  const VerifyFormat format = ParseVerifyFormat(Text(values, "format"));
  if (Has(values, "json") && format != VerifyFormat::kJson) {
    throw UsageError{"options '--json' and '--format' cannot be used together"};
  }
  return format;
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
  options.own = Has(values, "own");
  RefuseBeside(values, "own", {"sample", "since"});
  if (Has(values, "since") && options.since.empty()) {
    throw UsageError{"option '--since' expects a file"};
  }
  RefuseBeside(values, "sample", {"since", "against", "expect-hash"});
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

// How the files are checked, and how the findings are listed.
struct Plan {
  VerifyOptions options;
  ScrubOptions scrub;
  std::string repository;
  std::string expected_hash;
  std::optional<Statement> statement = std::nullopt;
  DamageListing listing = DamageListing::kByBlock;
  uint64_t max_errors = VerifyFindings::kDefaultMaxErrors;

  // With --allow-newer, the repository may be another than that of a statement.
  SourceComparison compared() const {
    if (repository.empty() || options.allow_newer == AllowNewer::kYes) {
      return SourceComparison::kNone;
    }
    return ComparisonWith(options.read_source);
  }
};

Plan PlanOf(const po::variables_map& values, const RunContext& context,
            const ReadContext& read) {
  Plan plan;
  plan.options.run = context.run();
  plan.options.read = read.options();
  plan.statement = StatementOf(values);
  plan.options.level = ToLevel(values, plan.statement);
  plan.options.discovery = DiscoveryOf(values);
  if (Has(values, "allow-newer")) plan.options.allow_newer = AllowNewer::kYes;
  if (Has(values, "read-source")) plan.options.read_source = ReadSource::kYes;
  plan.repository = RepositoryToCompare(values);
  plan.expected_hash = ExpectedHash(values, plan.options.level);
  plan.scrub = ScrubOf(values, plan.options.level);
  if (Text(values, "max-errors") == "all") {
    plan.listing = DamageListing::kByObject;
    plan.max_errors = kNoLimit;
  } else {
    plan.max_errors =
        static_cast<uint64_t>(Number(values, "max-errors", 0, kMaxErrors,
                                     static_cast<int64_t>(plan.max_errors)));
  }
  return plan;
}

VerifyFindings Check(const InputFile& file, const Plan& plan) {
  VerifyFindings findings{.file = file.name,
                          .repository = NameWithoutSecrets(plan.repository),
                          .since = plan.scrub.since,
                          .read_source = plan.options.read_source,
                          .max_errors = plan.max_errors};
  const auto verify = plan.statement ? &Attest : &Scrub;
  auto report = verify(file.path, plan.repository, plan.options, plan.scrub);
  if (!report) {
    findings.failure = std::move(report).error();
    return findings;
  }
  findings.report = *std::move(report);
  if (!plan.expected_hash.empty()) {
    ExpectHash(plan.expected_hash, findings.report);
  }
  if (plan.statement) {
    findings.statement =
        plan.statement->Compare(file.name, plan.compared(), findings.report);
  }
  findings.list = ListFindings(findings.report, plan.listing);
  return findings;
}

FileRow RowOf(const VerifyFindings& findings) {
  const VerifyReport& report = findings.report;
  FileRow row{.name = findings.file, .result = report.ok() ? "ok" : "bad"};
  row.bytes = report.file_bytes;
  // Otherwise, the structure is damaged.
  if (!report.file_hash.empty()) row.objects = report.objects;
  if (report.level >= VerifyLevel::kObjects && !report.scope && report.ok()) {
    row.content_bytes = report.bytes_verified;
  }
  return row;
}

// Prints several files as one table or one array.
void PrintSeveral(const std::vector<VerifyFindings>& files, bool quiet,
                  const Io& io) {
  SeveralFiles table(io);
  for (const VerifyFindings& findings : files) {
    if (findings.failure) {
      table.AddFailure(findings.file, *findings.failure);
    } else {
      table.Add(RowOf(findings), io.json ? VerifyJson(findings) : nullptr,
                findings.exit_code());
    }
  }
  if (!quiet || io.json) table.Finish();
  if (io.json) return;
  io.out.flush();
  for (const VerifyFindings& findings : files) {
    PrintFindings(findings, io.err);
    if (!quiet) PrintDamageHints(findings, io.err);
  }
}

void PrintText(const std::vector<VerifyFindings>& files, bool quiet,
               const Io& io) {
  if (files.size() > 1) return PrintSeveral(files, quiet, io);
  const VerifyFindings& findings = files.front();
  if (findings.failure) {
    FailWithoutJson(io, *findings.failure);
    return;
  }
  PrintVerifyText(findings, quiet ? nullptr : &io.out, io.err);
  if (!quiet) PrintDamageHints(findings, io.err);
}

// Prints the findings in a format for programs to `out`.
void PrintFormat(VerifyFormat format, const std::vector<VerifyFindings>& files,
                 std::ostream& out, const Io& io) {
  switch (format) {
    case VerifyFormat::kText:
      // Errors are part of a report in a file.
      return PrintText(files, false, {io.in, out, out});
    case VerifyFormat::kJson:
      if (files.size() == 1) return PrintJson(VerifyJson(files.front()), out);
      return PrintSeveral(
          files, false, {.in = io.in, .out = out, .err = io.err, .json = true});
    case VerifyFormat::kJunit:
      return PrintVerifyJunit(files, out);
    case VerifyFormat::kGithub:
      for (const VerifyFindings& findings : files) {
        PrintVerifyGithub(findings, out);
      }
      return;
    case VerifyFormat::kSarif:
      return PrintVerifySarif(files, out);
  }
}

// Prints the findings as the options say. Returns the exit code of printing.
int PrintAll(const std::optional<std::string>& output, bool quiet,
             VerifyFormat format, const std::vector<VerifyFindings>& files,
             const Io& io) {
  if (output && *output != "-") {
    const int written = OutputFile(*output).Write(io, [&](std::ostream& out) {
      PrintFormat(format, files, out, io);
      return kDone;
    });
    // What people read. The errors are in the file.
    PrintText(files, quiet, {io.in, io.out, io.err});
    return written;
  }
  if (format == VerifyFormat::kText) {
    PrintText(files, quiet, io);
    return kDone;
  }
  PrintFormat(format, files, io.out, io);
  if (files.size() == 1 && files.front().failure) {
    FailWithoutJson(io, *files.front().failure);
  }
  return kDone;
}

int Run(const po::variables_map& values, const Io& io) {
  const RunContext context(values, io);
  const ReadContext read(values, io);
  if (Texts(values, "file").size() > 1) {
    RefuseForSeveralFiles(values, {"since", "expect-hash", "attestation"});
  }
  const VerifyFormat format = FormatOf(values);
  const Plan plan = PlanOf(values, context, read);
  const std::vector<InputFile> files = FilesToRead(values);
  const std::optional<std::string> output =
      ReportPath(values, files, read.options());
  std::vector<VerifyFindings> all;
  int code = kDone;
  for (const InputFile& file : files) {
    const VerifyFindings& findings = all.emplace_back(Check(file, plan));
    if (findings.failure && findings.failure->code == ErrorCode::kInterrupted) {
      return kInterrupted;
    }
    code = std::max(code, findings.exit_code());
    // In JSON, they are a list.
    if (format != VerifyFormat::kJson) {
      WarnOfMissingAlternates(findings.report.missing_alternates, io.err);
      if (!context.quiet()) WarnOfRest(findings, io.err);
    }
  }
  return std::max(code, PrintAll(output, context.quiet(), format, all, io));
}

}  // namespace
}  // namespace verify_command

const Command kVerifyCommand = {
    "verify",
    "Prove a .zpack file intact, by itself and against its repository",
    "[--level <level>] [--against <repository> [--allow-newer] "
    "[--read-source]] "
    "[--sample <percent> [--seed <n>] | --since <older file> | --own] "
    "[--expect-hash <hash>] [--attestation <statement>] [--format <format>] "
    "[-o <report>] [<options>] "
    "<file>...",
    {"file"},
    0,
    LastArgument::kRepeated,
    {},
    false,
    verify_command::AddOptions,
    verify_command::Run};

}  // namespace zpack::cli
