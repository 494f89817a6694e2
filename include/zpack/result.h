// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Errors are values. A function that can fail returns Result<T> or Status, and
// its comment lists the error codes. Lack of memory becomes kOutOfMemory. An
// exception from a function or ProgressSink of the caller becomes kInternal.
// Values of these types are plain data: any thread may use its own copy.

#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "zpack/object_id.h"

namespace zpack {

enum class ErrorCode : uint8_t {
  kIo,               // the operating system refused a read, write or rename
  kNotDurable,       // the result is complete and has its name, but its
                     // directory could not be synced: a power failure may
                     // undo the rename
  kCorrupt,          // the bytes of a .zpack file contradict the format
  kUnsupported,      // valid, but needs a newer or different reader
  kNotFound,         // no such object, ref, file or repository
  kAmbiguous,        // an abbreviated object id fits several objects
  kInvalidArgument,  // an argument or a combination of options is not allowed
  kExists,           // the destination already exists, or is being written
  kLimitExceeded,    // a size in the file is above a limit of the options
  kMismatch,         // data that was read back differs from the source
  kSourceCorrupt,    // an object of the source repository is missing or damaged
  kInterrupted,      // a stop was requested
  kGit,              // libgit2 reported an error, or refused the repository
  kOutOfMemory,      // the system gave no memory
  kInternal,         // a bug in this library, or an exception of the caller
};

// The name of `code` for programs, such as 'not-found'. Names do not change.
std::string_view ErrorCodeName(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  // Complete: names object, path and offset as far as they are known. Safe to
  // print: names are escaped as by QuoteName. Mostly one line in lower case,
  // without a full stop; kAmbiguous adds a line for each candidate.
  std::string message;
  // The object that the message is about; empty if it is about none.
  ObjectId object = {};
  // The file or directory that the message is about, not escaped; empty if it
  // is about none.
  std::string path = {};
  // Offset in the file `path` of the damaged part (header, chunk, block,
  // trailer), if that is known.
  std::optional<uint64_t> offset = std::nullopt;
};

template <typename T>
using Result = std::expected<T, Error>;

using Status = Result<void>;

}  // namespace zpack
