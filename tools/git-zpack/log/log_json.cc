// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/log_json.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "common_options.h"
#include "log/log_commit_text.h"

namespace zpack::cli {
namespace {

using LogJson = nlohmann::ordered_json;

Result<LogJson> PersonToJson(std::string_view line, const LogLook& look,
                             const LogSources& sources) {
  auto person = ParsePerson(line);
  if (!person) return LogJson();
  if (look.map_names) sources.mailmap.Map(person->name, person->mail);
  LogJson object;
  SetBytes(object, "name", person->name);
  SetBytes(object, "email", person->mail);
  object["date"] = nullptr;
  if (person->date.empty()) return object;
  const auto date = DateText(*person, {DateForm::kIsoStrict}, sources.now);
  if (!date) return std::unexpected(date.error());
  object["date"] = *date;
  return object;
}

LogJson FilesToJson(std::span<const ChangedFile> files) {
  LogJson rows = LogJson::array();
  for (const ChangedFile& file : files) {
    LogJson row;
    const bool moved = file.status == 'R' || file.status == 'C';
    row["status"] = std::string(1, file.status);
    SetBytes(row, "path", file.new_path);
    if (moved) {
      SetBytes(row, "old_path", file.old_path);
      row["similarity"] = file.similarity * 100 / kMostSimilar;
    }
    row["old_mode"] = nullptr;
    row["old_id"] = nullptr;
    row["new_mode"] = nullptr;
    row["new_id"] = nullptr;
    if (file.old_mode != 0) {
      row["old_mode"] = fmt::format("{:06o}", file.old_mode);
      row["old_id"] = file.old_id.ToHex();
    }
    if (file.new_mode != 0) {
      row["new_mode"] = fmt::format("{:06o}", file.new_mode);
      row["new_id"] = file.new_id.ToHex();
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Result<nlohmann::ordered_json> CommitToJson(const LoggedCommit& commit,
                                            const LogLook& look,
                                            const LogSources& sources) {
  const CommitText text(commit.content);
  LogJson object;
  object["id"] = commit.id.ToHex();
  object["parents"] = LogJson::array();
  for (const ObjectId& parent : commit.parents) {
    object["parents"].push_back(parent.ToHex());
  }
  for (const auto& [key, line] : {std::pair("author", text.author()),
                                  std::pair("committer", text.committer())}) {
    auto person = PersonToJson(line, look, sources);
    if (!person) return person;
    object[key] = *std::move(person);
  }
  if (look.decorations && sources.decorations) {
    object["refs"] = LogJson::array();
    for (const std::string& name : sources.decorations->NamesOf(commit.id)) {
      LogJson named;
      SetBytes(named, "name", name);
      object["refs"].push_back(std::move(named));
    }
  }
  std::string_view subject = text.subject();
  SetBytes(object, "subject", TakeSubject(subject, " "));
  SetBytes(object, "body", text.body());
  if (look.files != FilesStyle::kNone) {
    object["files"] = FilesToJson(commit.files);
  }
  return object;
}

}  // namespace zpack::cli
