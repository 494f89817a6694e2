// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/openssl_memory.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>

namespace zpack {
namespace {

// Begins a piece of the reserve.
struct alignas(std::max_align_t) Piece {
  size_t size;
};

// More than OpenSSL needs until it can report errors. What is taken of it is
// never given back. A page of it takes memory once it is used.
alignas(Piece) std::array<std::byte, size_t{256} << 10> reserve;
std::atomic<size_t> used = 0;

bool IsReserve(const void* memory) {
  const std::less<const void*> before;
  return !before(memory, reserve.data()) &&
         before(memory, reserve.data() + reserve.size());
}

void* TakeReserve(size_t size) {
  if (size > reserve.size()) return nullptr;
  const size_t pieces = 1 + (size + sizeof(Piece) - 1) / sizeof(Piece);
  const size_t at = used.fetch_add(pieces * sizeof(Piece));
  if (at > reserve.size() || pieces * sizeof(Piece) > reserve.size() - at) {
    return nullptr;
  }
  Piece* const piece = new (reserve.data() + at) Piece{size};
  return piece + 1;
}

// OpenSSL passes names of files and lines for debugging.

void* Allocate(size_t size, const char* /*file*/, int /*line*/) {
  void* const memory = std::malloc(size);
  return memory != nullptr ? memory : TakeReserve(size);
}

void* Reallocate(void* memory, size_t size, const char* file, int line) {
  if (memory == nullptr) return Allocate(size, file, line);
  if (!IsReserve(memory)) return std::realloc(memory, size);
  void* const larger = Allocate(size, file, line);
  if (larger != nullptr) {
    const size_t old_size = (static_cast<Piece*>(memory) - 1)->size;
    std::memcpy(larger, memory, std::min(size, old_size));
  }
  return larger;
}

void Free(void* memory, const char* /*file*/, int /*line*/) {
  if (!IsReserve(memory)) std::free(memory);
}

}  // namespace

void UseOpensslReserve() {
  CRYPTO_set_mem_functions(Allocate, Reallocate, Free);
}

}  // namespace zpack
