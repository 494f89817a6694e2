// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/repack/loose_writer.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "codec/deflate.h"
#include "git/objects/loose_object.h"
#include "object/object_hasher.h"

namespace zpack {
namespace {

constexpr uint64_t kStreamPiece = uint64_t{1} << 20;

// Removes the temporary file unless it was renamed.
class Temporary {
 public:
  Temporary(FileSystem& file_system, std::string path)
      : file_system_(file_system), path_(std::move(path)) {}
  ~Temporary() {
    if (path_.empty()) return;
    CleanUp([this] { (void)file_system_.Remove(path_); });
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  const std::string& path() const { return path_; }
  void Forget() { path_.clear(); }

 private:
  FileSystem& file_system_;
  std::string path_;
};

// Writes the header and the content, deflated. kSourceCorrupt if they do not
// hash to `id`.
Status WriteContent(ObjectFormat format, ObjectStream& object,
                    const ObjectId& id, WritableFile& file) {
  StreamDeflater deflater([&](ByteView piece) { return file.Append(piece); });
  const ObjectInfo info = object.info();
  std::string header(ObjectTypeName(info.type));
  header += ' ' + std::to_string(info.size) + '\0';
  ZPACK_TRY(deflater.Append(AsBytes(header)));
  ObjectHasher hasher(format);
  hasher.Begin(info);
  Bytes piece;
  for (uint64_t left = info.size; left != 0; left -= piece.size()) {
    piece.resize(std::min(left, kStreamPiece));
    ZPACK_TRY(object.Read(piece));
    hasher.Update(piece);
    ZPACK_TRY(deflater.Append(piece));
  }
  ZPACK_TRY(deflater.Finish());
  if (hasher.Finish() == id) return {};
  return MakeError(ErrorCode::kSourceCorrupt,
                   "object {} does not hash to its id", id);
}

// True if a loose object exists and is sound.
bool IsLoose(ObjectFormat format, const std::string& object_directory,
             const ObjectId& id) {
  const auto object = LooseObject::Open({object_directory}, id);
  if (!object) return false;
  const auto actual = ObjectHasher(format).Hash(**object);
  return actual && *actual == id;
}

}  // namespace

Status LooseWriter::Write(ObjectSource& source, const ObjectId& id,
                          int64_t mtime) const {
  const std::string path = LooseObjectPath(object_directory, id);
  if (IsLoose(format, object_directory, id)) return {};
  const std::string directory = DirectoryOf(path);
  ZPACK_TRY(MakeSharedDirectory(file_system, directory, shared));
  ZPACK_ASSIGN_OR_RETURN(const auto object, source.Open(id));
  // 'git prune' removes old files with this name.
  const std::string name = directory + "/tmp_obj_zpack";
  ZPACK_ASSIGN_OR_RETURN(const auto file, file_system.CreateLocked(name));
  Temporary temporary(file_system, name);
  ZPACK_TRY(WriteContent(format, *object, id, *file));
  ZPACK_TRY(file->Sync());
  ZPACK_TRY(FinishObjectFile(file_system, name, shared));
  ZPACK_TRY(file_system.SetModified(name, mtime));
  ZPACK_TRY(file_system.Rename(name, path, Replace::kYes));
  temporary.Forget();
  return {};
}

}  // namespace zpack
