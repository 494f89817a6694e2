// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/openssl_memory.h"

#include <openssl/crypto.h>

#include <cstddef>

#include "base/memory_reserve.h"

namespace zpack {
namespace {

// More than OpenSSL needs until it can report errors.
constinit MemoryReserve reserve;

// OpenSSL passes names of files and lines for debugging.

void* Allocate(size_t size, const char* /*file*/, int /*line*/) {
  return reserve.Allocate(size);
}

void* Reallocate(void* memory, size_t size, const char* /*file*/,
                 int /*line*/) {
  return reserve.Reallocate(memory, size);
}

void Free(void* memory, const char* /*file*/, int /*line*/) {
  reserve.Free(memory);
}

}  // namespace

void UseOpensslReserve() {
  CRYPTO_set_mem_functions(Allocate, Reallocate, Free);
}

}  // namespace zpack
