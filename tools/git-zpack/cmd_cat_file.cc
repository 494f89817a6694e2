// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <istream>
#include <optional>
#include <ostream>

#include "batch_format.h"
#include "common_options.h"
#include "content_writer.h"
#include "tree_printer.h"
#include "zpack/archive_reader.h"

namespace zpack::cli {
namespace {

constexpr std::array kModes = {"type",   "size",  "pretty",
                               "exists", "batch", "batch-check"};

void AddOptions(po::options_description& options) {
  const auto format = [] {
    return po::value<std::string>()->value_name("<format>");
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
      "unverified-stream",
      "print objects above 256 MiB before their hash is checked, instead of "
      "writing them to a temporary file first");
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
  const auto id = reader.Resolve(Text(values, "object"));
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

// Returns false if no object, or more than one, has the name; otherwise the
// error.
Result<bool> Missing(const Error& error) {
  if (error.code == ErrorCode::kNotFound ||
      error.code == ErrorCode::kAmbiguous) {
    return false;
  }
  return std::unexpected(error);
}

// Prints the objects of a batch.
class BatchPrinter {
 public:
  // If `contents` is empty, prints only types and sizes.
  BatchPrinter(const ArchiveReader& reader, BatchFormat format,
               std::optional<ContentWriter> contents, std::ostream& out)
      : reader_(reader),
        format_(std::move(format)),
        contents_(contents),
        out_(out) {}

  const BatchFormat& format() const { return format_; }

  Status Print(const ObjectId& id, std::string_view rest) {
    const auto info = reader_.ReadInfo(id);
    if (!info) return std::unexpected(info.error());
    const std::string line = format_.Expand(id, *info, rest) + '\n';
    if (!contents_) {
      out_ << line;
      return {};
    }
    const Status status = contents_->Write(id, *info, line);
    if (status) out_ << '\n';
    return status;
  }

  // Prints the object of a name from the input.
  Status PrintNamed(std::string_view name, std::string_view rest) {
    const auto id = reader_.Resolve(name);
    const auto exists = id ? reader_.Contains(*id) : Missing(id.error());
    if (!exists) return std::unexpected(exists.error());
    if (*exists) return Print(*id, rest);
    const bool ambiguous = !id && id.error().code == ErrorCode::kAmbiguous;
    out_ << name << (ambiguous ? " ambiguous\n" : " missing\n");
    return {};
  }

 private:
  const ArchiveReader& reader_;
  BatchFormat format_;
  std::optional<ContentWriter> contents_;
  std::ostream& out_;
};

// Prints objects with their contents in the given order, but reads them in
// storage order, as many together as fit into memory. Otherwise a block would
// be decoded again for each of its objects.
class AheadPrinter {
 public:
  AheadPrinter(const ArchiveReader& reader, BatchPrinter& printer)
      : reader_(reader), printer_(printer) {}

  Status Add(const ObjectId& id) {
    const auto info = reader_.ReadInfo(id);
    // Limits the size, so that a sum cannot overflow, whatever the file states.
    const uint64_t size = info ? std::min(info->size, kMaxBytes + 1) : 0;
    if (bytes_ + size > kMaxBytes || ids_.size() == kMaxObjects) {
      if (Status status = Flush(); !status) return status;
    }
    ids_.push_back(id);
    bytes_ += size;
    return {};
  }
  Status Flush() {
    // Reading ahead does not help with a single object.
    if (ids_.size() > 1) {
      if (Status status = reader_.ReadAhead(ids_); !status) return status;
    }
    for (const ObjectId& id : ids_) {
      if (Status status = printer_.Print(id, ""); !status) return status;
    }
    ids_.clear();
    bytes_ = 0;
    return {};
  }

 private:
  static constexpr uint64_t kMaxBytes = uint64_t{96} << 20;
  static constexpr size_t kMaxObjects = size_t{1} << 18;

  const ArchiveReader& reader_;
  BatchPrinter& printer_;
  std::vector<ObjectId> ids_;
  uint64_t bytes_ = 0;
};

Status PrintAll(const ArchiveReader& reader, const po::variables_map& values,
                BatchPrinter& printer) {
  if (Has(values, "unordered") || !Has(values, "batch")) {
    return reader.ForEachId(
        Has(values, "unordered") ? IdOrder::kStorage : IdOrder::kId,
        [&](const ObjectId& id) { return GoOn(printer.Print(id, "")); });
  }
  AheadPrinter ahead(reader, printer);
  const Status added = reader.ForEachId(
      IdOrder::kId, [&](const ObjectId& id) { return GoOn(ahead.Add(id)); });
  return added ? ahead.Flush() : added;
}

Status PrintFromInput(BatchPrinter& printer, const Io& io) {
  std::string line;
  while (std::getline(io.in, line)) {
    // Like Git, accepts lines that end in CR LF.
    if (line.ends_with('\r')) line.pop_back();
    std::string_view name = line;
    std::string_view rest;
    if (printer.format().uses_rest()) {
      const size_t end = std::min(name.find_first_of(" \t"), name.size());
      rest = name.substr(end);
      const size_t start = std::min(rest.find_first_not_of(" \t"), rest.size());
      rest = rest.substr(start);
      name = name.substr(0, end);
    }
    const Status status = printer.PrintNamed(name, rest);
    if (!status) return status;
    // The caller may wait for the answer before it sends the next line.
    io.out.flush();
  }
  return {};
}

int RunBatch(const ArchiveReader& reader, const po::variables_map& values,
             const Io& io) {
  const bool contents = Has(values, "batch");
  auto format =
      BatchFormat::Parse(Text(values, contents ? "batch" : "batch-check"));
  if (!format) return Fail(io, format.error());
  BatchPrinter printer(
      reader, *std::move(format),
      contents ? std::optional(WriterOf(reader, values, io.out)) : std::nullopt,
      io.out);
  const Status status = Has(values, "batch-all-objects")
                            ? PrintAll(reader, values, printer)
                            : PrintFromInput(printer, io);
  return status ? kDone : Fail(io, status.error());
}

int Run(const po::variables_map& values, const Io& io) {
  const auto given = std::ranges::count_if(
      kModes, [&](const char* mode) { return Has(values, mode); });
  if (given != 1) {
    throw UsageError{
        "give exactly one of -t, -s, -p, -e, --batch and --batch-check"};
  }
  const bool batch = Has(values, "batch") || Has(values, "batch-check");
  if (!batch && Has(values, "batch-all-objects")) {
    throw UsageError{
        "'--batch-all-objects' needs '--batch' or '--batch-check'"};
  }
  if (Has(values, "unordered") && !Has(values, "batch-all-objects")) {
    throw UsageError{"'--unordered' needs '--batch-all-objects'"};
  }
  if (batch && Has(values, "object")) {
    throw UsageError{"batch modes take objects from standard input"};
  }
  if (Has(values, "unverified-stream") && !Has(values, "pretty") &&
      !Has(values, "batch")) {
    throw UsageError{"'--unverified-stream' needs '-p' or '--batch'"};
  }
  const auto reader = ArchiveReader::Open(Text(values, "file"), ReadOptions{});
  if (!reader) return Fail(io, reader.error());
  return batch ? RunBatch(**reader, values, io) : RunOne(**reader, values, io);
}

}  // namespace

const Command kCatFileCommand = {
    "cat-file",
    "Show type, size or content of objects in a .zpack file",
    "(-t | -s | -e | -p [--unverified-stream]) <file> <object>\n"
    "   or: git-zpack cat-file (--batch [--unverified-stream] | "
    "--batch-check)[=<format>] [--batch-all-objects [--unordered]] <file>",
    {"file", "object"},
    1,
    LastArgument::kOnce,
    {{"--batch", BatchFormat::kDefault},
     {"--batch-check", BatchFormat::kDefault}},
    false,
    AddOptions,
    Run};

}  // namespace zpack::cli
