// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "git/refs/worktree_index.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace zpack {
namespace {

constexpr uint32_t kWorktreeIndexSignature = 0x44495243;  // "DIRC"
constexpr uint32_t kCacheTree = 0x54524545;               // "TREE"
constexpr uint32_t kResolveUndo = 0x52455543;             // "REUC"
constexpr uint32_t kLink = 0x6c696e6b;                    // "link"
constexpr uint32_t kSparseDirectories = 0x73646972;       // "sdir"
constexpr int kFirstLetter = 24;  // bits after the first byte of a name
// The fields of an entry before the mode: times, device, inode.
constexpr size_t kBeforeMode = 24;
constexpr size_t kAfterMode = 12;
constexpr size_t kAlignment = 8;
constexpr uint16_t kExtended = 0x4000;
constexpr uint32_t kGitlink = 0160000;
constexpr uint32_t kKind = 0170000;

class IndexReader {
 public:
  IndexReader(ObjectFormat format, ByteView content, WorktreeIndex& index)
      : width_(ObjectIdWidth(format)), in_(content), index_(index) {}

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
      ReadExtension(name, extension);
    }
    return in_.ok() && in_.remaining() == width_ && !has_bad_link_;
  }

  // True if the index has an extension that a reader has to know.
  bool has_unknown() const { return has_unknown_; }

 private:
  void ReadExtension(uint32_t name, ByteView extension) {
    if (name == kCacheTree) {
      ReadCacheTree(extension);
    } else if (name == kResolveUndo) {
      ReadResolveUndo(extension);
    } else if (name == kLink) {
      ReadLink(extension);
    } else if (name != kSparseDirectories && !IsOptional(name)) {
      has_unknown_ = true;
    }
  }

  // True if a reader may ignore an extension of this name.
  static bool IsOptional(uint32_t name) {
    const uint32_t first = name >> kFirstLetter;
    return first >= 'A' && first <= 'Z';
  }

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
    if (!in_.ok()) return;
    index_.entries.push_back((mode & kKind) == kGitlink ? ObjectId()
                                                        : ObjectId(id));
  }

  // Removes the text up to and including `end`, and returns it without `end`.
  static std::string_view TakeUntil(char end, std::string_view& rest) {
    const size_t at = rest.find(end);
    const std::string_view text = rest.substr(0, at);
    rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
    return text;
  }

  void TakeId(std::string_view& rest, std::set<ObjectId>& ids) const {
    if (rest.size() < width_) {
      rest = {};
      return;
    }
    ids.insert(ObjectId(AsBytes(rest.substr(0, width_))));
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
      if (valid) TakeId(rest, index_.others);
    }
  }

  // Each path has a name, three octal modes, and an id for each mode that is
  // not 0.
  void ReadResolveUndo(ByteView extension) const {
    std::string_view rest = AsText(extension);
    while (!rest.empty()) {
      TakeUntil('\0', rest);
      std::vector<std::set<ObjectId>*> targets;
      for (int stage = 0; stage < 3; ++stage) {
        const std::string_view mode = TakeUntil('\0', rest);
        if (mode == "0") continue;
        targets.push_back(mode.starts_with("100") ? &index_.others
                                                  : &index_.extra);
      }
      for (std::set<ObjectId>* const target : targets) TakeId(rest, *target);
    }
  }

  // The hash of the shared index, and two bitmaps unless they are empty. Zeros
  // stand for no shared index.
  void ReadLink(ByteView extension) {
    has_bad_link_ = extension.size() < width_;
    if (has_bad_link_) return;
    const ByteView id = extension.first(width_);
    if (std::ranges::all_of(id, [](uint8_t byte) { return byte == 0; })) return;
    index_.shared = ObjectId(id);
    const ByteView bitmaps = extension.subspan(width_);
    index_.hidden.assign(bitmaps.begin(), bitmaps.end());
  }

  size_t width_;  // of an id
  ByteReader in_;
  WorktreeIndex& index_;
  bool has_unknown_ = false;
  bool has_bad_link_ = false;
};

// Marks the positions in a bitmap in Git's compressed form (Git's
// Documentation/technical/bitmap-format.adoc, 'EWAH bit-serialization format').
// False if the bitmap cannot be parsed, or has a position that `marks` does not
// have.
bool MarkPositions(ByteReader& in, std::vector<bool>& marks) {
  constexpr uint64_t kWordBits = 64;
  constexpr int kRunBits = 32;
  in.U32();  // the number of bits
  uint64_t words = in.Count(in.U32(), sizeof(uint64_t));
  uint64_t at = 0;
  while (words > 0) {
    // Equal words, and how many other words follow.
    const uint64_t marker = in.U64();
    const uint64_t run =
        kWordBits * ((marker >> 1) & ((uint64_t{1} << kRunBits) - 1));
    uint64_t literals = marker >> (kRunBits + 1);
    if (literals > --words) return false;
    words -= literals;
    if ((marker & 1) != 0) {
      if (at > marks.size() || run > marks.size() - at) return false;
      const auto begin = marks.begin() + static_cast<ptrdiff_t>(at);
      std::fill_n(begin, run, true);
    }
    // Beyond the last mark, all positions are equally wrong.
    at = std::min<uint64_t>(at + run, marks.size() + kWordBits);
    for (; literals > 0; --literals, at += kWordBits) {
      const uint64_t word = in.U64();
      for (uint64_t bit = 0; bit < kWordBits; ++bit) {
        if ((word >> bit & 1) == 0) continue;
        if (at + bit >= marks.size()) return false;
        marks[at + bit] = true;
      }
    }
  }
  in.U32();  // the position of the last marker
  return in.ok();
}

}  // namespace

Result<WorktreeIndex> ReadIndex(ObjectFormat format, ByteView content,
                                const std::string& path) {
  WorktreeIndex index;
  IndexReader reader(format, content, index);
  const uint32_t version = reader.ReadVersion();
  if (version > 4) {
    return MakeError(ErrorCode::kUnsupported, "index of version {}: '{}'",
                     version, AtPath{path});
  }
  if (version < 2 || !reader.ReadRest(version)) {
    return MakeError(ErrorCode::kSourceCorrupt,
                     "bad index file '{}'; remove it, and 'git reset' makes a "
                     "new one",
                     AtPath{path});
  }
  if (reader.has_unknown()) {
    return MakeError(ErrorCode::kUnsupported,
                     "index with an extension that is not known: '{}'",
                     AtPath{path});
  }
  return index;
}

Result<std::vector<bool>> ReadHidden(const WorktreeIndex& index, size_t count,
                                     const std::string& path) {
  std::vector<bool> hidden(count);
  if (index.hidden.empty()) return hidden;
  ByteReader in(index.hidden);
  // Deleted entries, and replaced ones.
  bool fits = MarkPositions(in, hidden);
  fits = fits && MarkPositions(in, hidden) && in.remaining() == 0;
  if (!fits) {
    return MakeError(ErrorCode::kSourceCorrupt,
                     "bad index file '{}': it does not fit its shared index",
                     AtPath{path});
  }
  return hidden;
}

}  // namespace zpack
