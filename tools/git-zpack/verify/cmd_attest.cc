// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "common_options.h"
#include "output_file.h"
#include "verify/damage_hints.h"
#include "verify/statement.h"
#include "verify/verify_findings.h"
#include "verify/verify_options.h"
#include "zpack/quote.h"
#include "zpack/verify.h"

namespace zpack::cli {
namespace attest_command {
namespace {

using Json = nlohmann::ordered_json;

void AddOptions(po::options_description& options) {
  options.add_options()(
      "level", po::value<std::string>()->value_name("<level>"),
      "how much to verify: checksums, objects (default) or connectivity")(
      "against", po::value<std::string>()->value_name("<repository>"),
      "also compare objects, refs and HEAD with this repository")(
      "read-source",
      "with --against: also read and hash the objects of the repository")(
      "timestamp", "state when the file was verified")(
      "output,o", po::value<std::string>()->value_name("<path>"),
      "write to this file");
  AddDiscoveryOption(options);
  AddReadingOptions(options);
  AddRunOptions(options);
  AddMemoryOption(options);
}

VerifyLevel LevelOf(const po::variables_map& values) {
  if (!Has(values, "level")) return VerifyLevel::kObjects;
  const VerifyLevel level = ParseVerifyLevel(Text(values, "level"));
  if (level < VerifyLevel::kChecksums) {
    throw UsageError{
        "a statement needs '--level checksums' or a higher level, which hash "
        "the file"};
  }
  return level;
}

// What is done with each file.
struct Plan {
  VerifyOptions options;
  std::string repository;
  bool timestamp = false;

  SourceComparison source() const {
    return repository.empty() ? SourceComparison::kNone
                              : ComparisonWith(options.read_source);
  }
};

Plan PlanOf(const po::variables_map& values, const RunContext& context,
            const ReadContext& read) {
  Plan plan;
  plan.options.run = context.run();
  plan.options.read = read.options();
  plan.options.level = LevelOf(values);
  plan.options.discovery = DiscoveryOf(values);
  plan.repository = RepositoryToCompare(values);
  if (Has(values, "read-source")) plan.options.read_source = ReadSource::kYes;
  plan.timestamp = Has(values, "timestamp");
  return plan;
}

// The time, or what SOURCE_DATE_EPOCH says instead. Throws CommandFailure.
int64_t Now() {
  const char* const variable = std::getenv("SOURCE_DATE_EPOCH");
  if (variable == nullptr) return std::time(nullptr);
  constexpr int64_t kEndOfYear9999 = 253402300799;
  const std::string_view text = variable;
  int64_t time = -1;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), time);
  if (error != std::errc() || end != text.data() + text.size() || time < 0 ||
      time > kEndOfYear9999) {
    throw CommandFailure{
        {ErrorCode::kInvalidArgument,
         fmt::format("SOURCE_DATE_EPOCH is not a number of seconds: '{}'",
                     QuoteName(text, kMaxNameInMessage))}};
  }
  return time;
}

// Verifies the file, and adds a statement to `statements` if the file is
// intact. Returns the exit code.
int AttestFile(const InputFile& file, const Plan& plan, bool quiet,
               std::vector<Json>& statements, const Io& io) {
  auto report = Attest(file.path, plan.repository, plan.options, {});
  if (!report) return Fail(io, report.error());
  VerifyFindings findings{.file = file.name,
                          .repository = NameWithoutSecrets(plan.repository),
                          .read_source = plan.options.read_source,
                          .report = *std::move(report)};
  WarnOfMissingAlternates(findings.report.missing_alternates, io.err);
  if (!quiet) WarnOfRest(findings, io.err);
  if (!findings.report.ok()) {
    findings.list = ListFindings(findings.report, DamageListing::kByBlock);
    io.err << VerifySummary(findings) << '\n';
    PrintFindings(findings, io.err);
    if (!quiet) PrintDamageHints(findings, io.err);
    return kNo;
  }
  Verification verification{.level = plan.options.level,
                            .source = plan.source()};
  if (plan.timestamp) verification.time = Now();
  statements.push_back(MakeStatement(SubjectName(file.name),
                                     *findings.report.facts, verification));
  return kDone;
}

// One statement is printed for people and signers, several as JSON Lines.
void Print(const std::vector<Json>& statements, bool several,
           std::ostream& out) {
  for (const Json& statement : statements) {
    if (several) {
      out << statement.dump() << '\n';
    } else {
      PrintJson(statement, out);
    }
  }
}

int Run(const po::variables_map& values, const Io& io) {
  const RunContext context(values, io);
  const ReadContext read(values, io);
  const Plan plan = PlanOf(values, context, read);
  const std::vector<InputFile> files = FilesToRead(values);
  const std::optional<std::string> output =
      ReportPath(values, files, read.options());
  std::vector<Json> statements;
  int code = kDone;
  for (const InputFile& file : files) {
    const int result = AttestFile(file, plan, context.quiet(), statements, io);
    if (result == kInterrupted) return kInterrupted;
    code = std::max(code, result);
  }
  const bool several = files.size() > 1;
  if (!output) {
    Print(statements, several, io.out);
    return code;
  }
  // A file either states everything or is not written.
  if (code != kDone) return code;
  return OutputFile(*output).Write(io, [&](std::ostream& out) {
    Print(statements, several, out);
    return kDone;
  });
}

}  // namespace
}  // namespace attest_command

const Command kAttestCommand = {
    "attest",
    "State what a .zpack file holds, for others to check",
    "[--level <level>] [--against <repository> [--read-source]] "
    "[--timestamp] [-o <path>] [<options>] <file>...",
    {"file"},
    0,
    LastArgument::kRepeated,
    {},
    false,
    attest_command::AddOptions,
    attest_command::Run};

}  // namespace zpack::cli
