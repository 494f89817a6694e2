// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "log/commit_notes.h"

#include <algorithm>
#include <string_view>

#include "read/tree_walk.h"

namespace zpack::cli {

Result<CommitNotes> CommitNotes::Of(const ArchiveReader& reader) {
  CommitNotes notes(reader);
  const ObjectId tip = reader.refs().Resolve("refs/notes/commits");
  if (tip.empty()) return notes;
  const auto tree = reader.Peel(tip, ObjectType::kTree);
  if (!tree) return std::unexpected(tree.error());
  // The digits of an id may be spread over directories of two digits each.
  const Status walked = WalkTree(
      reader, *tree,
      [&](const TreeItem& item, std::string_view base) -> Result<Descend> {
        if (item.is_tree()) {
          return item.name.size() == 2 ? Descend::kEnter : Descend::kSkip;
        }
        std::string hex(base);
        std::erase(hex, '/');
        const auto id = ObjectId::FromHex(hex.append(item.name));
        if (id) notes.notes_.insert_or_assign(*id, item.id);
        return Descend::kSkip;
      });
  if (!walked) return std::unexpected(walked.error());
  return notes;
}

Result<std::string> CommitNotes::TextOf(const ObjectId& commit,
                                        Form form) const {
  const auto found = notes_.find(commit);
  if (found == notes_.end()) return std::string();
  const auto note = reader_->Read(found->second);
  if (!note) return std::unexpected(note.error());
  if (note->type != ObjectType::kBlob) return std::string();
  std::string_view rest(reinterpret_cast<const char*>(note->content.data()),
                        note->content.size());
  if (rest.ends_with('\n')) rest.remove_suffix(1);
  std::string text = form == Form::kHeading ? "\nNotes:\n" : "";
  while (!rest.empty()) {
    const size_t size =
        std::min(rest.find_first_of(std::string_view("\n\0", 2)), rest.size());
    if (form == Form::kHeading) text += "    ";
    text += rest.substr(0, size);
    text += '\n';
    rest.remove_prefix(std::min(size + 1, rest.size()));
  }
  return text;
}

}  // namespace zpack::cli
