// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/hash.h"

#include <openssl/evp.h>
#include <xxhash.h>

#include "base/check.h"

namespace zpack {
namespace {

// Fetched once: looking an algorithm up costs more than hashing a small object.
const EVP_MD* Algorithm(HashAlgorithm algorithm) {
  static EVP_MD* const sha1 = EVP_MD_fetch(nullptr, "SHA1", nullptr);
  static EVP_MD* const sha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return algorithm == HashAlgorithm::kSha1 ? sha1 : sha256;
}

}  // namespace

struct Hasher::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
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
  ZPACK_CHECK(EVP_DigestInit_ex2(state_->context, state_->algorithm, nullptr) ==
              1);
}

void Hasher::Update(ByteView bytes) {
  ZPACK_CHECK(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) ==
              1);
}

ByteView Hasher::Finish(std::array<uint8_t, kMaxSize>& out) {
  unsigned int size = 0;
  ZPACK_CHECK(EVP_DigestFinal_ex(state_->context, out.data(), &size) == 1);
  Start();
  return ByteView(out.data(), size);
}

uint64_t Checksum(ByteView bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

struct ChecksumHasher::State {
  XXH3_state_t* hash = XXH3_createState();
  ~State() { XXH3_freeState(hash); }
};

ChecksumHasher::ChecksumHasher() : state_(std::make_unique<State>()) {
  ZPACK_CHECK(state_->hash != nullptr);
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
