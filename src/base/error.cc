// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

#include "base/guarded.h"

namespace zpack {

std::string_view ErrorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kIo:
      return "io";
    case ErrorCode::kNotDurable:
      return "not-durable";
    case ErrorCode::kCorrupt:
      return "corrupt";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kNotFound:
      return "not-found";
    case ErrorCode::kAmbiguous:
      return "ambiguous";
    case ErrorCode::kInvalidArgument:
      return "invalid-argument";
    case ErrorCode::kExists:
      return "exists";
    case ErrorCode::kLimitExceeded:
      return "limit-exceeded";
    case ErrorCode::kMismatch:
      return "mismatch";
    case ErrorCode::kSourceCorrupt:
      return "source-corrupt";
    case ErrorCode::kInterrupted:
      return "interrupted";
    case ErrorCode::kGit:
      return "git";
    case ErrorCode::kOutOfMemory:
      return "out-of-memory";
    case ErrorCode::kInternal:
      break;
  }
  return "internal";
}

std::string PathForMessage(std::string_view path) {
  constexpr std::string_view kDescriptors = "/proc/self/fd/";
  if (path.starts_with(kDescriptors)) {
    const size_t end =
        std::min(path.find('/', kDescriptors.size()), path.size());
    const std::filesystem::path descriptor(path.substr(0, end));
    std::error_code error;
    if (std::filesystem::is_directory(descriptor, error)) {
      const auto directory = std::filesystem::read_symlink(descriptor, error);
      if (!error) return directory.string() + std::string(path.substr(end));
    }
  }
  return NameWithoutSecrets(path);
}

Error IoError(std::string_view action, std::string_view path,
              int error_number) {
  return NewError(ErrorCode::kIo, "cannot {} '{}': {}", action, AtPath{path},
                  std::generic_category().message(error_number));
}

Error ErrorOfCurrentException() noexcept {
  // Short enough for std::string to store it without an allocation.
  constexpr const char* kNoMemory = "out of memory";
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {ErrorCode::kOutOfMemory, kNoMemory};
  } catch (const std::length_error&) {
    // The requested size is larger than any container can be.
    return {ErrorCode::kOutOfMemory, kNoMemory};
  } catch (const std::exception& error) {
    try {
      return {ErrorCode::kInternal, error.what()};
    } catch (const std::bad_alloc&) {
      return {ErrorCode::kOutOfMemory, kNoMemory};
    }
  } catch (...) {
    return {ErrorCode::kInternal, "exception"};
  }
}

Status CheckStop(const std::stop_token& stop) {
  if (stop.stop_requested()) {
    return MakeError(ErrorCode::kInterrupted, "interrupted");
  }
  return {};
}

}  // namespace zpack
