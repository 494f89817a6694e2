// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Byte buffers, and the only code that parses and produces the bytes of files.
// Integers on disk are big-endian, as in Git's own formats.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace zpack {

// Leaves new elements uninitialised. Buffers of megabytes are resized and then
// filled; clearing them first would cost as much as a pass over the data.
template <typename T>
class UninitializedAllocator : public std::allocator<T> {
 public:
  template <typename U>
  struct rebind {
    using other = UninitializedAllocator<U>;
  };
  template <typename U>
  void construct(U* p) {
    ::new (static_cast<void*>(p)) U;
  }
  template <typename U, typename... Args>
  void construct(U* p, Args&&... args) {
    ::new (static_cast<void*>(p)) U(std::forward<Args>(args)...);
  }
};

using Bytes = std::vector<uint8_t, UninitializedAllocator<uint8_t>>;
}  // namespace zpack

// In bytes.cc, optimised: the allocator makes `resize` and growth go byte by
// byte, and without optimisation that takes several calls for each.
extern template class std::vector<uint8_t,
                                  zpack::UninitializedAllocator<uint8_t>>;

namespace zpack {

using ByteView = std::span<const uint8_t>;

inline ByteView AsBytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}
inline std::string_view AsText(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline bool StartsWith(ByteView bytes, ByteView start) {
  return bytes.size() >= start.size() &&
         std::memcmp(bytes.data(), start.data(), start.size()) == 0;
}
// If `text` begins with `prefix`, removes it and returns true.
inline bool SkipPrefix(std::string_view prefix, std::string_view& text) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}
// Removes the first line and its line feed from `text`, and returns the line
// without it. Nothing, and no change, if there is no line feed.
inline std::optional<std::string_view> TakeLine(std::string_view& text) {
  const size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}
// REQUIRES: `bytes` is no part of `out`.
inline void Append(Bytes& out, ByteView bytes) {
  if (bytes.empty()) return;
  // The allocator would make `insert` copy one byte at a time.
  const size_t at = out.size();
  out.resize(at + bytes.size());
  std::memcpy(out.data() + at, bytes.data(), bytes.size());
}

// Maps signed integers to unsigned integers. Values near zero become small.
inline uint64_t ZigZag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^
         static_cast<uint64_t>(value >> 63);
}
inline int64_t UnZigZag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

// REQUIRES: `p` points at sizeof(T) readable bytes.
template <typename T>
T LoadBigEndian(const uint8_t* p) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    value = static_cast<T>(value << 8 | p[i]);
  }
  return value;
}

// Appends fields to a buffer that the caller owns.
class ByteWriter {
 public:
  explicit ByteWriter(Bytes& out) : out_(out) {}

  void U8(uint8_t value) { out_.push_back(value); }
  void U16(uint16_t value) { BigEndian(value); }
  void U32(uint32_t value) { BigEndian(value); }
  void U64(uint64_t value) { BigEndian(value); }
  // Unsigned LEB128: seven bits a byte, least significant first.
  void Varint(uint64_t value) {
    while (value >= 0x80) {
      out_.push_back(static_cast<uint8_t>(value | 0x80));
      value >>= 7;
    }
    out_.push_back(static_cast<uint8_t>(value));
  }
  void Raw(ByteView bytes) { Append(out_, bytes); }
  void LengthPrefixed(ByteView bytes) {
    Varint(bytes.size());
    Raw(bytes);
  }
  size_t size() const { return out_.size(); }

 private:
  template <typename T>
  void BigEndian(T value) {
    std::array<uint8_t, sizeof(T)> bytes;
    for (size_t i = 0; i < sizeof(T); ++i) {
      bytes[i] = static_cast<uint8_t>(value >> (8 * (sizeof(T) - 1 - i)));
    }
    Raw(bytes);
  }

  Bytes& out_;
};

// Cursor over bytes that the caller keeps alive. A read past the end, or a
// varint that is not minimal, makes the reader fail permanently: every later
// read returns zero or an empty view. Decoders test ok() before they trust a
// count, and exhausted() at the end.
class ByteReader {
 public:
  explicit ByteReader(ByteView bytes) : bytes_(bytes) {}

  uint8_t U8() { return Integer<uint8_t>(); }
  uint16_t U16() { return Integer<uint16_t>(); }
  uint32_t U32() { return Integer<uint32_t>(); }
  uint64_t U64() { return Integer<uint64_t>(); }

  uint64_t Varint() {
    // Most varints are one byte long, so only this case is worth inlining.
    if (ok_ && position_ < bytes_.size() && bytes_[position_] < 0x80) {
      return bytes_[position_++];
    }
    return LongVarint();
  }

  ByteView Raw(uint64_t size) {
    if (!ok_ || size > remaining()) {
      ok_ = false;
      return {};
    }
    const ByteView out = bytes_.subspan(position_, size);
    position_ += size;
    return out;
  }

  ByteView LengthPrefixed() { return Raw(Varint()); }

  // Returns `value`, a count of records of at least `min_record_size` bytes
  // each. Fails if the rest of the input is too short for that many records.
  uint64_t Count(uint64_t value, uint64_t min_record_size) {
    if (!ok_ || value > remaining() / min_record_size) {
      ok_ = false;
      return 0;
    }
    return value;
  }

  size_t position() const { return position_; }
  size_t remaining() const { return bytes_.size() - position_; }
  bool ok() const { return ok_; }
  bool exhausted() const { return ok_ && position_ == bytes_.size(); }

 private:
  [[gnu::noinline]] uint64_t LongVarint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const uint8_t byte = U8();
      if (shift == 63 && byte > 1) break;
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) {
        if (byte == 0 && shift != 0) break;
        return ok_ ? value : 0;
      }
    }
    ok_ = false;
    return 0;
  }

  template <typename T>
  T Integer() {
    const ByteView raw = Raw(sizeof(T));
    return raw.empty() ? T{0} : LoadBigEndian<T>(raw.data());
  }

  ByteView bytes_;
  size_t position_ = 0;
  bool ok_ = true;
};

}  // namespace zpack
