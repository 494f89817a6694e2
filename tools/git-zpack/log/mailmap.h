// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The names and mails that people want to be called by (gitmailmap(5)).
// Thread-compatible.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "zpack/archive_reader.h"
#include "zpack/result.h"

namespace zpack::cli {

class Mailmap {
 public:
  Mailmap() = default;
  explicit Mailmap(std::string_view content);
  // The one that Git reads in a bare repository: HEAD:.mailmap. Empty if there
  // is none. Errors: those of ArchiveReader::Read.
  static Result<Mailmap> Of(const ArchiveReader& reader);

  bool empty() const { return entries_.empty(); }

  // Replaces name and mail. The views point into this object then. False if
  // the person is not in the map.
  bool Map(std::string_view& name, std::string_view& mail) const;

  // `text`, which begins with the headers of a commit, with the persons of its
  // headers 'author' and 'committer' replaced.
  std::string MapHeaders(std::string_view text) const;

 private:
  struct Named {
    std::optional<std::string> name;
    std::optional<std::string> mail;
  };
  struct Entry {
    Named any;                             // whatever the old name is
    std::map<std::string, Named> by_name;  // the old name, in lower case
  };

  void AddLine(std::string_view line);

  std::map<std::string, Entry> entries_;  // by the old mail, in lower case
};

}  // namespace zpack::cli
