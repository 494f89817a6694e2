// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/hash.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <xxhash.h>

#include <new>

#include "base/check.h"
#include "base/guarded.h"

namespace zpack {
namespace {

EVP_MD* Fetch(const char* name) {
  // If memory runs out when OpenSSL makes its default context, OpenSSL 3.0 does
  // not notice at the next use, and follows null pointers from there.
  Allocated(OSSL_LIB_CTX_get0_global_default());
  return Allocated(EVP_MD_fetch(nullptr, name, nullptr));
}

// Fetched once, because looking up an algorithm costs more than hashing a small
// object.
const EVP_MD* Algorithm(HashAlgorithm algorithm) {
  static EVP_MD* const sha1 = Fetch("SHA1");
  static EVP_MD* const sha256 = Fetch("SHA256");
  return algorithm == HashAlgorithm::kSha1 ? sha1 : sha256;
}

// `code` is the result of an OpenSSL function. With valid arguments, such a
// function fails only for lack of memory.
void Require(int code) {
  if (code != 1) throw std::bad_alloc();
}

}  // namespace

struct Hasher::State {
  EVP_MD_CTX* context = Allocated(EVP_MD_CTX_new());
  const EVP_MD* algorithm = nullptr;
  ~State() { EVP_MD_CTX_free(context); }
};

Hasher::Hasher(HashAlgorithm algorithm) : state_(std::make_unique<State>()) {
  state_->algorithm = Algorithm(algorithm);
  Start();
}

Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

void Hasher::Start() {
  Require(EVP_DigestInit_ex2(state_->context, state_->algorithm, nullptr));
}

void Hasher::Update(ByteView bytes) {
  Require(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()));
}

ByteView Hasher::Finish(std::array<uint8_t, kMaxSize>& out) {
  unsigned int size = 0;
  Require(EVP_DigestFinal_ex(state_->context, out.data(), &size));
  Start();
  return ByteView(out.data(), size);
}

uint64_t Checksum(ByteView bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

struct ChecksumHasher::State {
  XXH3_state_t* hash = Allocated(XXH3_createState());
  ~State() { XXH3_freeState(hash); }
};

ChecksumHasher::ChecksumHasher() : state_(std::make_unique<State>()) {
  ZPACK_CHECK(XXH3_64bits_reset(state_->hash) == XXH_OK);
}
ChecksumHasher::~ChecksumHasher() = default;

void ChecksumHasher::Update(ByteView bytes) {
  ZPACK_CHECK(XXH3_64bits_update(state_->hash, bytes.data(), bytes.size()) ==
              XXH_OK);
}

uint64_t ChecksumHasher::Value() const {
  return XXH3_64bits_digest(state_->hash);
}

}  // namespace zpack
