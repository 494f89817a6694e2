// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Cryptographic hashes (OpenSSL) and the chunk checksum (XXH3-64).

#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "base/bytes.h"

namespace zpack {

enum class HashAlgorithm : uint8_t { kSha1, kSha256 };

// One hash computation at a time; reusable after Finish. Thread-compatible.
class Hasher {
 public:
  static constexpr size_t kMaxSize = 32;

  explicit Hasher(HashAlgorithm algorithm);
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;

  void Update(ByteView bytes);
  // Writes the 20 or 32 bytes of the hash into `out`, returns that view of it
  // and starts over.
  ByteView Finish(std::array<uint8_t, kMaxSize>& out);

 private:
  struct State;
  void Start();
  std::unique_ptr<State> state_;
};

// XXH3-64 with seed 0.
uint64_t Checksum(ByteView bytes);

// The same for bytes that come in pieces. Thread-compatible.
class ChecksumHasher {
 public:
  ChecksumHasher();
  ~ChecksumHasher();
  ChecksumHasher(const ChecksumHasher&) = delete;
  ChecksumHasher& operator=(const ChecksumHasher&) = delete;

  void Update(ByteView bytes);
  // Of everything so far.
  uint64_t Value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace zpack
