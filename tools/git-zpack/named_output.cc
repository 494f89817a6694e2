// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "named_output.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include "zpack/quote.h"

namespace zpack::cli {

ErrnoKeeper::int_type ErrnoKeeper::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof())) {
    return traits_type::not_eof(character);
  }
  const char text = traits_type::to_char_type(character);
  return xsputn(&text, 1) == 1 ? character : traits_type::eof();
}

std::streamsize ErrnoKeeper::xsputn(const char* text, std::streamsize size) {
  errno = 0;
  const std::streamsize written = to_.sputn(text, size);
  if (written != size && number_ == 0) number_ = errno;
  return written;
}

int ErrnoKeeper::sync() {
  errno = 0;
  const int result = to_.pubsync();
  if (result != 0 && number_ == 0) number_ = errno;
  return result;
}

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
  const auto* const kept = dynamic_cast<const ErrnoKeeper*>(stream.rdbuf());
  if (kept != nullptr && kept->number() != 0) number = kept->number();
  if (number == 0) {
    return {ErrorCode::kIo, fmt::format("unknown write failure on {}", name)};
  }
  return {ErrorCode::kIo, fmt::format("write failure on {}: {}", name,
                                      std::generic_category().message(number))};
}

}  // namespace zpack::cli
