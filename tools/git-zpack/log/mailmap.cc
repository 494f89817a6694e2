// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/mailmap.h"

#include <utility>

#include "log/log_commit_text.h"
#include "log/text_width.h"

namespace zpack::cli {
namespace {

std::string LowerAscii(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  return lower;
}

struct MapPart {
  std::optional<std::string> name;
  std::optional<std::string> mail;
};

// Removes "<name> <<mail>>" from `line`. Neither is set if there is no mail.
MapPart TakePart(std::string_view& line, bool empty_mail) {
  MapPart part;
  const size_t open = line.find('<');
  const size_t close =
      open == std::string_view::npos ? open : line.find('>', open);
  if (close == std::string_view::npos || (!empty_mail && close == open + 1)) {
    line = {};
    return part;
  }
  std::string_view name = TrimLine(line.substr(0, open));
  while (!name.empty() && IsGitSpace(name.front())) name.remove_prefix(1);
  if (!name.empty()) part.name = name;
  part.mail = line.substr(open + 1, close - open - 1);
  line.remove_prefix(close + 1);
  return part;
}

}  // namespace

Mailmap::Mailmap(std::string_view content) {
  content = content.substr(0, content.find('\0'));
  while (!content.empty()) {
    std::string_view line = TakeTextLine(content);
    if (line.ends_with('\n')) line.remove_suffix(1);
    AddLine(line);
  }
}

Result<Mailmap> Mailmap::Of(const ArchiveReader& reader) {
  const auto id = reader.Resolve("HEAD:.mailmap");
  if (!id) {
    if (id.error().code == ErrorCode::kNotFound) return Mailmap();
    return std::unexpected(id.error());
  }
  const auto object = reader.Read(*id);
  if (!object) {
    if (object.error().code == ErrorCode::kNotFound) return Mailmap();
    return std::unexpected(object.error());
  }
  if (object->type != ObjectType::kBlob) return Mailmap();
  return Mailmap(
      std::string_view(reinterpret_cast<const char*>(object->content.data()),
                       object->content.size()));
}

void Mailmap::AddLine(std::string_view line) {
  if (line.starts_with('#')) return;
  MapPart wanted = TakePart(line, false);
  if (!wanted.mail) return;
  MapPart old = TakePart(line, true);
  if (!old.mail) old.mail = std::exchange(wanted.mail, std::nullopt);
  Entry& entry = entries_[LowerAscii(*old.mail)];
  if (old.name) {
    entry.by_name[LowerAscii(*old.name)] = {std::move(wanted.name),
                                            std::move(wanted.mail)};
    return;
  }
  if (wanted.name) entry.any.name = std::move(wanted.name);
  if (wanted.mail) entry.any.mail = std::move(wanted.mail);
}

bool Mailmap::Map(std::string_view& name, std::string_view& mail) const {
  if (empty()) return false;
  const auto entry = entries_.find(LowerAscii(mail));
  if (entry == entries_.end()) return false;
  const Named* to = &entry->second.any;
  if (!entry->second.by_name.empty()) {
    const auto named = entry->second.by_name.find(LowerAscii(name));
    if (named != entry->second.by_name.end()) to = &named->second;
  }
  if (to->name) name = *to->name;
  if (to->mail) mail = *to->mail;
  return to->name || to->mail;
}

std::string Mailmap::MapHeaders(std::string_view text) const {
  std::string mapped;
  while (!text.empty() && !text.starts_with('\n')) {
    const std::string_view line = TakeTextLine(text);
    const size_t begin = line.starts_with("author ")      ? 7
                         : line.starts_with("committer ") ? 10
                                                          : 0;
    const auto person =
        begin > 0 ? ParsePerson(line.substr(begin)) : std::nullopt;
    std::string_view name = person ? person->name : "";
    std::string_view mail = person ? person->mail : "";
    if (!person || !Map(name, mail)) {
      mapped += line;
      continue;
    }
    mapped.append(line.substr(0, begin)).append(name).append(" <");
    mapped.append(mail).append(">");
    mapped +=
        line.substr(static_cast<size_t>(person->mail.data() - line.data()) +
                    person->mail.size() + 1);
  }
  return mapped.append(text);
}

}  // namespace zpack::cli
