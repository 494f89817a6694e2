// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <ostream>
#include <utility>

#include "command_words.h"
#include "common_options.h"
#include "pathspec_modes.h"
#include "read/path_filter.h"
#include "read/resolve_name.h"
#include "read/tree_format.h"
#include "read/tree_walk.h"
#include "short_ids.h"
#include "zpack/archive_reader.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace ls_tree_command {
namespace {

// The value of '--abbrev' without a number.
constexpr std::string_view kUsualDigits = "auto";

void AddOptions(po::options_description& options) {
  options.add_options()(",d", "show only directories and submodules")(
      ",r", "show what directories contain, instead of the directories")(
      ",t", "with -r: show directories, too")("long,l",
                                              "show the size of each file")(
      "nul,z", "end lines in NUL, and do not quote paths")(
      "name-only", "show only paths")("name-status", "the same as --name-only")(
      "object-only", "show only ids")(
      "format", po::value<std::string>()->value_name("<format>"),
      "show each entry in this format")(
      "abbrev", po::value<std::string>()->value_name("<n>"),
      "short ids of at least <n> digits")("no-abbrev", "whole ids")(
      "full-name", "accepted for compatibility: paths are always whole")(
      "full-tree", "accepted for compatibility: the whole tree is listed");
  AddReadingOptions(options);
}

enum class Columns : uint8_t { kAll, kLong, kPath, kId, kFormat };

// Like Git, lists by these formats as without a format: a size may be 'BAD',
// and '-z' leaves paths unquoted.
constexpr std::array<std::pair<std::string_view, Columns>, 4> kColumnFormats = {
    {{"%(objectmode) %(objecttype) %(objectname)%x09%(path)", Columns::kAll},
     {"%(objectmode) %(objecttype) %(objectname) %(objectsize:padded)%x09"
      "%(path)",
      Columns::kLong},
     {"%(path)", Columns::kPath},
     {"%(objectname)", Columns::kId}}};

// What to show, from the options.
struct Listing {
  Columns columns = Columns::kAll;
  std::string format = {};              // of Columns::kFormat
  std::optional<size_t> id_digits = 0;  // as ShortIds has them
  bool recursive = false;
  bool only_trees = false;
  bool trees = false;  // those whose content is shown, too
  char end = '\n';
};

// The option that says which columns to show; empty without one.
std::string ColumnsOption(const po::variables_map& values) {
  constexpr std::array<std::string_view, 4> kNames = {
      "long", "name-only", "name-status", "object-only"};
  std::string given;
  for (const CommandWord& word : WordsInOrder(values)) {
    if (std::ranges::find(kNames, word.option) == kNames.end()) continue;
    if (!given.empty() && word.option != given) {
      throw UsageError{
          fmt::format("options '--{}' and '--{}' cannot be used together",
                      word.option, given)};
    }
    given = word.option;
  }
  return given;
}

Columns ColumnsOf(const po::variables_map& values) {
  const std::string option = ColumnsOption(values);
  if (Has(values, "format")) {
    if (!option.empty()) {
      throw UsageError{
          "--format can't be combined with other format-altering options"};
    }
    const std::string format = Text(values, "format");
    const auto* const known = std::ranges::find(
        kColumnFormats, format, [](const auto& pair) { return pair.first; });
    return known == kColumnFormats.end() ? Columns::kFormat : known->second;
  }
  if (option == "long") return Columns::kLong;
  if (option == "object-only") return Columns::kId;
  return option.empty() ? Columns::kAll : Columns::kPath;
}

// Like Git, the last option counts, fewer than four digits are four, and 0
// means all.
std::optional<size_t> DigitsOfIds(const po::variables_map& values) {
  constexpr int64_t kLeastShortDigits = 4;
  using Limits = std::numeric_limits<int64_t>;
  std::string_view last;
  for (const CommandWord& word : WordsInOrder(values)) {
    if (word.option.ends_with("abbrev")) last = word.option;
  }
  if (last != "abbrev") return 0;
  if (Text(values, "abbrev") == kUsualDigits) return std::nullopt;
  const int64_t digits =
      Number(values, "abbrev", Limits::min(), Limits::max(), 0);
  if (digits == 0) return 0;
  return static_cast<size_t>(std::max(digits, kLeastShortDigits));
}

Listing ListingOf(const po::variables_map& values) {
  Listing listing;
  listing.columns = ColumnsOf(values);
  listing.format = Text(values, "format");
  listing.id_digits = DigitsOfIds(values);
  listing.recursive = Has(values, "-r");
  listing.only_trees = Has(values, "-d");
  listing.trees =
      Has(values, "-t") || (listing.recursive && listing.only_trees);
  if (Has(values, "nul")) listing.end = '\0';
  return listing;
}

class ItemPrinter {
 public:
  ItemPrinter(const ArchiveReader& reader, const Listing& listing,
              std::ostream& out)
      : reader_(reader),
        listing_(listing),
        ids_(reader, listing.id_digits),
        out_(out) {}

  Status Print(const TreeItem& item, std::string_view base) {
    path_ = base;
    path_ += item.name;
    auto line = LineOf(item);
    if (!line) return std::unexpected(line.error());
    out_ << *line << listing_.end;
    return {};
  }

 private:
  Result<std::string> LineOf(const TreeItem& item) const {
    if (listing_.columns == Columns::kPath) return PathText();
    if (listing_.columns == Columns::kFormat) {
      return ExpandTreeFormat(listing_.format, [&](std::string_view name) {
        return ValueOf(item, name);
      });
    }
    const auto id = ids_.Of(item.id);
    if (!id || listing_.columns == Columns::kId) return id;
    std::string line = fmt::format("{:06o} {} {}", item.mode,
                                   ObjectTypeName(item.type()), *id);
    if (listing_.columns == Columns::kLong) {
      auto size = SizeOf(item);
      if (!size && size.error().code != ErrorCode::kNotFound) return size;
      // As Git writes it, for an object that is missing.
      line += fmt::format(" {:>7}", size.value_or("BAD"));
    }
    return fmt::format("{}\t{}", line, PathText());
  }

  Result<std::optional<std::string>> ValueOf(const TreeItem& item,
                                             std::string_view name) const {
    if (name == "objectmode") return fmt::format("{:06o}", item.mode);
    if (name == "objecttype") return std::string(ObjectTypeName(item.type()));
    if (name == "objectname") return ids_.Of(item.id);
    if (name == "path") return QuotedPath();
    if (name != "objectsize" && name != "objectsize:padded") {
      return std::nullopt;
    }
    const auto size = SizeOf(item);
    if (!size && size.error().code == ErrorCode::kNotFound) {
      return std::unexpected(
          Error{ErrorCode::kNotFound,
                fmt::format("could not get object info about '{}'",
                            item.id.ToHex())});
    }
    if (!size) return std::unexpected(size.error());
    return name == "objectsize" ? *size : fmt::format("{:>7}", *size);
  }

  std::string QuotedPath() const {
    return QuoteName(path_, kWholeName, BeyondAscii::kEscape);
  }
  std::string PathText() const {
    return listing_.end == '\0' ? path_ : QuotedPath();
  }

  // kNotFound: the object is missing.
  Result<std::string> SizeOf(const TreeItem& item) const {
    if (item.type() != ObjectType::kBlob) return "-";
    const auto info = reader_.ReadInfo(item.id);
    if (!info) return std::unexpected(info.error());
    return fmt::format("{}", info->size);
  }

  const ArchiveReader& reader_;
  const Listing& listing_;
  const ShortIds ids_;
  std::ostream& out_;
  std::string path_;  // of the entry that is printed
};

Result<Descend> Visit(const TreeItem& item, std::string_view base,
                      const Listing& listing, const PathFilter& paths,
                      ItemPrinter& printer) {
  if (!paths.Passes(item, base)) return Descend::kSkip;
  Descend descend = Descend::kSkip;
  if (item.is_tree() && (listing.recursive || paths.LeadsInto(item, base))) {
    descend = Descend::kEnter;
  }
  const bool shown =
      descend == Descend::kEnter
          ? listing.trees
          : !listing.only_trees || item.type() != ObjectType::kBlob;
  if (shown) {
    const Status printed = printer.Print(item, base);
    if (!printed) return std::unexpected(printed.error());
  }
  return descend;
}

int Run(const po::variables_map& values, const Io& io) {
  const Listing listing = ListingOf(values);
  RefusePathspecModes(Texts(values, "path"));
  const auto paths = PathFilter::Parse(Texts(values, "path"));
  if (!paths) return Fail(io, paths.error());
  const auto reader = ArchiveReader::Open(FileToRead(values),
                                          ReadContext(values, io).options());
  if (!reader) return Fail(io, reader.error());
  const auto id = ResolveName(**reader, Text(values, "tree-ish"), io.err);
  if (!id) return Fail(io, id.error());
  const auto tree = (*reader)->Peel(*id, ObjectType::kTree);
  if (!tree) return Fail(io, tree.error());
  ItemPrinter printer(**reader, listing, io.out);
  const Status walked = WalkTree(
      **reader, *tree, [&](const TreeItem& item, std::string_view base) {
        return Visit(item, base, listing, *paths, printer);
      });
  return walked ? kDone : Fail(io, walked.error());
}

}  // namespace
}  // namespace ls_tree_command

const Command kLsTreeCommand = {
    "ls-tree",
    "List the content of a tree in a .zpack file",
    "[-d] [-r] [-t] [-l] [-z] [--name-only | "
    "--object-only | --format=<format>] "
    "[--abbrev[=<n>]] [--download] <file> <tree-ish> "
    "[<path>...]",
    {"file", "tree-ish", "path"},
    1,
    LastArgument::kRepeated,
    {{"--abbrev", ls_tree_command::kUsualDigits}},
    false,
    ls_tree_command::AddOptions,
    ls_tree_command::Run,
    {},
    true};

}  // namespace zpack::cli
