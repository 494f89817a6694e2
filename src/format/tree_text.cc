// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "format/tree_text.h"

#include <algorithm>

#include "format/tree_columns.h"

namespace zpack::format {

std::string_view FlawName(TreeFlaw flaw) {
  switch (flaw) {
    case TreeFlaw::kEntry:
      return "malformed entry";
    case TreeFlaw::kMode:
      return "unusual mode";
    case TreeFlaw::kNone:
      break;
  }
  return "none";
}

TreeFlaw TakeTreeEntry(ByteView& rest, ObjectFormat format,
                       TreeTextEntry& entry) {
  const size_t id_width = ObjectIdWidth(format);
  const auto space = std::ranges::find(rest, uint8_t{' '});
  const auto end = std::find(space, rest.end(), uint8_t{0});
  if (end == rest.end()) return TreeFlaw::kEntry;
  const auto mode_size = static_cast<size_t>(space - rest.begin());
  const auto name_end = static_cast<size_t>(end - rest.begin());
  if (rest.size() - name_end - 1 < id_width) return TreeFlaw::kEntry;
  const std::string_view text = AsText(rest);
  const auto mode = TreeModeNumber(text.substr(0, mode_size));
  if (!mode) return TreeFlaw::kMode;
  entry.mode = *mode;
  entry.name = text.substr(mode_size + 1, name_end - mode_size - 1);
  entry.id = rest.subspan(name_end + 1, id_width);
  rest = rest.subspan(name_end + 1 + id_width);
  return TreeFlaw::kNone;
}

TreeFlaw FindTreeFlaw(ByteView content, ObjectFormat format) {
  TreeTextEntry entry;
  while (!content.empty()) {
    const TreeFlaw flaw = TakeTreeEntry(content, format, entry);
    if (flaw != TreeFlaw::kNone) return flaw;
  }
  return TreeFlaw::kNone;
}

}  // namespace zpack::format
