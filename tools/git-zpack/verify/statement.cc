// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "verify/statement.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>
#include <utility>

#include "cli.h"
#include "common_options.h"
#include "standard_input_file.h"
#include "verify/verify_findings.h"
#include "zpack/quote.h"
#include "zpack/version.h"

namespace zpack::cli {
namespace {

using Document = nlohmann::json;
using Json = nlohmann::ordered_json;

constexpr const char* kStatementType = "https://in-toto.io/Statement/v1";
// A statement of ours has less than 2 KiB; others may add fields.
constexpr size_t kMaxBytes = size_t{1} << 20;
constexpr int kMaxJsonDepth = 16;

// JSON has UTF-8 alone. Git's quotes tell names apart that differ.
std::string JsonName(const std::string& name) {
  return IsUtf8(name) ? name : QuoteName(name);
}

Json TextOrNull(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json SwhidsToJson(const FileFacts& facts) {
  if (facts.snapshot_swhid.empty()) return nullptr;
  return {{"snapshot", facts.snapshot_swhid},
          {"revision", TextOrNull(facts.revision_swhid)}};
}

Json SourceToJson(SourceComparison source) {
  switch (source) {
    case SourceComparison::kNone:
      break;
    case SourceComparison::kCompared:
      return "compared";
    case SourceComparison::kRead:
      return "read";
  }
  return nullptr;
}

// What follows from the bytes of the file.
Json FactsToJson(const FileFacts& facts) {
  return {{"format",
           {{"version",
             fmt::format("{}.{}", facts.format_major, facts.format_minor)},
            {"requiredFeatures", facts.required_features},
            {"optionalFeatures", facts.optional_features}}},
          {"fileBytes", facts.file_bytes},
          {"fileHash", facts.file_hash},
          {"contentDigest", facts.content_digest},
          {"objectFormat", ObjectFormatName(facts.object_format)},
          {"objects",
           {{"commits", facts.commits},
            {"trees", facts.trees},
            {"blobs", facts.blobs},
            {"tags", facts.tags},
            {"promised", facts.promised_objects},
            {"lost", facts.lost_objects}}},
          {"refs", {{"count", facts.refs}, {"sha256", facts.refs_sha256}}},
          {"head",
           {{"symref", TextOrNull(JsonName(facts.head_symref))},
            {"target", TextOrNull(facts.head_target.ToHex())}}},
          {"shallowBoundaries", facts.shallow_boundaries},
          {"swhid", SwhidsToJson(facts)}};
}

// The statement, without what 'verify' did.
Json StatementOfFacts(const FileFacts& facts) {
  Json subject = {{"digest", {{"sha256", facts.sha256}}}};
  return {{"_type", kStatementType},
          {"subject", Json::array({std::move(subject)})},
          {"predicateType", kPredicateType},
          {"predicate", FactsToJson(facts)}};
}

[[noreturn]] void Refuse(ErrorCode code, const std::string& path,
                         const std::string& reason) {
  throw CommandFailure{
      {code, fmt::format("not a statement that can be checked: '{}': {}",
                         QuoteName(path, kMaxNameInMessage), reason)}};
}

std::string ReadBounded(const std::string& path) {
  const std::string name = QuoteName(path, kMaxNameInMessage);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw CommandFailure{
        {ErrorCode::kNotFound, fmt::format("'{}' does not exist", name)}};
  }
  std::ifstream in(path, std::ios::binary);
  std::string text(kMaxBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in.eof() && !in) {
    throw CommandFailure{
        {ErrorCode::kIo, fmt::format("unable to read '{}'", name)}};
  }
  text.resize(static_cast<size_t>(in.gcount()));
  if (text.size() > kMaxBytes) {
    Refuse(ErrorCode::kLimitExceeded, path,
           fmt::format("it has more than {} bytes", kMaxBytes));
  }
  return text;
}

// Parses a document in which no object has a name twice: programs do not agree
// on what such an object says.
Document ParseJson(const std::string& text, const std::string& path) {
  std::vector<std::set<std::string>> names;
  const auto check = [&](int depth, Document::parse_event_t event,
                         Document& parsed) {
    if (depth > kMaxJsonDepth) {
      Refuse(ErrorCode::kLimitExceeded, path,
             fmt::format("it is nested more than {} deep", kMaxJsonDepth));
    }
    if (event == Document::parse_event_t::object_start) {
      names.emplace_back();
    } else if (event == Document::parse_event_t::object_end) {
      names.pop_back();
    } else if (event == Document::parse_event_t::key &&
               !names.back().insert(parsed.get<std::string>()).second) {
      Refuse(
          ErrorCode::kInvalidArgument, path,
          fmt::format("it says '{}' twice",
                      QuoteName(parsed.get<std::string>(), kMaxNameInTable)));
    }
    return true;
  };
  try {
    return Document::parse(text, check);
  } catch (const Document::exception&) {
    Refuse(ErrorCode::kInvalidArgument, path, "it is not JSON");
  }
}

// "predicate.objects" and "tags" give "predicate.objects.tags".
std::string Join(const std::string& place, const std::string& name) {
  return place.empty() ? name : place + '.' + name;
}

bool IsText(const Document& object, const char* name, std::string_view text) {
  return object.contains(name) && object[name] == text;
}

// Refuses a statement that lacks a field of `expected`, or in which a field has
// another type. `expected` is ours, so this does not go deep.
void CheckShape(const Document& expected, const Document& stated,
                const std::string& place, const std::string& path) {
  for (const auto& [name, value] : expected.items()) {
    const std::string where = Join(place, name);
    if (!stated.contains(name)) {
      Refuse(ErrorCode::kInvalidArgument, path,
             fmt::format("it has no {}", where));
    }
    const Document& field = stated[name];
    if (field.is_null()) continue;
    const bool same =
        value.is_number() ? field.is_number() : field.type() == value.type();
    if (!same) {
      Refuse(ErrorCode::kInvalidArgument, path,
             fmt::format("its {} is not of the type {}", where,
                         value.type_name()));
    }
    if (value.is_object()) CheckShape(value, field, where, path);
  }
}

// Fills every field, so that each has a type.
Document Shape() {
  FileFacts facts;
  facts.head_symref = "refs/heads/main";
  facts.snapshot_swhid = "swh:1:snp:";
  facts.revision_swhid = "swh:1:rev:";
  Json predicate = FactsToJson(facts);
  predicate["head"]["target"] = "";
  return predicate;
}

Verification VerificationOf(const Document& predicate,
                            const std::string& path) {
  const auto refuse = [&](const char* what) {
    Refuse(ErrorCode::kInvalidArgument, path,
           fmt::format("its predicate.verification.{} is unknown", what));
  };
  if (!predicate.contains("verification") ||
      !predicate["verification"].is_object()) {
    Refuse(ErrorCode::kInvalidArgument, path,
           "it has no predicate.verification");
  }
  const Document& stated = predicate["verification"];
  Verification verification;
  bool known = false;
  for (const VerifyLevel level :
       {VerifyLevel::kChecksums, VerifyLevel::kObjects,
        VerifyLevel::kConnectivity}) {
    if (!IsText(stated, "level", VerifyLevelName(level))) continue;
    verification.level = level;
    known = true;
  }
  if (!known) refuse("level");
  if (!stated.contains("source")) refuse("source");
  if (stated["source"] == "compared") {
    verification.source = SourceComparison::kCompared;
  } else if (stated["source"] == "read") {
    verification.source = SourceComparison::kRead;
  } else if (!stated["source"].is_null()) {
    refuse("source");
  }
  return verification;
}

// A value for a message: one line, and not too long.
std::string ValueText(const Document& value) {
  constexpr size_t kMaxValue = 200;
  std::string text =
      value.dump(-1, ' ', true, Document::error_handler_t::replace);
  if (text.size() > kMaxValue) text = text.substr(0, kMaxValue) + "...";
  return text;
}

// Compares fields one by one.
class Comparison {
 public:
  Comparison(StatementResult& result, VerifyReport& report)
      : result_(result), report_(report) {}

  // `actual` is ours, so this does not go deep.
  void Compare(const Document& actual, const Document& stated,
               const std::string& place) {
    if (!actual.is_object() || !stated.is_object()) {
      if (actual != stated) Differ(actual, stated, place);
      return;
    }
    for (const auto& [name, value] : stated.items()) {
      const std::string where = Join(place, name);
      if (actual.contains(name)) {
        Compare(actual[name], value, where);
      } else {
        Skip(where);
      }
    }
  }

  // Notes that a field is not compared.
  void Skip(const std::string& where) {
    if (result_.not_checked.size() < StatementResult::kMaxListed) {
      result_.not_checked.push_back(QuoteName(where, kMaxNameInTable));
    }
  }

 private:
  void Differ(const Document& actual, const Document& stated,
              const std::string& place) {
    report_.differences.push_back(
        {Difference::Kind::kDifferent, place,
         fmt::format("{} is {}, not {} as the statement says", place,
                     ValueText(actual), ValueText(stated))});
    ++result_.differences;
  }

  StatementResult& result_;
  VerifyReport& report_;
};

}  // namespace

std::string SubjectName(const std::string& file) {
  if (file == kStandardInputName) return "";
  std::string path = file;
  if (path.starts_with("http://") || path.starts_with("https://")) {
    path.resize(std::min(path.find_first_of("?#"), path.size()));
  }
  return std::filesystem::path(path).filename().native();
}

Json MakeStatement(const std::string& subject, const FileFacts& facts,
                   const Verification& verification) {
  Json statement = StatementOfFacts(facts);
  if (!subject.empty()) {
    // The name comes first, where people look for it.
    Json named = {{"name", JsonName(subject)}};
    named.update(statement["subject"][0]);
    statement["subject"][0] = std::move(named);
  }
  Json& predicate = statement["predicate"];
  predicate["verification"] = {{"level", VerifyLevelName(verification.level)},
                               {"source", SourceToJson(verification.source)}};
  predicate["verifier"] = {{"name", "git-zpack"},
                           {"version", LibraryVersion()}};
  if (verification.time) {
    predicate["verifiedAt"] = fmt::format(
        "{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time_t{*verification.time}));
  }
  return statement;
}

Statement Statement::Read(const std::string& path) {
  return Parse(ReadBounded(path), path);
}

Statement Statement::Parse(const std::string& text, const std::string& path) {
  Statement statement;
  statement.path_ = path;
  statement.document_ = ParseJson(text, path);
  const Document& document = statement.document_;
  if (!document.is_object()) {
    Refuse(ErrorCode::kInvalidArgument, path, "it is not a JSON object");
  }
  if (document.contains("payloadType")) {
    Refuse(ErrorCode::kUnsupported, path,
           "it is an envelope; check its signature, and take the statement out "
           "of it");
  }
  if (!IsText(document, "_type", kStatementType)) {
    Refuse(ErrorCode::kUnsupported, path,
           fmt::format("its _type is not {}", kStatementType));
  }
  if (!IsText(document, "predicateType", kPredicateType)) {
    Refuse(ErrorCode::kUnsupported, path,
           fmt::format("its predicateType is not {}", kPredicateType));
  }
  if (!document.contains("subject") || !document["subject"].is_array() ||
      document["subject"].size() != 1) {
    Refuse(ErrorCode::kInvalidArgument, path, "it is not about one subject");
  }
  CheckShape({{"digest", {{"sha256", ""}}}}, document["subject"][0], "subject",
             path);
  CheckShape({{"predicate", Shape()}}, document, "", path);
  if (!document["predicate"].is_object()) {
    Refuse(ErrorCode::kInvalidArgument, path, "it has no predicate");
  }
  statement.verification_ = VerificationOf(document["predicate"], path);
  return statement;
}

StatementResult Statement::Compare(const std::string& file,
                                   SourceComparison compared,
                                   VerifyReport& report) const {
  StatementResult result{.path = path_};
  if (!report.facts) return result;
  result.compared = true;
  Comparison comparison(result, report);
  Document actual = StatementOfFacts(*report.facts);
  Document stated = document_;
  // The name is that of a file, which may have been renamed since.
  Document& subject = stated["subject"][0];
  if (IsText(subject, "name", JsonName(SubjectName(file)))) {
    subject.erase("name");
  }
  comparison.Compare(actual["subject"][0], subject, "subject");
  actual.erase("subject");
  stated.erase("subject");
  // A level below the stated one does not come here.
  Document& verification = stated["predicate"]["verification"];
  verification.erase("level");
  if (verification_.source <= compared) verification.erase("source");
  for (const auto& field : verification.items()) {
    comparison.Skip(Join("predicate.verification", field.key()));
  }
  stated["predicate"].erase("verification");
  comparison.Compare(actual, stated, "");
  return result;
}

}  // namespace zpack::cli
