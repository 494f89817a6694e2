// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/repository_sink.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/guarded.h"
#include "codec/deflate.h"
#include "git/libgit2.h"
#include "pack/pack_entry_preparer.h"
#include "pack/stock_pack_writer.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

// What the configuration says about a repository, or its name when it says
// nothing, as in Git: a '.git' directory belongs to a work tree.
bool IsBareRepository(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path / "HEAD", error) ||
      !fs::is_directory(path / "objects", error) ||
      !fs::is_directory(path / "refs", error)) {
    return false;
  }
  int bare = path.filename() == ".git" ? 0 : 1;
  git_config* raw = nullptr;
  if (git_config_open_ondisk(&raw, (path / "config").c_str()) == 0) {
    const ConfigHandle config(raw);
    int value = 0;
    const int code = git_config_get_bool(&value, config.get(), "core.bare");
    // What cannot be understood is not replaced.
    if (code != GIT_ENOTFOUND) bare = code == 0 ? value : 0;
  }
  return bare != 0;
}

// What has to happen to whatever is at the destination.
Result<Replace> CheckDestination(const fs::path& path, Overwrite overwrite) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (status.type() == fs::file_type::not_found) return Replace::kYes;
  // Renaming a directory over another one succeeds only when that is empty.
  if (fs::is_directory(status) && fs::is_empty(path, error)) {
    return Replace::kYes;
  }
  if (error)
    return std::unexpected(IoError("stat", path.string(), error.value()));
  if (!fs::is_directory(status)) {
    return MakeError(ErrorCode::kExists,
                     "'{}' already exists and is no directory", path.string());
  }
  if (overwrite == Overwrite::kNo) {
    return MakeError(ErrorCode::kExists,
                     "'{}' already exists and is not an empty directory",
                     path.string());
  }
  if (!IsBareRepository(path)) {
    return MakeError(ErrorCode::kExists,
                     "'{}' is not a bare repository, so --force does not "
                     "replace it",
                     path.string());
  }
  return Replace::kExchange;
}

// A directory that is removed unless it was moved away. A lock beside it, held
// until everything is done, tells a live one from what a killed process left.
class TemporaryDirectory {
 public:
  static Result<std::unique_ptr<TemporaryDirectory>> Create(
      FileSystem& file_system, const fs::path& path) {
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error) {
      return std::unexpected(
          IoError("create", path.parent_path().string(), error.value()));
    }
    const std::string lock_path = path.string() + ".lock";
    ZPACK_ASSIGN_OR_RETURN(auto lock, file_system.CreateLocked(lock_path));
    // From here on the destructor cleans up.
    std::unique_ptr<TemporaryDirectory> directory(
        new TemporaryDirectory(file_system, path, lock_path, std::move(lock)));
    // What a killed process left is a directory; a link would lead elsewhere.
    const fs::file_status stale = fs::symlink_status(path, error);
    if (fs::exists(stale) && !fs::is_directory(stale)) {
      directory->owned_ = false;
      return MakeError(ErrorCode::kExists, "'{}' is in the way", path.string());
    }
    fs::remove_all(path, error);
    if (!error) fs::create_directory(path, error);
    if (error) {
      return std::unexpected(IoError("create", path.string(), error.value()));
    }
    return directory;
  }
  ~TemporaryDirectory() {
    CleanUp([this] {
      std::error_code ignored;
      if (owned_) fs::remove_all(path_, ignored);
      (void)file_system_.Remove(lock_path_);
    });
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const fs::path& path() const { return path_; }

 private:
  TemporaryDirectory(FileSystem& file_system, fs::path path,
                     std::string lock_path, std::unique_ptr<WritableFile> lock)
      : file_system_(file_system),
        path_(std::move(path)),
        lock_path_(std::move(lock_path)),
        lock_(std::move(lock)) {}

  FileSystem& file_system_;
  fs::path path_;
  std::string lock_path_;
  std::unique_ptr<WritableFile> lock_;
  bool owned_ = true;
};

class RepositorySink final : public ObjectSink {
 public:
  RepositorySink(FileSystem& file_system, fs::path destination, Replace replace,
                 std::unique_ptr<TemporaryDirectory> temporary,
                 std::unique_ptr<StockPackWriter> pack)
      : file_system_(file_system),
        destination_(std::move(destination)),
        replace_(replace),
        temporary_(std::move(temporary)),
        pack_(std::move(pack)) {}

  std::unique_ptr<ObjectPreparer> NewPreparer() const override {
    return std::make_unique<PackEntryPreparer>();
  }

  Status Add(const ObjectId& id, const PreparedObject& object,
             ByteView stored) override;

  Status Begin(const ObjectId& id, const ObjectInfo& info) override {
    ZPACK_TRY(pack_->BeginEntry(id, {info.type, info.size}));
    deflater_.emplace(
        [this](ByteView piece) { return pack_->AppendToEntry(piece); });
    return {};
  }
  Status Append(ByteView piece) override { return deflater_->Append(piece); }
  Status End() override {
    ZPACK_TRY(deflater_->Finish());
    deflater_.reset();
    return {};
  }

  Result<uint64_t> Finish(const RefsSnapshot& refs) override;

 private:
  Status WriteText(const fs::path& relative, const std::string& text);
  Status WriteRefs(const RefsSnapshot& refs);

  FileSystem& file_system_;
  fs::path destination_;
  Replace replace_;
  std::unique_ptr<TemporaryDirectory> temporary_;
  std::unique_ptr<StockPackWriter> pack_;  // none when there are no objects
  std::optional<StreamDeflater> deflater_;
};

Status RepositorySink::Add(const ObjectId& id, const PreparedObject& object,
                           ByteView stored) {
  PackEntry entry{object.type, object.raw_size};
  if (object.base_distance != 0) {
    entry.base_offset =
        pack_->entry_offset(pack_->entry_count() - object.base_distance);
  }
  return pack_->Add(id, entry, stored);
}

// Replaces a file of the new repository. Finish syncs all of them at once: a
// file may have thousands of symbolic refs.
Status RepositorySink::WriteText(const fs::path& relative,
                                 const std::string& text) {
  const fs::path path = temporary_->path() / relative;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  fs::remove(path, error);
  ZPACK_ASSIGN_OR_RETURN(const auto file, file_system_.Create(path.string()));
  return file->Append(AsBytes(text));
}

Status RepositorySink::WriteRefs(const RefsSnapshot& refs) {
  std::string packed = "# pack-refs with: peeled fully-peeled sorted \n";
  for (const Ref& ref : refs.refs) {
    if (ref.symbolic()) {
      ZPACK_TRY(WriteText(ref.name, "ref: " + ref.symref_target + "\n"));
      continue;
    }
    packed += ref.target.ToHex() + ' ' + ref.name + '\n';
    if (!ref.peeled.empty()) packed += '^' + ref.peeled.ToHex() + '\n';
  }
  ZPACK_TRY(WriteText("packed-refs", packed));
  if (!refs.shallow.empty()) {
    std::string shallow;
    for (const ObjectId& id : refs.shallow) shallow += id.ToHex() + '\n';
    ZPACK_TRY(WriteText("shallow", shallow));
  }
  return WriteText("HEAD", refs.head_symref.empty()
                               ? refs.head_target.ToHex() + "\n"
                               : "ref: " + refs.head_symref + "\n");
}

Result<uint64_t> RepositorySink::Finish(const RefsSnapshot& refs) {
  uint64_t pack_bytes = 0;
  if (pack_) {
    ZPACK_TRY(pack_->Finish());
    pack_bytes = pack_->bytes();
    ZPACK_TRY(pack_->Publish());
    pack_.reset();
  }
  ZPACK_TRY(WriteRefs(refs));
  const fs::path temporary = temporary_->path();
  // A directory that was there keeps its mode.
  std::error_code error;
  const fs::file_status old = fs::status(destination_, error);
  if (fs::is_directory(old)) {
    fs::permissions(temporary, old.permissions(), error);
    if (error) {
      return std::unexpected(
          IoError("chmod", temporary.string(), error.value()));
    }
  }
  // libgit2 made some of the files, and synced none.
  ZPACK_TRY(file_system_.SyncFileSystem(temporary.string()));
  ZPACK_TRY(
      file_system_.Rename(temporary.string(), destination_.string(), replace_));
  // With kExchange the temporary is now what was replaced, and goes with us.
  ZPACK_TRY(file_system_.SyncDirectory(destination_.parent_path().string()));
  return pack_bytes;
}

}  // namespace

Result<std::unique_ptr<ObjectSink>> CreateRepository(
    FileSystem& file_system, const std::string& directory, Overwrite overwrite,
    ObjectFormat format, uint32_t object_count) {
  if (format != ObjectFormat::kSha1) {
    return MakeError(ErrorCode::kUnsupported, "unsupported object format {}",
                     ObjectFormatName(format));
  }
  InitLibgit2();
  std::error_code error;
  // Absolute first: what does not exist yet stays relative otherwise, and then
  // may have no parent to speak of.
  fs::path destination = fs::absolute(directory, error);
  if (!error) destination = fs::weakly_canonical(destination, error);
  if (error || destination.empty()) {
    return MakeError(ErrorCode::kInvalidArgument, "bad directory: '{}'",
                     directory);
  }
  if (!destination.has_filename()) destination = destination.parent_path();
  ZPACK_ASSIGN_OR_RETURN(const Replace replace,
                         CheckDestination(destination, overwrite));
  const fs::path temporary_path =
      destination.parent_path() /
      ("." + destination.filename().string() + ".zpack-tmp");
  ZPACK_ASSIGN_OR_RETURN(
      auto temporary, TemporaryDirectory::Create(file_system, temporary_path));

  git_repository_init_options options = GIT_REPOSITORY_INIT_OPTIONS_INIT;
  options.flags = GIT_REPOSITORY_INIT_BARE | GIT_REPOSITORY_INIT_NO_REINIT;
  git_repository* raw = nullptr;
  if (git_repository_init_ext(&raw, temporary_path.c_str(), &options) != 0) {
    return MakeError(ErrorCode::kGit, "cannot create a repository at '{}': {}",
                     temporary_path.string(), LastLibgit2Message());
  }
  const RepositoryHandle repository(raw);

  std::unique_ptr<StockPackWriter> pack;
  if (object_count != 0) {
    ZPACK_ASSIGN_OR_RETURN(
        pack, StockPackWriter::Create(
                  file_system, (temporary_path / "objects" / "pack").string(),
                  object_count));
  }
  return std::make_unique<RepositorySink>(
      file_system, destination, replace, std::move(temporary), std::move(pack));
}

}  // namespace zpack
