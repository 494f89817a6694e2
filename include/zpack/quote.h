// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes names from files and repositories safe for a line of text. Without
// quoting, a hostile name could send commands to a terminal or forge lines of
// output. Also tells whether names are UTF-8, and takes secrets out of URLs.
// Pure.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace zpack {

// What QuoteName does with characters beyond ASCII.
enum class BeyondAscii : uint8_t {
  kKeep,    // printable characters in valid UTF-8 stay as they are
  kEscape,  // all bytes are escaped, as Git does with core.quotePath
};

// Maximum bytes of a name in a message, and in a row of a table.
inline constexpr size_t kMaxNameInMessage = 1000;
inline constexpr size_t kMaxNameInTable = 200;
inline constexpr size_t kWholeName = std::numeric_limits<size_t>::max();

// Returns `name` as Git quotes names. A name that needs no escape is returned
// as it is. Any other name is returned in double quotes, with C escapes for
// quotes, backslashes and everything that is not printable. Not printable are
// C0 and C1 control characters, bytes that are not valid UTF-8, and characters
// that break a line or change the direction of text. A name of more than
// `max_size` bytes is cut at the last whole character within `max_size`, and
// '...' is added.
std::string QuoteName(std::string_view name, size_t max_size = kWholeName,
                      BeyondAscii beyond_ascii = BeyondAscii::kKeep);

// Returns `text`, which may have several lines, with C escapes for everything
// that is not printable. Quotes, backslashes, tabs and line feeds are not
// escaped, and no quotes are added around the text.
std::string EscapeUnprintable(std::string_view text);

// Returns `text` as one word of a command for a shell: in single quotes, with
// everything that is not printable escaped as EscapeUnprintable does. The word
// stands for `text` if all of it is printable.
std::string QuoteForShell(std::string_view text);

// True if `bytes` is valid UTF-8, as RFC 3629 defines it: no forms that are
// longer than needed, no surrogates, nothing above U+10FFFF.
bool IsUtf8(std::string_view bytes);

// Returns `text` without the user and password of every URL in it, which may be
// all of the text. User and password are found as curl finds them: after one to
// three slashes, up to the last '@' before a slash, '?' or '#'. Of the URLs of
// SSH only the password is left out, since the user is no secret and is needed.
std::string WithoutUserinfo(std::string_view text);

// Returns `name`, which names a file or a repository, for output. A URL is
// without user and password. Also without query and fragment, which may hold
// secrets, if it is one of HTTP: '?...' stands for a query.
std::string NameWithoutSecrets(std::string_view name);

}  // namespace zpack
