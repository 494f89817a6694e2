// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "read/batch_printer.h"

#include <algorithm>
#include <istream>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "common_options.h"
#include "read/batch_command.h"
#include "read/resolve_name.h"
#include "read/unapplied_grafts.h"

namespace zpack::cli {
namespace {

// What one name on standard input stands for.
struct Named {
  std::string name = {};
  std::string rest = {};
  bool contents = true;             // whether these are printed, if any are
  std::optional<ObjectId> id = {};  // or `why` there is none
  ErrorCode why = ErrorCode::kNotFound;
};

Status PrintOne(const Named& named, BatchPrinter& printer) {
  if (named.id) {
    return printer.PrintNamed(named.name, *named.id, named.rest,
                              named.contents);
  }
  printer.PrintMissing(named.name, named.why);
  return {};
}

// Prints objects with their contents in the given order, but reads them in
// storage order, as many together as fit into memory. Otherwise a block would
// be decoded again for each of its objects.
class AheadPrinter {
 public:
  AheadPrinter(const ArchiveReader& reader, BatchPrinter& printer)
      : reader_(reader), printer_(printer) {}

  Status Add(Named named) {
    uint64_t size = named.name.size() + named.rest.size();
    bool needs_content = false;
    if (named.id && named.contents) {
      const auto info = reader_.ReadInfo(*named.id);
      // Limited, so that a sum cannot overflow, whatever the file states.
      if (info && printer_.filter().Passes(*info)) {
        size += std::min(info->size, kMaxBytes + 1);
        needs_content = true;
      }
    }
    if (bytes_ + size > kMaxBytes || waiting_.size() == kMaxObjects) {
      if (Status status = Flush(); !status) return status;
    }
    if (needs_content) ids_.push_back(*named.id);
    waiting_.push_back(std::move(named));
    bytes_ += size;
    return {};
  }

  Status Flush() {
    // Reading ahead loads the whole index.
    if (ids_.size() >= kMinObjects) {
      if (Status status = reader_.ReadAhead(ids_); !status) return status;
    }
    for (const Named& named : waiting_) {
      if (Status status = PrintOne(named, printer_); !status) return status;
    }
    waiting_.clear();
    ids_.clear();
    bytes_ = 0;
    return {};
  }

 private:
  static constexpr uint64_t kMaxBytes = uint64_t{96} << 20;
  static constexpr size_t kMaxObjects = size_t{1} << 18;
  static constexpr size_t kMinObjects = 64;

  const ArchiveReader& reader_;
  BatchPrinter& printer_;
  std::vector<Named> waiting_;
  std::vector<ObjectId> ids_;  // of those whose contents are printed
  uint64_t bytes_ = 0;
};

// Looks up the object of a line of input. Fails if it cannot be known whether
// there is one.
Result<Named> Resolve(const ArchiveReader& reader, std::string_view line,
                      bool uses_rest) {
  std::string_view name = line;
  std::string_view rest;
  if (uses_rest) {
    const size_t end = std::min(name.find_first_of(" \t"), name.size());
    rest = name.substr(end);
    rest = rest.substr(std::min(rest.find_first_not_of(" \t"), rest.size()));
    name = name.substr(0, end);
  }
  Named named{.name = std::string(name), .rest = std::string(rest)};
  const auto id = reader.Resolve(name);
  if (id) {
    const auto exists = reader.Contains(*id);
    if (!exists) return std::unexpected(exists.error());
    if (*exists) named.id = *id;
  } else if (id.error().code == ErrorCode::kNotFound ||
             id.error().code == ErrorCode::kInvalidArgument ||
             id.error().code == ErrorCode::kAmbiguous) {
    named.why = id.error().code;
  } else {
    return std::unexpected(id.error());
  }
  return named;
}

// Whether a whole id stands before the suffixes of a name.
bool BeginsWithId(std::string_view name) {
  return ObjectId::FromHex(name.substr(0, name.find_first_of("^~:")))
      .has_value();
}

// Prints what standard input asks for.
class InputPrinter {
 public:
  InputPrinter(const ArchiveReader& reader, BatchPrinter& printer,
               const BatchInput& input, const Io& io)
      : reader_(reader),
        printer_(printer),
        input_(input),
        io_(io),
        ahead_(reader, printer) {}

  Status Run() {
    std::string line;
    while (std::getline(io_.in, line, input_.end)) {
      // Like Git, accepts lines that end in CR LF.
      if (input_.end == '\n' && !io_.in.eof() && line.ends_with('\r')) {
        line.pop_back();
      }
      const Status status =
          input_.commands ? Obey(line)
                          : Print(line, printer_.format().uses_rest(), true);
      if (!status) return status;
    }
    return ahead_.Flush();
  }

 private:
  Status Obey(std::string_view line) {
    const auto command = ParseBatchCommand(line);
    if (!command) return std::unexpected(command.error());
    if (command->kind != BatchCommand::Kind::kFlush) {
      return Print(command->object, false,
                   command->kind == BatchCommand::Kind::kContents);
    }
    if (!input_.buffer) {
      return std::unexpected(Error{ErrorCode::kInvalidArgument,
                                   "flush is only for --buffer mode"});
    }
    const Status status = ahead_.Flush();
    io_.out.flush();
    return status;
  }

  Status Print(std::string_view line, bool uses_rest, bool contents) {
    auto named = Resolve(reader_, line, uses_rest);
    if (!named) {
      // Nothing is wrong with the objects before an error.
      const Status flushed = ahead_.Flush();
      return flushed ? std::unexpected(named.error()) : flushed;
    }
    named->contents = contents;
    // Of an id, only the other modes warn in Git.
    if (!BeginsWithId(named->name)) {
      WarnIfAmbiguous(reader_, named->name, io_.err);
    }
    if (!uses_parents_ && ArchiveReader::UsesParents(named->name)) {
      uses_parents_ = true;
      WarnOfGrafts(reader_, io_.err);
    }
    const bool add = input_.buffer && printer_.prints_contents();
    const Status status =
        add ? ahead_.Add(*std::move(named)) : PrintOne(*named, printer_);
    // The caller may wait for the answer before it sends the next line.
    if (status && !input_.buffer) io_.out.flush();
    return status;
  }

  const ArchiveReader& reader_;
  BatchPrinter& printer_;
  const BatchInput& input_;
  const Io& io_;
  AheadPrinter ahead_;
  bool uses_parents_ = false;  // of a name so far
};

}  // namespace

Status BatchPrinter::Print(const ObjectId& id, std::string_view rest) {
  const auto info = reader_.ReadInfo(id);
  if (!info) return std::unexpected(info.error());
  return PrintKnown(id, *info, rest, true);
}

Status BatchPrinter::PrintKnown(const ObjectId& id, const ObjectInfo& info,
                                std::string_view rest, bool contents) {
  const std::string line = format().Expand(id, info, rest) + output_.end;
  if (!contents || !prints_contents()) {
    out_ << line;
    return {};
  }
  const Status status = output_.contents->Write(id, info, line);
  if (status) out_ << output_.end;
  return status;
}

Status BatchPrinter::PrintContent(const ObjectView& object) {
  if (!object.content) return PrintKnown(object.id, object.info, "", true);
  out_ << format().Expand(object.id, object.info, "") << output_.end;
  const Status status = WritePiece(*object.content, out_);
  if (status) out_ << output_.end;
  return status;
}

Status BatchPrinter::PrintNamed(std::string_view name, const ObjectId& id,
                                std::string_view rest, bool contents) {
  const auto info = reader_.ReadInfo(id);
  if (!info) return std::unexpected(info.error());
  if (filter().Passes(*info)) return PrintKnown(id, *info, rest, contents);
  out_ << name << " excluded" << output_.end;
  return {};
}

void BatchPrinter::PrintMissing(std::string_view name, ErrorCode why) {
  out_ << name << (why == ErrorCode::kAmbiguous ? " ambiguous" : " missing")
       << output_.end;
}

Status PrintAll(const ArchiveReader& reader, BatchPrinter& printer,
                IdOrder order) {
  const ObjectFilter& filter = printer.filter();
  if (printer.prints_contents() && order == IdOrder::kStorage) {
    BulkOptions bulk;
    if (filter.is_set()) {
      bulk.wants = [&](const ObjectInfo& info) { return filter.Passes(info); };
    }
    return reader.ReadAll(bulk, [&](const ObjectView& object) {
      return GoOn(printer.PrintContent(object));
    });
  }
  AheadPrinter ahead(reader, printer);
  const Status added =
      reader.ForEachId(order, [&](const ObjectId& id) -> Result<Visit> {
        // Whatever is wrong with an object, printing it says so.
        if (filter.is_set()) {
          const auto info = reader.ReadInfo(id);
          if (info && !filter.Passes(*info)) return Visit::kContinue;
        }
        return GoOn(printer.prints_contents() ? ahead.Add({.id = id})
                                              : printer.Print(id, ""));
      });
  return added ? ahead.Flush() : added;
}

Status PrintNamed(const ArchiveReader& reader, BatchPrinter& printer,
                  const BatchInput& input, const Io& io) {
  return InputPrinter(reader, printer, input, io).Run();
}

}  // namespace zpack::cli
