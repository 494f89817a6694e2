// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "pack/pack_file_pool.h"

#include <array>
#include <cstdint>
#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/error.h"

namespace zpack {
namespace {

// The checksum at the end of a pack identifies the pack.
constexpr size_t kChecksumWidth = 20;
using PackEnd = std::array<uint8_t, kChecksumWidth>;

Result<PackEnd> ReadEnd(const RandomAccessFile& file) {
  PackEnd end{};
  if (file.size() < end.size()) {
    return MakeError(ErrorCode::kCorrupt, "'{}' is too short for a pack",
                     AtPath{file.path()});
  }
  ZPACK_TRY(file.Read(file.size() - end.size(), end));
  return end;
}

}  // namespace

struct PackFilePool::State {
  using SharedFile = std::shared_ptr<RandomAccessFile>;
  class File;

  State(FileSystem& fs, size_t most) : file_system(fs), max_open(most) {}

  // The file at `path`. If it is closed, opens it and passes it to `check`
  // first. If another thread still reads a file that is closed here, the file
  // stays open until the read ends.
  template <typename Check>
  Result<SharedFile> Get(const std::string& path, Check check) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (const auto at = places.find(path); at != places.end()) {
      recent.splice(recent.begin(), recent, at->second);
      return recent.front();
    }
    if (recent.size() >= max_open) {
      places.erase(recent.back()->path());
      recent.pop_back();
    }
    ZPACK_ASSIGN_OR_RETURN(SharedFile file, file_system.OpenForRead(path));
    ZPACK_TRY(check(*file));
    recent.push_front(std::move(file));
    places[path] = recent.begin();
    return recent.front();
  }

  FileSystem& file_system;
  const size_t max_open;
  std::mutex mutex;              // guards the members below
  std::list<SharedFile> recent;  // open files, last used first
  std::unordered_map<std::string, std::list<SharedFile>::iterator> places;
};

class PackFilePool::State::File final : public RandomAccessFile {
 public:
  File(std::shared_ptr<State> state, std::string path, uint64_t size,
       const PackEnd& end)
      : state_(std::move(state)),
        path_(std::move(path)),
        size_(size),
        end_(end) {}

  Status Read(uint64_t offset, std::span<uint8_t> out) const override {
    const auto check = [this](const RandomAccessFile& file) -> Status {
      ZPACK_ASSIGN_OR_RETURN(const PackEnd end, ReadEnd(file));
      if (file.size() == size_ && end == end_) return {};
      return MakeError(ErrorCode::kCorrupt,
                       "'{}' was replaced while it was in use", AtPath{path_});
    };
    ZPACK_ASSIGN_OR_RETURN(const SharedFile file, state_->Get(path_, check));
    return file->Read(offset, out);
  }
  uint64_t size() const override { return size_; }
  const std::string& path() const override { return path_; }

 private:
  std::shared_ptr<State> state_;
  std::string path_;
  uint64_t size_;
  PackEnd end_;
};

PackFilePool::PackFilePool(FileSystem& file_system, size_t max_open)
    : state_(std::make_shared<State>(file_system, max_open)) {}

Result<std::unique_ptr<RandomAccessFile>> PackFilePool::Open(
    const std::string& path) {
  ZPACK_ASSIGN_OR_RETURN(
      const State::SharedFile file,
      state_->Get(path, [](const RandomAccessFile&) { return Status(); }));
  ZPACK_ASSIGN_OR_RETURN(const PackEnd end, ReadEnd(*file));
  return std::make_unique<State::File>(state_, path, file->size(), end);
}

}  // namespace zpack
