// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/config/configuration_text.h"

namespace zpack {

void AppendSection(std::string_view section,
                   std::optional<std::string_view> subsection,
                   std::string& out) {
  out += '[';
  out += section;
  if (subsection) {
    out += " \"";
    for (const char c : *subsection) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    out += '"';
  }
  out += "]\n";
}

void AppendEntry(std::string_view key, const char* value, std::string& out) {
  out += '\t';
  out += key;
  if (value != nullptr) {
    out += " = \"";
    for (const char* c = value; *c != '\0'; ++c) {
      switch (*c) {
        case '\n':
          out += "\\n";
          break;
        case '\t':
          out += "\\t";
          break;
        case '\b':
          out += "\\b";
          break;
        case '"':
        case '\\':
          out += '\\';
          [[fallthrough]];
        default:
          out += *c;
      }
    }
    out += '"';
  }
  out += '\n';
}

}  // namespace zpack
