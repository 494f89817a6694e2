// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "search_class.h"

#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ahead_iterator.h"
#include "python_class.h"
#include "python_errors.h"
#include "python_text.h"
#include "zpack/line_search.h"
#include "zpack/search.h"

namespace zpack::python {
namespace {

namespace py = pybind11;

struct FoundLine {
  std::string path;
  ObjectId blob;
  uint64_t line = 0;
  std::string text;

  uint64_t Weight() const {
    return sizeof(FoundLine) + path.size() + text.size();
  }
};

struct FoundHistory {
  FoundLine line;
  std::optional<ObjectId> brought;
  std::optional<ObjectId> removed;
  bool present = false;

  uint64_t Weight() const {
    return sizeof(FoundHistory) - sizeof(FoundLine) + line.Weight();
  }
};

struct FoundVersion {
  std::string path;
  ObjectId blob;
  uint64_t lines = 0;
  bool binary = false;

  uint64_t Weight() const { return sizeof(FoundVersion) + path.size(); }
};

py::object& SearchClass(const char* name) {
  return ClassOf("zpack.search", name);
}

// Checks the patterns, which takes long if there are many.
void Check(const LineQuery& query) {
  auto compiled = [&]() -> Status {
    const Unlocked unlocked;
    const auto search = LineSearch::Compile(query);
    if (!search) return std::unexpected(search.error());
    return {};
  }();
  ValueOf(std::move(compiled));
}

bool IsSet(const py::dict& values, const char* name) {
  return values[name].cast<bool>();
}

SearchOptions OptionsOf(const py::dict& values) {
  SearchOptions options;
  LineQuery& query = options.query;
  for (const py::handle pattern : values["patterns"]) {
    query.tokens.push_back(
        {QueryToken::Kind::kPattern, pattern.cast<std::string>(), {}});
  }
  query.syntax = static_cast<PatternSyntax>(values["syntax"].cast<int>());
  query.ignore_case = IsSet(values, "ignore_case");
  query.words = IsSet(values, "words");
  query.invert = IsSet(values, "invert");
  query.all_match = IsSet(values, "all_match");
  options.pathspecs = values["paths"].cast<std::vector<std::string>>();
  options.binary = static_cast<BinaryFiles>(values["binary"].cast<int>());
  options.threads = values["threads"].cast<unsigned>();
  Check(query);
  return options;
}

template <typename Options>
Options WithBase(SearchOptions base) {
  Options options;
  static_cast<SearchOptions&>(options) = std::move(base);
  return options;
}

Result<Visit> TakeLines(const SearchedFile& file,
                        const AheadIterator<FoundLine>::Take& take) {
  if (file.binary) return take({std::string(file.path), file.id, 0, {}});
  for (const MatchingLine& line : file.lines) {
    const auto text = file.text.substr(line.begin, line.end - line.begin);
    const Visit next =
        take({std::string(file.path), file.id, line.number, std::string(text)});
    if (next == Visit::kStop) return next;
  }
  return Visit::kContinue;
}

py::object IdOf(const std::optional<ObjectId>& id) {
  if (!id) return py::none();
  return py::str(id->ToHex());
}

}  // namespace

py::object MakeTreeSearch(std::shared_ptr<ArchiveReader> reader,
                          std::shared_ptr<Users> users, const ObjectId& root,
                          const py::dict& values) {
  auto options = WithBase<TreeSearchOptions>(OptionsOf(values));
  options.max_depth = values["max_depth"].cast<std::optional<uint32_t>>();
  const auto work = [reader = std::move(reader), root, options](
                        const std::stop_token& stop,
                        const AheadIterator<FoundLine>::Take& take) -> Status {
    TreeSearchOptions own = options;
    own.stop = stop;
    return reader->SearchTree(root, own, [&](const SearchedFile& file) {
      return TakeLines(file, take);
    });
  };
  return py::cast(MakeIterator<FoundLine>(work, std::move(users)));
}

py::object MakeHistorySearch(std::shared_ptr<ArchiveReader> reader,
                             std::shared_ptr<Users> users,
                             const py::dict& values) {
  const auto options = WithBase<HistorySearchOptions>(OptionsOf(values));
  const auto work =
      [reader = std::move(reader), options](
          const std::stop_token& stop,
          const AheadIterator<FoundHistory>::Take& take) -> Status {
    HistorySearchOptions own = options;
    own.stop = stop;
    return reader->SearchHistory(
        own, [&](const HistoryMatch& match) -> Result<Visit> {
          return take({{std::string(match.path), match.blob, match.line,
                        std::string(match.text)},
                       match.brought,
                       match.removed,
                       match.present});
        });
  };
  return py::cast(MakeIterator<FoundHistory>(work, std::move(users)));
}

py::object MakeVersionSearch(std::shared_ptr<ArchiveReader> reader,
                             std::shared_ptr<Users> users,
                             const py::dict& values) {
  auto options = WithBase<HistorySearchOptions>(OptionsOf(values));
  options.all_blobs = IsSet(values, "all_blobs");
  const auto work =
      [reader = std::move(reader), options](
          const std::stop_token& stop,
          const AheadIterator<FoundVersion>::Take& take) -> Status {
    HistorySearchOptions own = options;
    own.stop = stop;
    return reader->SearchVersions(
        own, [&](const MatchingBlob& blob) -> Result<Visit> {
          return take(
              {std::string(blob.path), blob.id, blob.lines, blob.binary});
        });
  };
  return py::cast(MakeIterator<FoundVersion>(work, std::move(users)));
}

void DefineSearches(py::module_& module) {
  DefineIterator<FoundLine>(
      module, "MatchIterator",
      [&type = SearchClass("Match")](const FoundLine& found) {
        return type(TextOf(found.path), found.blob.ToHex(), found.line,
                    py::bytes(found.text));
      });
  DefineIterator<FoundHistory>(
      module, "HistoryMatchIterator",
      [&type = SearchClass("HistoryMatch")](const FoundHistory& found) {
        return type(TextOf(found.line.path), found.line.blob.ToHex(),
                    found.line.line, py::bytes(found.line.text),
                    IdOf(found.brought), IdOf(found.removed), found.present);
      });
  DefineIterator<FoundVersion>(
      module, "MatchingBlobIterator",
      [&type = SearchClass("MatchingBlob")](const FoundVersion& found) {
        return type(TextOf(found.path), found.blob.ToHex(), found.lines,
                    found.binary);
      });
}

void AddSearchMethods(const py::object& archive) {
  const auto module = py::module_::import("zpack.search");
  for (const char* const name : {"grep", "grep_history", "grep_versions"}) {
    archive.attr(name) = module.attr(name);
  }
}

}  // namespace zpack::python
