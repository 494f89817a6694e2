// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/worktree_index.h"

#include <string_view>

#include "base/error.h"

namespace zpack {
namespace {

constexpr uint32_t kWorktreeIndexSignature = 0x44495243;  // "DIRC"
constexpr uint32_t kCacheTree = 0x54524545;               // "TREE"
constexpr uint32_t kResolveUndo = 0x52455543;             // "REUC"
// The fields of an entry before the mode: times, device, inode.
constexpr size_t kBeforeMode = 24;
constexpr size_t kAfterMode = 12;
constexpr size_t kAlignment = 8;
constexpr uint16_t kExtended = 0x4000;
constexpr uint32_t kGitlink = 0160000;
constexpr uint32_t kKind = 0170000;

class IndexReader {
 public:
  IndexReader(ObjectFormat format, ByteView content, std::set<ObjectId>& tips)
      : width_(ObjectIdWidth(format)), in_(content), tips_(tips) {}

  // 0 if the content is not an index.
  uint32_t ReadVersion() {
    return in_.U32() == kWorktreeIndexSignature ? in_.U32() : 0;
  }

  // False unless entries and extensions end at the trailing hash.
  bool ReadRest(uint32_t version) {
    const uint32_t count = in_.U32();
    for (uint32_t i = 0; in_.ok() && i < count; ++i) ReadEntry(version);
    while (in_.ok() && in_.remaining() > width_) {
      const uint32_t name = in_.U32();
      const ByteView extension = in_.Raw(in_.U32());
      if (name == kCacheTree) ReadCacheTree(extension);
      if (name == kResolveUndo) ReadResolveUndo(extension);
    }
    return in_.ok() && in_.remaining() == width_;
  }

 private:
  void ReadEntry(uint32_t version) {
    const size_t begin = in_.remaining();
    in_.Raw(kBeforeMode);
    const uint32_t mode = in_.U32();
    in_.Raw(kAfterMode);
    const ByteView id = in_.Raw(width_);
    const uint16_t flags = in_.U16();
    if (version >= 3 && (flags & kExtended) != 0) in_.U16();
    if (version >= 4) {
      // Skips the number of bytes to remove from the previous name.
      while (in_.ok() && (in_.U8() & 0x80) != 0) {
      }
    }
    while (in_.ok() && in_.U8() != 0) {
    }
    if (version < 4) {
      while (in_.ok() && (begin - in_.remaining()) % kAlignment != 0) in_.U8();
    }
    if (in_.ok() && (mode & kKind) != kGitlink) tips_.insert(ObjectId(id));
  }

  // Removes the text up to and including `end`, and returns it without `end`.
  static std::string_view TakeUntil(char end, std::string_view& rest) {
    const size_t at = rest.find(end);
    const std::string_view text = rest.substr(0, at);
    rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
    return text;
  }

  void TakeId(std::string_view& rest) {
    if (rest.size() < width_) {
      rest = {};
      return;
    }
    tips_.insert(ObjectId(AsBytes(rest.substr(0, width_))));
    rest.remove_prefix(width_);
  }

  // Each directory has a name, a number of entries, a number of subdirectories,
  // and an id. If the number of entries is -1, the directory has changed, and
  // there is no id.
  void ReadCacheTree(ByteView extension) {
    std::string_view rest = AsText(extension);
    while (!rest.empty()) {
      TakeUntil('\0', rest);
      const bool valid = !TakeUntil(' ', rest).starts_with('-');
      TakeUntil('\n', rest);
      if (valid) TakeId(rest);
    }
  }

  // Each path has a name, three modes, and an id for each mode that is not 0.
  void ReadResolveUndo(ByteView extension) {
    std::string_view rest = AsText(extension);
    while (!rest.empty()) {
      TakeUntil('\0', rest);
      int ids = 0;
      for (int stage = 0; stage < 3; ++stage) {
        ids += TakeUntil('\0', rest) == "0" ? 0 : 1;
      }
      for (; ids > 0; --ids) TakeId(rest);
    }
  }

  size_t width_;  // of an id
  ByteReader in_;
  std::set<ObjectId>& tips_;
};

}  // namespace

Status AddIndexTips(ObjectFormat format, ByteView content,
                    const std::string& path, std::set<ObjectId>& tips) {
  IndexReader reader(format, content, tips);
  const uint32_t version = reader.ReadVersion();
  if (version > 4) {
    return MakeError(ErrorCode::kUnsupported, "index of version {}: '{}'",
                     version, AtPath{path});
  }
  if (version < 2 || !reader.ReadRest(version)) {
    return MakeError(ErrorCode::kSourceCorrupt, "bad index file '{}'",
                     AtPath{path});
  }
  return {};
}

}  // namespace zpack
