// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Errors as values. No function of this library throws across its interface;
// a function that can fail returns Result<T> or Status and says in its comment
// which codes to expect. Values of these types are plain data: any thread may
// use its own copy.

#pragma once

#include <cstdint>
#include <expected>
#include <string>

namespace zpack {

enum class ErrorCode : uint8_t {
  kIo,               // the operating system refused a read, write or rename
  kNotDurable,       // the result is complete and has its name, but its
                     // directory could not be synced: a power failure may
                     // undo the rename
  kCorrupt,          // bytes of a .zpack file contradict the format
  kUnsupported,      // valid, but made for a newer or different reader
  kNotFound,         // no such object, ref or file
  kAmbiguous,        // an abbreviated object id that fits several objects
  kInvalidArgument,  // the caller asked for something that makes no sense
  kExists,           // the destination is already there
  kLimitExceeded,    // a size in the file is above a limit of the options
  kMismatch,         // what was read back differs from the source
  kSourceCorrupt,    // an object of the source repository cannot be trusted
  kInterrupted,      // a stop was requested
  kGit,              // libgit2 could not do it
  kOutOfMemory,      // the system gave no memory
  kInternal,         // a bug in this library
};

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  // Lower case, error first, subject in single quotes, no full stop.
  std::string message;
};

template <typename T>
using Result = std::expected<T, Error>;

using Status = Result<void>;

}  // namespace zpack
