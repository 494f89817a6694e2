// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/repack/server_info.h"

#include <sys/stat.h>

#include <filesystem>
#include <system_error>

#include "base/atomic_file.h"
#include "base/error.h"
#include "git/objects/pack_directory.h"

namespace zpack {
namespace {

// Writes the file '<directory>/info/<name>', unless its content is `text`
// already.
Status WriteInfo(FileSystem& file_system, const std::string& directory,
                 const std::string& name, const std::string& text,
                 const SharedMode& shared) {
  const std::string path = directory + "/info/" + name;
  // Git replaces a link.
  std::error_code ignored;
  const bool is_link = std::filesystem::is_symlink(path, ignored);
  const auto old = ReadWholeFile(file_system, path, text.size());
  if (old && !is_link && AsText(*old) == text) return {};
  if (!old && !is_link && old.error().code != ErrorCode::kNotFound &&
      old.error().code != ErrorCode::kLimitExceeded) {
    return std::unexpected(old.error());
  }
  ZPACK_TRY(MakeSharedDirectory(file_system, directory + "/info", shared));
  ZPACK_ASSIGN_OR_RETURN(AtomicFile file,
                         AtomicFile::Create(file_system, path, Overwrite::kYes,
                                            AtomicFile::Leftover::kEmpty,
                                            AtomicFile::Links::kReplace));
  ZPACK_TRY(file.file().Append(AsBytes(text)));
  ZPACK_TRY(file.file().Sync());
  ZPACK_TRY(file.Commit());
  struct stat info;
  if (shared.kind == SharedMode::Kind::kUmask || stat(path.c_str(), &info)) {
    return {};
  }
  return file_system.SetMode(path, shared.ForFile(info.st_mode & 0777U));
}

// The direct ref at the end of the chain from `ref`. Null if the chain is
// broken.
const Ref* FindDirect(const RefsSnapshot& refs, const Ref& ref) {
  if (refs.Resolve(ref.name).empty()) return nullptr;
  const Ref* direct = &ref;
  while (direct->symbolic()) direct = refs.Find(direct->symref_target);
  return direct;
}

}  // namespace

Status UpdateRefList(FileSystem& file_system,
                     const std::string& common_directory,
                     const RefsSnapshot& refs, const SharedMode& shared) {
  std::string text;
  for (const Ref& ref : refs.refs) {
    const Ref* const direct = FindDirect(refs, ref);
    if (direct == nullptr) continue;
    text += direct->target.ToHex() + '\t' + ref.name + '\n';
    if (direct->peeled.empty()) continue;
    text += direct->peeled.ToHex() + '\t' + ref.name + "^{}\n";
  }
  return WriteInfo(file_system, common_directory, "refs", text, shared);
}

Status UpdatePackList(FileSystem& file_system,
                      const std::string& object_directory,
                      const SharedMode& shared) {
  ZPACK_ASSIGN_OR_RETURN(const auto packs, ListPacks(object_directory));
  std::string text;
  for (const PackFiles& pack : packs) {
    text += "P " + pack.name + ".pack\n";
  }
  text += '\n';
  return WriteInfo(file_system, object_directory, "packs", text, shared);
}

}  // namespace zpack
