// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Prints many objects, as the batch modes of git-cat-file(1) do.
// Thread-compatible.

#pragma once

#include <iosfwd>
#include <optional>
#include <string_view>
#include <utility>

#include "cli.h"
#include "read/batch_format.h"
#include "read/content_writer.h"
#include "zpack/archive_reader.h"
#include "zpack/object_filter.h"

namespace zpack::cli {

struct BatchOutput {
  BatchFormat format;
  // If it is empty, only types and sizes are printed.
  std::optional<ContentWriter> contents;
  // Other objects are not printed.
  ObjectFilter filter;
  char end = '\n';  // of each line and each content
};

class BatchPrinter {
 public:
  BatchPrinter(const ArchiveReader& reader, BatchOutput output,
               std::ostream& out)
      : reader_(reader), output_(std::move(output)), out_(out) {}

  const BatchFormat& format() const { return output_.format; }
  const ObjectFilter& filter() const { return output_.filter; }
  bool prints_contents() const { return output_.contents.has_value(); }

  // Prints an object of the file. Errors are those of ArchiveReader.
  Status Print(const ObjectId& id, std::string_view rest);
  // Prints an object with a content that was read before.
  Status PrintContent(const ObjectView& object);
  // Prints an object that standard input calls `name`, or that the filter
  // excludes it. `contents` is not used unless contents are printed.
  Status PrintNamed(std::string_view name, const ObjectId& id,
                    std::string_view rest, bool contents);
  // Prints that `name` has the error kNotFound or kAmbiguous.
  void PrintMissing(std::string_view name, ErrorCode why);

 private:
  Status PrintKnown(const ObjectId& id, const ObjectInfo& info,
                    std::string_view rest, bool contents);

  const ArchiveReader& reader_;
  BatchOutput output_;
  std::ostream& out_;
};

// Prints all objects of the file.
Status PrintAll(const ArchiveReader& reader, BatchPrinter& printer,
                IdOrder order);

struct BatchInput {
  char end = '\n';        // of each name
  bool buffer = false;    // read many names before their objects are printed
  bool commands = false;  // lines are commands (batch_command.h), not names
};

// Prints the objects that standard input names.
Status PrintNamed(const ArchiveReader& reader, BatchPrinter& printer,
                  const BatchInput& input, const Io& io);

}  // namespace zpack::cli
