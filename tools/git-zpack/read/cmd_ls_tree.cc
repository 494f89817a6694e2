// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <ostream>

#include "common_options.h"
#include "read/path_filter.h"
#include "read/resolve_name.h"
#include "read/tree_walk.h"
#include "zpack/archive_reader.h"
#include "zpack/quote.h"

namespace zpack::cli {
namespace ls_tree_command {
namespace {

void AddOptions(po::options_description& options) {
  options.add_options()(",d", "show only directories and submodules")(
      ",r", "show what directories contain, instead of the directories")(
      ",t", "with -r: show directories, too")("long,l",
                                              "show the size of each file")(
      "nul,z", "end lines in NUL, and do not quote paths")(
      "name-only", "show only paths")("name-status", "the same as --name-only")(
      "object-only", "show only ids")(
      "full-name", "accepted for compatibility: paths are always whole")(
      "full-tree", "accepted for compatibility: the whole tree is listed");
  AddReadingOptions(options);
}

enum class Columns : uint8_t { kAll, kLong, kPath, kId };

// What to show, from the options.
struct Listing {
  Columns columns = Columns::kAll;
  bool recursive = false;
  bool only_trees = false;
  bool trees = false;  // those whose content is shown, too
  char end = '\n';
};

Columns ColumnsOf(const po::variables_map& values) {
  const int paths = Has(values, "name-only") + Has(values, "name-status");
  const bool ids = Has(values, "object-only");
  const bool sizes = Has(values, "long");
  if (paths + ids + sizes > 1) {
    throw UsageError{
        "give one of '--long', '--name-only', '--name-status' and "
        "'--object-only'"};
  }
  if (paths > 0) return Columns::kPath;
  if (ids) return Columns::kId;
  return sizes ? Columns::kLong : Columns::kAll;
}

Listing ListingOf(const po::variables_map& values) {
  Listing listing;
  listing.columns = ColumnsOf(values);
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
      : reader_(reader), listing_(listing), out_(out) {}

  Status Print(const TreeItem& item, std::string_view base) {
    if (listing_.columns == Columns::kId) {
      out_ << item.id.ToHex() << listing_.end;
      return {};
    }
    if (listing_.columns != Columns::kPath) {
      out_ << fmt::format("{:06o} {} {}", item.mode,
                          ObjectTypeName(item.type()), item.id.ToHex());
      if (listing_.columns == Columns::kLong) {
        const auto size = SizeOf(item);
        if (!size) return std::unexpected(size.error());
        out_ << fmt::format(" {:>7}", *size);
      }
      out_ << '\t';
    }
    path_ = base;
    path_ += item.name;
    out_ << (listing_.end == '\0'
                 ? path_
                 : QuoteName(path_, kWholeName, BeyondAscii::kEscape))
         << listing_.end;
    return {};
  }

 private:
  Result<std::string> SizeOf(const TreeItem& item) const {
    if (item.type() != ObjectType::kBlob) return "-";
    const auto info = reader_.ReadInfo(item.id);
    if (info) return fmt::format("{}", info->size);
    // As Git writes it, for an object that is missing.
    if (info.error().code == ErrorCode::kNotFound) return "BAD";
    return std::unexpected(info.error());
  }

  const ArchiveReader& reader_;
  const Listing& listing_;
  std::ostream& out_;
  std::string path_;
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

const Command kLsTreeCommand = {"ls-tree",
                                "List the content of a tree in a .zpack file",
                                "[-d] [-r] [-t] [-l] [-z] [--name-only | "
                                "--object-only] [--download] <file> <tree-ish> "
                                "[<path>...]",
                                {"file", "tree-ish", "path"},
                                1,
                                LastArgument::kRepeated,
                                {},
                                false,
                                ls_tree_command::AddOptions,
                                ls_tree_command::Run,
                                {},
                                true};

}  // namespace zpack::cli
