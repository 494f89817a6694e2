// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "named_output.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include "zpack/quote.h"

namespace zpack::cli {

NamedOutput NamedOutput::ToFile(std::ostream& stream,
                                const std::filesystem::path& path) {
  if (path == "-") return {stream};
  return {stream,
          fmt::format("'{}'", QuoteName(path.native(), kMaxNameInMessage))};
}

Error NamedOutput::Failure() const {
  int number = errno;
  // What the stream still holds fails again, whatever has changed errno since.
  errno = 0;
  stream.clear();
  stream.flush();
  if (errno != 0) number = errno;
  stream.setstate(std::ios::badbit);
  if (number == 0) {
    return {ErrorCode::kIo, fmt::format("unknown write failure on {}", name)};
  }
  return {ErrorCode::kIo, fmt::format("write failure on {}: {}", name,
                                      std::generic_category().message(number))};
}

}  // namespace zpack::cli
