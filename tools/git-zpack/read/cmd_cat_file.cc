// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <istream>
#include <iterator>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
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

constexpr std::array kBatchModes = {"batch", "batch-check", "batch-command"};
constexpr std::array kOneModes = {"type", "size", "pretty", "exists"};

// Those that are given.
template <size_t N>
std::vector<const char*> Given(const std::array<const char*, N>& modes,
                               const po::variables_map& values) {
  std::vector<const char*> given;
  std::ranges::copy_if(modes, std::back_inserter(given),
                       [&](const char* mode) { return Has(values, mode); });
  return given;
}

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
      "batch-command", format(),
      "obey 'contents <object>', 'info <object>' and, with --buffer, 'flush' "
      "on standard input")("batch-all-objects",
                           "show all objects of the file and do not read "
                           "standard input")(
      "unordered",
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

std::optional<ObjectType> ParseType(std::string_view name) {
  for (const ObjectType type : {ObjectType::kCommit, ObjectType::kTree,
                                ObjectType::kBlob, ObjectType::kTag}) {
    if (ObjectTypeName(type) == name) return type;
  }
  return std::nullopt;
}

// As 'git cat-file <type> <object>': the content of what `name` leads to.
int PrintTyped(const ArchiveReader& reader, const po::variables_map& values,
               const std::string& type_name, const std::string& name,
               const Io& io) {
  const auto type = ParseType(type_name);
  if (!type) {
    return Fail(io,
                Error{ErrorCode::kInvalidArgument,
                      fmt::format("invalid object type \"{}\"", type_name)});
  }
  const auto named = ResolveName(reader, name, io.err);
  if (!named) return Fail(io, named.error());
  const auto id = reader.Peel(*named, *type);
  if (!id) return Fail(io, id.error());
  const auto info = reader.ReadInfo(*id);
  if (!info) return Fail(io, info.error());
  if (*type != ObjectType::kTree) {
    return PrettyPrint(reader, values, *id, *info, io);
  }
  const Status status = WriterOf(reader, values, io.out).Write(*id, *info, "");
  return status ? kDone : Fail(io, status.error());
}

int RunOne(const ArchiveReader& reader, const po::variables_map& values,
           const Io& io) {
  const std::vector<std::string> words = Texts(values, "object");
  if (Given(kOneModes, values).empty()) {
    return PrintTyped(reader, values, words.front(), words.back(), io);
  }
  const std::string& name = words.front();
  const auto id = ResolveName(reader, name, io.err);
  if (!id) {
    // Like Git: if the object is missing, an id gives exit code 1, and any
    // other name gives an error.
    if (Has(values, "exists") && id.error().code == ErrorCode::kNotFound &&
        ObjectId::FromHex(name)) {
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
  const char* const mode = Given(kBatchModes, values).front();
  const bool contents = !Has(values, "batch-check");
  auto format = BatchFormat::Parse(Texts(values, mode).front());
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
    status = PrintNamed(reader, printer,
                        {.end = nul ? '\0' : '\n',
                         .buffer = Has(values, "buffer"),
                         .commands = Has(values, "batch-command")},
                        io);
  }
  escaped.flush();
  return status ? kDone : Fail(io, status.error());
}

void CheckModes(const po::variables_map& values) {
  const std::vector<const char*> batch_modes = Given(kBatchModes, values);
  size_t batches = 0;
  for (const char* mode : batch_modes) batches += Texts(values, mode).size();
  if (batches > 1) {
    throw UsageError{"only one batch option may be specified"};
  }
  const size_t modes = batches + Given(kOneModes, values).size();
  const std::vector<std::string> words = Texts(values, "object");
  if (modes > 1 || (modes == 0 && words.size() != 2)) {
    throw UsageError{
        "give exactly one of -t, -s, -p, -e, a type, --batch, --batch-check "
        "and --batch-command"};
  }
  if (batches != 0 && !words.empty()) {
    throw UsageError{"batch modes take objects from standard input"};
  }
  if (batches == 0 && words.empty()) throw UsageError{"missing <object>"};
  if (modes == 1 && words.size() > 1) {
    throw UsageError{fmt::format("unexpected argument '{}'", words[1])};
  }
  if (Has(values, "batch-all-objects") &&
      (batches == 0 || Has(values, "batch-command"))) {
    throw UsageError{
        "'--batch-all-objects' needs '--batch' or '--batch-check'"};
  }
  for (const char* option : {"buffer", "filter", "nul", "nul-output"}) {
    if (batches == 0 && Has(values, option)) {
      throw UsageError{fmt::format(
          "'--{}' needs '--batch', '--batch-check' or '--batch-command'",
          option)};
    }
  }
}

int Run(const po::variables_map& values, const Io& io) {
  CheckModes(values);
  const bool batch = !Given(kBatchModes, values).empty();
  if (batch && !Has(values, "batch-all-objects") &&
      Text(values, "file") == "-") {
    throw UsageError{
        "batch modes take objects from standard input, so the file cannot be "
        "'-'"};
  }
  if (Has(values, "unverified-stream") &&
      (Has(values, "type") || Has(values, "size") || Has(values, "exists") ||
       Has(values, "batch-check"))) {
    throw UsageError{
        "'--unverified-stream' needs '-p', a type, '--batch' or "
        "'--batch-command'"};
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
    "   or: git-zpack cat-file [--unverified-stream] [--download] <file> "
    "<type> <object>\n"
    "   or: git-zpack cat-file (--batch [--unverified-stream] | "
    "--batch-check)[=<format>] [--batch-all-objects [--unordered]] "
    "[--filter=<filter-spec>] [--buffer] [-z | -Z] [--download] <file>\n"
    "   or: git-zpack cat-file --batch-command[=<format>] "
    "[--unverified-stream] [--filter=<filter-spec>] [--buffer] [-z | -Z] "
    "[--download] <file>",
    {"file", "object"},
    1,
    LastArgument::kRepeated,
    {{"--batch", BatchFormat::kDefault},
     {"--batch-check", BatchFormat::kDefault},
     {"--batch-command", BatchFormat::kDefault}},
    false,
    cat_file_command::AddOptions,
    cat_file_command::Run,
    {},
    true};

}  // namespace zpack::cli
