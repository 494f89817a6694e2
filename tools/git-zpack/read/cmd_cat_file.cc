// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "common_options.h"
#include "huge_heaps.h"
#include "read/batch_printer.h"
#include "read/content_writer.h"
#include "read/resolve_name.h"
#include "read/tree_printer.h"
#include "terminal_text.h"
#include "zpack/archive_reader.h"

namespace zpack::cli {
namespace cat_file_command {
namespace {

constexpr std::array kModes = {"type",   "size",  "pretty",
                               "exists", "batch", "batch-check"};

void AddOptions(po::options_description& options) {
  // Each time, since it may be given once only.
  const auto format = [] {
    return po::value<std::vector<std::string>>()->composing()->value_name(
        "<format>");
  };
  options.add_options()("type,t", "show the object's type")(
      "size,s", "show the object's size")("pretty,p",
                                          "print the object's content")(
      "exists,e", "print nothing; exit with 1 if the object does not exist")(
      "batch", format(),
      "show type, size and content of each object named on standard input")(
      "batch-check", format(), "like --batch, without the content")(
      "batch-all-objects",
      "show all objects of the file and do not read "
      "standard input")("unordered",
                        "with --batch-all-objects: in storage order, which is "
                        "faster")(
      "buffer",
      "read many names before their objects are printed, which is faster")(
      "nul,z", "names on standard input end in NUL, not in a line feed")(
      "nul-output,Z", "like -z, also for what is printed")(
      "filter", po::value<std::string>()->value_name("<filter-spec>"),
      "show only objects of this type or size, such as 'blob:none'")(
      "unverified-stream",
      "print objects above 256 MiB before their hash is checked, instead of "
      "writing them to a temporary file first");
  AddReadingOptions(options);
}

ContentWriter WriterOf(const ArchiveReader& reader,
                       const po::variables_map& values, std::ostream& out) {
  return {reader, ReadOptions{}.cache_size,
          Has(values, "unverified-stream") ? LargeContent::kStream
                                           : LargeContent::kSpool,
          out};
}

int PrettyPrint(const ArchiveReader& reader, const po::variables_map& values,
                const ObjectId& id, const ObjectInfo& info, const Io& io) {
  // Contents of blobs are printed as they are, as by Git.
  if (io.out_is_terminal &&
      (info.type == ObjectType::kCommit || info.type == ObjectType::kTag)) {
    TerminalText text(io.out);
    std::ostream out(&text);
    const Status status = WriterOf(reader, values, out).Write(id, info, "");
    return status ? kDone : Fail(io, status.error());
  }
  if (info.type != ObjectType::kTree) {
    const Status status = WriterOf(reader, values, io.out).Write(id, info, "");
    return status ? kDone : Fail(io, status.error());
  }
  const auto tree = reader.Read(id);
  if (!tree) return Fail(io, tree.error());
  const auto text = FormatTree(tree->content, reader.object_format());
  if (!text) return Fail(io, text.error());
  io.out << *text;
  return kDone;
}

int RunOne(const ArchiveReader& reader, const po::variables_map& values,
           const Io& io) {
  if (!Has(values, "object")) throw UsageError{"missing <object>"};
  const auto id = ResolveName(reader, Text(values, "object"), io.err);
  if (!id) {
    // Like Git: if the object is missing, an id gives exit code 1, and any
    // other name gives an error.
    if (Has(values, "exists") && id.error().code == ErrorCode::kNotFound &&
        ObjectId::FromHex(Text(values, "object"))) {
      return kNo;
    }
    return Fail(io, id.error());
  }
  if (Has(values, "exists")) {
    const auto exists = reader.Contains(*id);
    if (!exists) return Fail(io, exists.error());
    return *exists ? kDone : kNo;
  }
  const auto info = reader.ReadInfo(*id);
  if (!info) return Fail(io, info.error());
  if (Has(values, "type")) {
    io.out << ObjectTypeName(info->type) << '\n';
  } else if (Has(values, "size")) {
    io.out << info->size << '\n';
  } else {
    return PrettyPrint(reader, values, *id, *info, io);
  }
  return kDone;
}

int RunBatch(const ArchiveReader& reader, const po::variables_map& values,
             const Io& io) {
  const bool contents = Has(values, "batch");
  auto format = BatchFormat::Parse(
      Texts(values, contents ? "batch" : "batch-check").front());
  if (!format) return Fail(io, format.error());
  BatchOutput output;
  output.format = *std::move(format);
  if (contents) output.contents.emplace(WriterOf(reader, values, io.out));
  if (Has(values, "nul-output")) output.end = '\0';
  if (Has(values, "filter")) {
    const auto filter = ParseObjectFilter(Text(values, "filter"));
    if (!filter) return Fail(io, filter.error());
    if (filter->tree_depth != ObjectFilter::kNoLimit) {
      throw UsageError{"objects filter not supported: 'tree'"};
    }
    output.filter = *filter;
  }
  TerminalText text(io.out);
  std::ostream escaped(&text);
  BatchPrinter printer(reader, std::move(output),
                       io.out_is_terminal && !contents ? escaped : io.out);
  Status status;
  if (Has(values, "batch-all-objects")) {
    status =
        PrintAll(reader, printer,
                 Has(values, "unordered") ? IdOrder::kStorage : IdOrder::kId);
  } else {
    const bool nul = Has(values, "nul") || Has(values, "nul-output");
    status = PrintNamed(
        reader, printer,
        {.end = nul ? '\0' : '\n', .buffer = Has(values, "buffer")}, io);
  }
  escaped.flush();
  return status ? kDone : Fail(io, status.error());
}

int Run(const po::variables_map& values, const Io& io) {
  const auto given = std::ranges::count_if(
      kModes, [&](const char* mode) { return Has(values, mode); });
  if (given != 1) {
    throw UsageError{
        "give exactly one of -t, -s, -p, -e, --batch and --batch-check"};
  }
  if (Texts(values, "batch").size() + Texts(values, "batch-check").size() > 1) {
    throw UsageError{"only one batch option may be specified"};
  }
  const bool batch = Has(values, "batch") || Has(values, "batch-check");
  if (!batch && Has(values, "batch-all-objects")) {
    throw UsageError{
        "'--batch-all-objects' needs '--batch' or '--batch-check'"};
  }
  for (const char* option : {"buffer", "filter", "nul", "nul-output"}) {
    if (!batch && Has(values, option)) {
      throw UsageError{
          fmt::format("'--{}' needs '--batch' or '--batch-check'", option)};
    }
  }
  if (batch && Has(values, "object")) {
    throw UsageError{"batch modes take objects from standard input"};
  }
  if (batch && !Has(values, "batch-all-objects") &&
      Text(values, "file") == "-") {
    throw UsageError{
        "batch modes take objects from standard input, so the file cannot be "
        "'-'"};
  }
  if (Has(values, "unverified-stream") && !Has(values, "pretty") &&
      !Has(values, "batch")) {
    throw UsageError{"'--unverified-stream' needs '-p' or '--batch'"};
  }
  if (batch) UseHugePages();
  const auto reader = ArchiveReader::Open(FileToRead(values),
                                          ReadContext(values, io).options());
  if (!reader) return Fail(io, reader.error());
  return batch ? RunBatch(**reader, values, io) : RunOne(**reader, values, io);
}

}  // namespace
}  // namespace cat_file_command

const Command kCatFileCommand = {
    "cat-file",
    "Show type, size or content of objects in a .zpack file",
    "(-t | -s | -e | -p [--unverified-stream]) [--download] <file> <object>\n"
    "   or: git-zpack cat-file (--batch [--unverified-stream] | "
    "--batch-check)[=<format>] [--batch-all-objects [--unordered]] "
    "[--filter=<filter-spec>] [--buffer] [-z | -Z] [--download] <file>",
    {"file", "object"},
    1,
    LastArgument::kOnce,
    {{"--batch", BatchFormat::kDefault},
     {"--batch-check", BatchFormat::kDefault}},
    false,
    cat_file_command::AddOptions,
    cat_file_command::Run,
    {},
    true};

}  // namespace zpack::cli
