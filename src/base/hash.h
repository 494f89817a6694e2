// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Cryptographic hashes (OpenSSL) and the checksum of chunks (XXH3-64).

#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "base/bytes.h"

namespace zpack {

enum class HashAlgorithm : uint8_t { kSha1, kSha256 };

// Computes one hash at a time; reusable after Finish. Thread-compatible.
class Hasher {
 public:
  static constexpr size_t kMaxSize = 32;

  explicit Hasher(HashAlgorithm algorithm);
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;

  void Update(ByteView bytes);
  // Writes the hash, 20 or 32 bytes, to `out`, returns a view of it and starts
  // a new hash.
  ByteView Finish(std::array<uint8_t, kMaxSize>& out);

 private:
  struct State;
  void Start();
  std::unique_ptr<State> state_;
};

// XXH3-64 with seed 0.
uint64_t Checksum(ByteView bytes);

// Computes Checksum for bytes that arrive in pieces. Thread-compatible.
class ChecksumHasher {
 public:
  ChecksumHasher();
  ~ChecksumHasher();
  ChecksumHasher(const ChecksumHasher&) = delete;
  ChecksumHasher& operator=(const ChecksumHasher&) = delete;

  void Update(ByteView bytes);
  // The checksum of all bytes so far.
  uint64_t Value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace zpack
