// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory for a C library that crashes or hangs if a small allocation fails:
// what malloc does not give comes from here, and the library gets as far as the
// next allocation of ours, which fails in order. Safe to use from several
// threads.

#pragma once

#include <malloc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>

namespace zpack {

// For objects with static storage only: the pages that are never used then take
// no memory. What is taken of a reserve is never given back.
class MemoryReserve {
 public:
  constexpr MemoryReserve() = default;

  // As malloc; what comes from the reserve is zeros.
  void* Allocate(size_t size) {
    void* const memory = std::malloc(size);
    return memory != nullptr ? memory : Take(size);
  }

  // As realloc.
  void* Reallocate(void* memory, size_t size) {
    if (memory == nullptr) return Allocate(size);
    const bool owned = Owns(memory);
    if (!owned) {
      void* const larger = std::realloc(memory, size);
      if (larger != nullptr) return larger;
    }
    void* const larger = Allocate(size);
    if (larger == nullptr) return larger;
    const size_t old_size = owned ? (static_cast<Piece*>(memory) - 1)->size
                                  : malloc_usable_size(memory);
    std::memcpy(larger, memory, std::min(size, old_size));
    Free(memory);
    return larger;
  }

  // As free.
  void Free(void* memory) {
    if (!Owns(memory)) std::free(memory);
  }

 private:
  // Begins what is taken at once.
  struct alignas(std::max_align_t) Piece {
    size_t size;
  };

  bool Owns(const void* memory) const {
    const std::less<const void*> before;
    return !before(memory, bytes_.data()) &&
           before(memory, bytes_.data() + bytes_.size());
  }

  void* Take(size_t size) {
    if (size > bytes_.size()) return nullptr;
    const size_t pieces = 1 + (size + sizeof(Piece) - 1) / sizeof(Piece);
    const size_t at = used_.fetch_add(pieces * sizeof(Piece));
    if (at > bytes_.size() || pieces * sizeof(Piece) > bytes_.size() - at) {
      return nullptr;
    }
    Piece* const piece = new (bytes_.data() + at) Piece{size};
    return piece + 1;
  }

  alignas(Piece) std::array<std::byte, size_t{256} << 10> bytes_{};
  std::atomic<size_t> used_ = 0;
};

}  // namespace zpack
