// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "base/batch_hash.h"

#include <fmt/format.h>
#include <intel-ipsec-mb.h>

#include <utility>

#include "base/check.h"

namespace zpack {
namespace {

struct FreeManager {
  void operator()(IMB_MGR* manager) const { free_mb_mgr(manager); }
};
using ManagerHandle = std::unique_ptr<IMB_MGR, FreeManager>;

}  // namespace

struct BatchHasher::State {
  ManagerHandle manager;
  IMB_HASH_ALG algorithm;
  size_t hash_size;
};

BatchHasher::BatchHasher(std::unique_ptr<State> state)
    : state_(std::move(state)) {}

BatchHasher::~BatchHasher() = default;

std::unique_ptr<BatchHasher> BatchHasher::Create(HashAlgorithm algorithm) {
  ManagerHandle manager(alloc_mb_mgr(0));
  if (manager == nullptr) return nullptr;
  IMB_ARCH architecture = IMB_ARCH_NONE;
  init_mb_mgr_auto(manager.get(), &architecture);
  // Two or four messages at a time are slower than one with SHA instructions.
  if (imb_get_errno(manager.get()) != 0 || architecture < IMB_ARCH_AVX2) {
    return nullptr;
  }
  const bool sha1 = algorithm == HashAlgorithm::kSha1;
  auto state = std::make_unique<State>(
      std::move(manager), sha1 ? IMB_AUTH_SHA_1 : IMB_AUTH_SHA_256,
      sha1 ? IMB_SHA1_DIGEST_SIZE_IN_BYTES : IMB_SHA256_DIGEST_SIZE_IN_BYTES);
  return std::unique_ptr<BatchHasher>(new BatchHasher(std::move(state)));
}

std::string BatchHasher::Description() {
  const ManagerHandle manager(alloc_mb_mgr(0));
  IMB_ARCH architecture = IMB_ARCH_NONE;
  if (manager != nullptr) init_mb_mgr_auto(manager.get(), &architecture);
  const std::string library =
      fmt::format("libipsec-mb {}", imb_get_version_str());
  switch (architecture) {
    case IMB_ARCH_AVX2:
      return library + ", AVX2";
    case IMB_ARCH_AVX512:
      return library + ", AVX-512";
    default:
      return "OpenSSL, one message at a time; " + library + " needs AVX2";
  }
}

void BatchHasher::Run(std::span<const ByteView> messages,
                      std::span<Hash> hashes) {
  ZPACK_CHECK(messages.size() == hashes.size());
  IMB_MGR* const manager = state_->manager.get();
  size_t done = 0;
  // Jobs end in any order, each with its hash in place.
  const auto finish = [&](const IMB_JOB* job) {
    for (; job != nullptr; job = IMB_GET_COMPLETED_JOB(manager)) {
      ZPACK_CHECK(job->status == IMB_STATUS_COMPLETED);
      ++done;
    }
  };
  for (size_t i = 0; i < messages.size(); ++i) {
    IMB_JOB* const job = IMB_GET_NEXT_JOB(manager);
    *job = {};
    job->cipher_mode = IMB_CIPHER_NULL;
    job->cipher_direction = IMB_DIR_ENCRYPT;
    job->chain_order = IMB_ORDER_HASH_CIPHER;
    job->hash_alg = state_->algorithm;
    job->src = messages[i].data();
    job->msg_len_to_hash_in_bytes = messages[i].size();
    job->auth_tag_output = hashes[i].data();
    job->auth_tag_output_len_in_bytes = state_->hash_size;
    finish(IMB_SUBMIT_JOB(manager));
  }
  while (const IMB_JOB* const job = IMB_FLUSH_JOB(manager)) finish(job);
  ZPACK_CHECK(done == messages.size());
}

}  // namespace zpack
