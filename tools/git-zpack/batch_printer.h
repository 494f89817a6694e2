// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Prints many objects, as the batch modes of git-cat-file(1) do.
// Thread-compatible.

#pragma once

#include <iosfwd>
#include <optional>
#include <string_view>

#include "batch_format.h"
#include "cli.h"
#include "content_writer.h"
#include "zpack/archive_reader.h"

namespace zpack::cli {

class BatchPrinter {
 public:
  // If `contents` is empty, prints only types and sizes. `end` ends each line,
  // and each content.
  BatchPrinter(const ArchiveReader& reader, BatchFormat format,
               std::optional<ContentWriter> contents, char end,
               std::ostream& out)
      : reader_(reader),
        format_(std::move(format)),
        contents_(contents),
        end_(end),
        out_(out) {}

  const BatchFormat& format() const { return format_; }
  bool prints_contents() const { return contents_.has_value(); }

  // Prints an object of the file. Errors are those of ArchiveReader.
  Status Print(const ObjectId& id, std::string_view rest);
  // Prints an object with a content that was read before.
  Status PrintContent(const ObjectView& object);
  // Prints that `name` has the error kNotFound or kAmbiguous.
  void PrintMissing(std::string_view name, ErrorCode why);

 private:
  const ArchiveReader& reader_;
  BatchFormat format_;
  std::optional<ContentWriter> contents_;
  char end_;
  std::ostream& out_;
};

// Prints all objects of the file.
Status PrintAll(const ArchiveReader& reader, BatchPrinter& printer,
                IdOrder order);

struct BatchInput {
  char end = '\n';      // of each name
  bool buffer = false;  // read many names before their objects are printed
};

// Prints the objects that standard input names.
Status PrintNamed(const ArchiveReader& reader, BatchPrinter& printer,
                  const BatchInput& input, const Io& io);

}  // namespace zpack::cli
