// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/disk_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/directory.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/hex.h"

namespace zpack {
namespace {

constexpr std::string_view kMapSuffix = ".map";
constexpr std::string_view kPagesSuffix = ".pages";
// Bytes that are written between two looks at the size of the cache.
constexpr uint64_t kTrimInterval = uint64_t{64} << 20;

bool ReadFully(int fd, uint64_t offset, std::span<uint8_t> out) {
  while (!out.empty()) {
    const ssize_t got =
        pread(fd, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    offset += static_cast<uint64_t>(got);
    out = out.subspan(static_cast<size_t>(got));
  }
  return true;
}

bool WriteFully(int fd, uint64_t offset, ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t put =
        pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    offset += static_cast<uint64_t>(put);
    bytes = bytes.subspan(static_cast<size_t>(put));
  }
  return true;
}

// Whether an open file is one that this program made: others may not have
// planted a file of theirs, a device, or a link to another file of this user.
bool IsOwnFile(int fd) {
  struct stat status{};
  return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
         status.st_uid == geteuid() && status.st_nlink == 1;
}

// Opens a file of an entry that only this user may read. What has its name and
// is not such a file goes.
Descriptor OpenEntryFile(const std::string& path) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  Descriptor found(open(path.c_str(), kFlags, 0600));
  if (found.get() >= 0 && IsOwnFile(found.get())) return found;
  unlink(path.c_str());
  return Descriptor(open(path.c_str(), kFlags | O_EXCL, 0600));
}

// Takes the directory from all other users. What was read from a server with a
// password is not for them. False if it belongs to another user, or others can
// write to it in spite of that.
bool MakePrivate(const std::string& directory) {
  struct stat status{};
  if (stat(directory.c_str(), &status) != 0 || status.st_uid != geteuid()) {
    return false;
  }
  return chmod(directory.c_str(), 0700) == 0 ||
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

using MapEntry = std::array<uint8_t, sizeof(uint64_t)>;

// What the map holds for a page: a checksum of the entry's name, the number and
// the page, as an entry or page may have been copied. Zeros stand for an absent
// page.
MapEntry MapEntryOf(std::string_view name, uint64_t number, ByteView page) {
  Bytes key;
  ByteWriter writer(key);
  writer.Raw(AsBytes(name));
  writer.U64(number);
  writer.U64(Checksum(page));
  const uint64_t checksum = std::max<uint64_t>(Checksum(key), 1);
  MapEntry entry;
  for (size_t i = 0; i < entry.size(); ++i) {
    entry[i] = static_cast<uint8_t>(checksum >> (8 * i));
  }
  return entry;
}

struct Entry {
  std::string name;
  timespec used{};
  uint64_t bytes = 0;
};

uint64_t BytesOnDisk(const struct stat& status) {
  return static_cast<uint64_t>(status.st_blocks) * 512;
}

Result<std::vector<Entry>> ListCached(const std::string& directory) {
  ZPACK_ASSIGN_OR_RETURN(const auto files, ListEntries(directory));
  std::vector<Entry> entries;
  for (const DirectoryEntry& found : files) {
    std::string_view file = found.name;
    if (!file.ends_with(kMapSuffix)) continue;
    file.remove_suffix(kMapSuffix.size());
    Entry entry{.name = std::string(file)};
    const std::string base = directory + '/' + entry.name;
    struct stat status{};
    if (lstat((base + std::string(kMapSuffix)).c_str(), &status) != 0) continue;
    entry.used = status.st_mtim;
    entry.bytes = BytesOnDisk(status);
    if (lstat((base + std::string(kPagesSuffix)).c_str(), &status) == 0) {
      entry.bytes += BytesOnDisk(status);
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

// Removes an entry that no process uses.
bool RemoveEntry(const std::string& directory, const std::string& name) {
  const std::string base = directory + '/' + name;
  const std::string map = base + std::string(kMapSuffix);
  const Descriptor fd(open(map.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (fd.get() < 0 || flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return false;
  unlink((base + std::string(kPagesSuffix)).c_str());
  return unlink(map.c_str()) == 0;
}

// Removes entries until the cache has at most `max_bytes`. Returns false if
// that is not possible.
bool TrimCache(const DiskCache::Place& place) {
  Result<std::vector<Entry>> entries = ListCached(place.directory);
  if (!entries) return false;
  uint64_t total = 0;
  for (const Entry& entry : *entries) total += entry.bytes;
  std::ranges::sort(*entries, {}, [](const Entry& entry) {
    return std::tuple(entry.used.tv_sec, entry.used.tv_nsec, entry.name);
  });
  for (const Entry& entry : *entries) {
    if (total <= place.max_bytes) break;
    if (RemoveEntry(place.directory, entry.name)) total -= entry.bytes;
  }
  return total <= place.max_bytes;
}

}  // namespace

std::string DiskCache::DefaultDirectory() {
  const auto absolute = [](const char* name) -> std::string {
    const char* const value = getenv(name);
    return value != nullptr && *value == '/' ? value : "";
  };
  const std::string cache = absolute("XDG_CACHE_HOME");
  if (!cache.empty()) return cache + "/git-zpack";
  const std::string home = absolute("HOME");
  return home.empty() ? home : home + "/.cache/git-zpack";
}

std::unique_ptr<DiskCache> DiskCache::Open(const Place& place,
                                           const std::string& version,
                                           uint64_t page_size) {
  if (place.directory.empty() || place.max_bytes == 0 || version.empty() ||
      !MakeDirectories(place.directory) || !MakePrivate(place.directory)) {
    return nullptr;
  }
  Hasher hasher(HashAlgorithm::kSha256);
  hasher.Update(AsBytes(version));
  std::array<uint8_t, Hasher::kMaxSize> hash;
  std::string name = ToHex(hasher.Finish(hash));
  const std::string base = place.directory + '/' + name;
  Descriptor map = OpenEntryFile(base + std::string(kMapSuffix));
  // Only a process that removes the entry excludes others.
  if (map.get() < 0 || flock(map.get(), LOCK_SH | LOCK_NB) != 0) return nullptr;
  Descriptor pages = OpenEntryFile(base + std::string(kPagesSuffix));
  if (pages.get() < 0) return nullptr;
  futimens(map.get(), nullptr);
  std::unique_ptr<DiskCache> cache(new DiskCache(
      place, std::move(name), page_size, std::move(map), std::move(pages)));
  cache->full_ = !TrimCache(place);
  return cache;
}

bool DiskCache::Read(uint64_t number, std::span<uint8_t> out) const {
  MapEntry entry{};
  if (!ReadFully(map_.get(), number * entry.size(), entry)) return false;
  if (std::ranges::all_of(entry, [](uint8_t byte) { return byte == 0; })) {
    return false;
  }
  return ReadFully(pages_.get(), number * page_size_, out) &&
         MapEntryOf(name_, number, out) == entry;
}

void DiskCache::Write(uint64_t number, ByteView page) {
  if (full_) return;
  if (!WriteFully(pages_.get(), number * page_size_, page)) {
    full_ = true;
    return;
  }
  const MapEntry entry = MapEntryOf(name_, number, page);
  WriteFully(map_.get(), number * entry.size(), entry);
  const uint64_t before = written_.fetch_add(page.size());
  if (before / kTrimInterval != (before + page.size()) / kTrimInterval) {
    full_ = !TrimCache(place_);
  }
}

void DiskCache::Remove(uint64_t number) {
  const MapEntry absent{};
  WriteFully(map_.get(), number * absent.size(), absent);
}

}  // namespace zpack
