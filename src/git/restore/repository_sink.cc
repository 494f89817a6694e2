// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/restore/repository_sink.h"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/directory.h"
#include "base/error.h"
#include "base/umask.h"
#include "codec/deflate.h"
#include "git/config/configuration_file.h"
#include "git/config/portable_settings.h"
#include "git/config/promisor_remotes.h"
#include "git/config/shared_repository.h"
#include "git/files/directory_listing.h"
#include "git/repository_layout.h"
#include "git/restore/restore_place.h"
#include "git/restore/restored_reftable.h"
#include "object/listed_files.h"
#include "pack/pack_entry_preparer.h"
#include "pack/pack_writer.h"

namespace zpack {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfig = "config";
// Bytes of the configuration that this code writes.
constexpr uint64_t kMaxConfig = 8192;
// The same, with the settings of the file.
constexpr uint64_t kMaxAllSettings = uint64_t{64} << 20;

constexpr std::array<const char*, 5> kDirectories = {
    "hooks", "info", "objects", "objects/info", "objects/pack"};
constexpr std::array<const char*, 3> kRefDirectories = {"refs", "refs/heads",
                                                        "refs/tags"};

// Writes a new file. Finish syncs all files at once, because a file may have
// thousands of symbolic refs.
Status WriteText(FileSystem& file_system, const std::string& path,
                 const std::string& text) {
  ZPACK_ASSIGN_OR_RETURN(const auto file, file_system.Create(path));
  return file->Append(AsBytes(text));
}

// True if the file system keeps the permission bits of the file `path`.
bool KeepsModes(const std::string& path) {
  std::error_code error;
  const fs::perms mode = fs::status(path, error).permissions();
  fs::permissions(path, mode | fs::perms::owner_exec, error);
  const fs::perms changed = fs::status(path, error).permissions();
  fs::permissions(path, mode, error);
  return changed != mode;
}

// Makes `root` an empty bare repository without HEAD and refs.
Status MakeSkeleton(FileSystem& file_system, const std::string& root,
                    const NewRepository& repository) {
  for (const char* directory : kDirectories) {
    ZPACK_TRY(file_system.MakeDirectory(root + '/' + directory, 0777));
  }
  if (repository.ref_storage == RefStorage::kFiles) {
    for (const char* directory : kRefDirectories) {
      ZPACK_TRY(file_system.MakeDirectory(root + '/' + directory, 0777));
    }
  }
  const std::string description = root + "/description";
  ZPACK_TRY(WriteText(file_system, description,
                      "Unnamed repository; edit this file 'description' to "
                      "name the repository.\n"));
  std::string extensions;
  if (repository.object_format != ObjectFormat::kSha1) {
    extensions += "\tobjectformat = ";
    extensions += ObjectFormatName(repository.object_format);
    extensions += '\n';
  }
  if (repository.ref_storage == RefStorage::kReftable) {
    extensions += "\trefstorage = reftable\n";
  }
  if (!repository.promisor_remotes.empty()) {
    extensions += PartialCloneExtension(repository.promisor_remotes);
  }
  std::string config = "[core]\n\trepositoryformatversion = ";
  config += extensions.empty() ? "0" : "1";
  config += "\n\tfilemode = ";
  config += KeepsModes(description) ? "true" : "false";
  config += "\n\tbare = true\n";
  std::error_code error;
  if (fs::exists(root + "/DESCRIPTION", error)) {
    config += "\tignorecase = true\n";
  }
  if (!extensions.empty()) config += "[extensions]\n" + extensions;
  return WriteText(file_system, root + '/' + kConfig, config);
}

class RepositorySink final : public ObjectSink {
 public:
  RepositorySink(FileSystem& file_system, const NewRepository& repository,
                 std::unique_ptr<RestorePlace> place,
                 std::unique_ptr<PackWriter> pack)
      : file_system_(file_system),
        repository_(repository),
        place_(std::move(place)),
        pack_(std::move(pack)) {}

  std::unique_ptr<ObjectPreparer> NewPreparer(uint64_t window) const override {
    return std::make_unique<PackEntryPreparer>(window);
  }

  Status Add(const ObjectId& id, const PreparedObject& object,
             ByteView stored) override {
    return AddEntry(id, object, stored);
  }

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

  Status BeginFile(const std::string& path, bool executable) override {
    NoteWorktree(path);
    return OpenFile(path, executable);
  }
  Status AppendToFile(ByteView piece) override { return file_->Append(piece); }
  Status EndFile() override {
    file_.reset();
    if (!std::exchange(adds_settings_, false)) return {};
    return AddSettings();
  }

  Result<uint64_t> Finish(const RefsSnapshot& refs) override {
    return Publish(refs);
  }

 private:
  Status AddEntry(const ObjectId& id, const PreparedObject& object,
                  ByteView stored);
  // Makes the repository a partial clone, if it is to be one.
  Status WritePromisorMarks();
  Result<uint64_t> Publish(const RefsSnapshot& refs);
  // Gives files and directories the permissions that core.sharedRepository of
  // the restored settings asks for.
  Status ShareFiles();
  Status ShareBelow(const std::string& directory, const SharedMode& shared);
  // Makes the directories above the file `name`.
  Status MakeDirectoriesFor(const std::string& name);
  // Notes which worktree a file belongs to, and which reflog it is.
  void NoteWorktree(std::string_view name);
  Status OpenFile(const std::string& name, bool executable);
  // Moves the settings in the inactive configuration to the active one.
  Status AddSettings();
  // The active configuration has at most `most` bytes before.
  Status AppendToConfig(uint64_t most, const std::string& text);
  Status WriteFile(const std::string& name, const std::string& text);
  Status WriteRefs(const RefsSnapshot& refs);
  Status WriteRefFiles(const RefsSnapshot& refs);
  // Also turns the reflogs, and HEADs of worktrees, into records of tables.
  Status WriteReftables(const RefsSnapshot& refs);

  FileSystem& file_system_;
  NewRepository repository_;
  std::unique_ptr<RestorePlace> place_;
  std::unique_ptr<PackWriter> pack_;  // null if there are no objects
  std::optional<StreamDeflater> deflater_;
  std::unique_ptr<WritableFile> file_;  // between BeginFile and EndFile
  bool adds_settings_ = false;          // `file_` is the configuration
  // The git directories of the main worktree, '', and of linked worktrees, and
  // the names of their reflogs.
  std::map<std::string, std::set<std::string>> worktrees_ = {{"", {}}};
};

Status RepositorySink::AddEntry(const ObjectId& id,
                                const PreparedObject& object, ByteView stored) {
  PackEntry entry{object.type, object.raw_size};
  if (object.base_distance != 0) {
    entry.base_offset =
        pack_->entry_offset(pack_->entry_count() - object.base_distance);
  }
  return pack_->Add(id, entry, stored);
}

Status RepositorySink::MakeDirectoriesFor(const std::string& name) {
  const std::string root = place_->inside() + '/';
  for (size_t at = name.find('/'); at != std::string::npos;
       at = name.find('/', at + 1)) {
    const Status made =
        file_system_.MakeDirectory(root + name.substr(0, at), 0777);
    if (!made && made.error().code != ErrorCode::kExists) return made;
  }
  return {};
}

void RepositorySink::NoteWorktree(std::string_view name) {
  std::string directory;
  if (name.starts_with("worktrees/")) {
    directory = name.substr(0, name.find('/', name.find('/') + 1));
    name.remove_prefix(directory.size() + 1);
  }
  auto& logs = worktrees_[directory];
  if (SkipPrefix("logs/", name)) logs.emplace(name);
}

Status RepositorySink::OpenFile(const std::string& name, bool executable) {
  std::string path = place_->inside() + '/' + name;
  adds_settings_ = name == kConfig;
  if (adds_settings_) path = InactiveName(path);
  ZPACK_TRY(MakeDirectoriesFor(name));
  // In place of the default description.
  ZPACK_TRY(RemoveIfThere(file_system_, path));
  ZPACK_ASSIGN_OR_RETURN(file_, file_system_.Create(path));
  // The other half of what makes a linked worktree known
  // (gitrepository-layout).
  if (name.starts_with("worktrees/") && name.ends_with("/gitdir")) {
    ZPACK_TRY(
        WriteFile(name.substr(0, name.rfind('/')) + "/commondir", "../..\n"));
  }
  return executable ? file_system_.SetMode(path, 0777 & ~CurrentUmask())
                    : Status{};
}

Status RepositorySink::AddSettings() {
  const std::string inactive = InactiveName(place_->inside() + '/' + kConfig);
  ZPACK_ASSIGN_OR_RETURN(const PortableSettings settings,
                         ReadPortableSettings({&inactive, 1}));
  ZPACK_TRY(RemoveIfThere(file_system_, inactive));
  return AppendToConfig(kMaxConfig, settings.text);
}

Status RepositorySink::AppendToConfig(uint64_t most, const std::string& text) {
  const std::string path = place_->inside() + '/' + kConfig;
  ZPACK_ASSIGN_OR_RETURN(const Bytes before,
                         ReadWholeFile(file_system_, path, most));
  ZPACK_TRY(file_system_.Remove(path));
  return WriteText(file_system_, path, std::string(AsText(before)) + text);
}

Status RepositorySink::WriteFile(const std::string& name,
                                 const std::string& text) {
  ZPACK_TRY(MakeDirectoriesFor(name));
  return WriteText(file_system_, place_->inside() + '/' + name, text);
}

Status RepositorySink::WriteRefFiles(const RefsSnapshot& refs) {
  std::string packed = "# pack-refs with: peeled fully-peeled sorted \n";
  for (const Ref& ref : refs.refs) {
    if (ref.symbolic()) {
      ZPACK_TRY(WriteFile(ref.name, FormatLooseRef({}, ref.symref_target)));
      continue;
    }
    packed += ref.target.ToHex() + ' ' + ref.name + '\n';
    if (!ref.peeled.empty()) packed += '^' + ref.peeled.ToHex() + '\n';
  }
  ZPACK_TRY(WriteFile("packed-refs", packed));
  return WriteFile("HEAD", FormatLooseRef(refs.head_target, refs.head_symref));
}

Status RepositorySink::WriteReftables(const RefsSnapshot& refs) {
  const ObjectFormat format = repository_.object_format;
  for (auto& [name, logs] : worktrees_) {
    std::string directory = place_->inside();
    WorktreeRefs content;
    content.logs = std::move(logs);
    if (name.empty()) {
      content.head = {"HEAD", refs.head_target, {}, refs.head_symref};
      content.refs = refs.refs;
    } else {
      directory += '/' + name;
      auto head = ReadLooseRef(format, directory, "HEAD");
      if (!head) {
        return MakeError(ErrorCode::kUnsupported,
                         "HEAD of '{}' cannot be stored in a reftable; use "
                         "--ref-format=files or --without worktrees",
                         name);
      }
      content.head = *std::move(head);
    }
    ZPACK_TRY(WriteRestoredReftable(file_system_, directory, format, content));
  }
  return {};
}

Status RepositorySink::WriteRefs(const RefsSnapshot& refs) {
  if (!refs.shallow.empty()) {
    std::string shallow;
    for (const ObjectId& id : refs.shallow) shallow += id.ToHex() + '\n';
    ZPACK_TRY(WriteFile("shallow", shallow));
  }
  return repository_.ref_storage == RefStorage::kFiles ? WriteRefFiles(refs)
                                                       : WriteReftables(refs);
}

Status RepositorySink::WritePromisorMarks() {
  if (repository_.promisor_remotes.empty()) return {};
  const std::string path = place_->inside() + '/' + kConfig;
  ZPACK_ASSIGN_OR_RETURN(
      const std::string remotes,
      MissingRemoteSettings(path, repository_.promisor_remotes));
  ZPACK_TRY(AppendToConfig(kMaxAllSettings, remotes));
  // Git takes what the objects of a marked pack link to for promised.
  if (!pack_) return {};
  return WriteFile("objects/pack/" + pack_->name() + ".promisor", "");
}

Status RepositorySink::ShareFiles() {
  const std::string directory = place_->inside();
  ZPACK_ASSIGN_OR_RETURN(const Configuration config,
                         ReadConfigurationFile(directory + '/' + kConfig));
  const auto shared = ReadSharedMode(config);
  // Git reads a repository with a value that it does not understand.
  if (!shared || shared->kind == SharedMode::Kind::kUmask) return {};
  place_->Share(*shared);
  return ShareBelow(directory, *shared);
}

Status RepositorySink::ShareBelow(const std::string& directory,
                                  const SharedMode& shared) {
  ZPACK_ASSIGN_OR_RETURN(const auto entries, ListEntries(directory));
  for (const auto& [name, type] : entries) {
    const std::string path = directory + '/' + name;
    struct stat info;
    if (lstat(path.c_str(), &info) != 0) {
      return std::unexpected(IoError("stat", path, errno));
    }
    if (S_ISLNK(info.st_mode)) continue;
    const unsigned mode = info.st_mode & 07777U;
    if (!S_ISDIR(info.st_mode)) {
      ZPACK_TRY(file_system_.SetMode(path, shared.ForFile(mode)));
      continue;
    }
    ZPACK_TRY(ShareBelow(path, shared));
    ZPACK_TRY(file_system_.SetMode(path, shared.ForDirectory(mode)));
  }
  return {};
}

Result<uint64_t> RepositorySink::Publish(const RefsSnapshot& refs) {
  uint64_t pack_bytes = 0;
  if (pack_) {
    ZPACK_TRY(pack_->Finish());
    pack_bytes = pack_->bytes();
  }
  ZPACK_TRY(WritePromisorMarks());
  if (pack_) {
    ZPACK_TRY(pack_->Publish());
    pack_.reset();
  }
  ZPACK_TRY(WriteRefs(refs));
  ZPACK_TRY(ShareFiles());
  // Also syncs the names of files and directories.
  ZPACK_TRY(file_system_.SyncFileSystem(place_->inside()));
  ZPACK_TRY(place_->Publish());
  // If the caller is killed from now on, no lock is left.
  place_.reset();
  return pack_bytes;
}

}  // namespace

Result<std::unique_ptr<ObjectSink>> CreateRepository(
    FileSystem& file_system, const std::string& directory, Overwrite overwrite,
    const NewRepository& repository) {
  ZPACK_ASSIGN_OR_RETURN(auto place,
                         RestorePlace::Take(file_system, directory, overwrite,
                                            repository.lfs_objects));
  const auto prepare = [&]() -> Result<std::unique_ptr<PackWriter>> {
    ZPACK_TRY(MakeSkeleton(file_system, place->inside(), repository));
    ZPACK_TRY(place->TryPublish());
    if (repository.object_count == 0) return nullptr;
    return PackWriter::Create(repository.object_format, file_system,
                              place->inside() + "/objects/pack",
                              repository.object_count);
  };
  ZPACK_ASSIGN_OR_RETURN(auto pack, prepare());
  return std::make_unique<RepositorySink>(file_system, repository,
                                          std::move(place), std::move(pack));
}

}  // namespace zpack
