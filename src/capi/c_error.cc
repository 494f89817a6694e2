// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "capi/c_error.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "base/per_thread.h"

namespace zpack::capi {
namespace {

constexpr zpack_error kNone = {ZPACK_OK, "no error", "", {}, 0, 0};
constexpr zpack_error kNoMemory = {
    ZPACK_ENOMEMORY, "out of memory", "", {}, 0, 0};

thread_local const zpack_error* last_error = &kNone;

zpack_code CodeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kIo:
      return ZPACK_EIO;
    case ErrorCode::kNotDurable:
      return ZPACK_ENOTDURABLE;
    case ErrorCode::kCorrupt:
      return ZPACK_ECORRUPT;
    case ErrorCode::kUnsupported:
      return ZPACK_EUNSUPPORTED;
    case ErrorCode::kNotFound:
      return ZPACK_ENOTFOUND;
    case ErrorCode::kAmbiguous:
      return ZPACK_EAMBIGUOUS;
    case ErrorCode::kInvalidArgument:
      return ZPACK_EINVALID;
    case ErrorCode::kExists:
      return ZPACK_EEXISTS;
    case ErrorCode::kLimitExceeded:
      return ZPACK_ELIMIT;
    case ErrorCode::kMismatch:
      return ZPACK_EMISMATCH;
    case ErrorCode::kSourceCorrupt:
      return ZPACK_ESOURCE;
    case ErrorCode::kInterrupted:
      return ZPACK_EINTERRUPTED;
    case ErrorCode::kGit:
      return ZPACK_EGIT;
    case ErrorCode::kOutOfMemory:
      return ZPACK_ENOMEMORY;
    case ErrorCode::kInternal:
      break;
  }
  return ZPACK_EINTERNAL;
}

}  // namespace

ErrorRecord::ErrorRecord(Error error)
    : error_(std::move(error)),
      view_{CodeOf(error_.code),   error_.message.c_str(),
            error_.path.c_str(),   ToC(error_.object),
            error_.offset ? 1 : 0, error_.offset.value_or(0)} {}

int Fail(const Error& error) noexcept {
  try {
    static PerThread<std::unique_ptr<ErrorRecord>> records;
    auto& record = records.Get();
    record = std::make_unique<ErrorRecord>(error);
    last_error = &record->view();
  } catch (const std::exception&) {
    last_error = &kNoMemory;
  }
  return last_error->code;
}

zpack_oid ToC(const ObjectId& id) {
  zpack_oid oid = {};
  std::ranges::copy(id.bytes(), oid.bytes);
  oid.size = static_cast<unsigned char>(id.bytes().size());
  return oid;
}

ObjectId FromC(const zpack_oid* oid) {
  if (oid == nullptr || (oid->size != 20 && oid->size != 32)) return {};
  return ObjectId(std::span(oid->bytes, oid->size));
}

std::unexpected<Error> Invalid(std::string message) {
  return std::unexpected(
      Error{ErrorCode::kInvalidArgument, std::move(message)});
}

Result<ObjectId> IdOf(const zpack_oid* oid) {
  const ObjectId id = FromC(oid);
  if (id.empty()) return Invalid("not an object id");
  return id;
}

Result<std::vector<ObjectId>> IdsOf(const zpack_oid* oids, size_t count) {
  if (count == 0) return std::vector<ObjectId>();
  ZPACK_TRY(CheckGiven(oids));
  std::vector<ObjectId> ids;
  for (const zpack_oid& oid : std::span(oids, count)) {
    ZPACK_ASSIGN_OR_RETURN(const ObjectId id, IdOf(&oid));
    ids.push_back(id);
  }
  return ids;
}

Result<std::vector<std::string>> PathsOf(const char* const* paths,
                                         size_t count) {
  if (count == 0) return std::vector<std::string>();
  ZPACK_TRY(CheckGiven(paths));
  std::vector<std::string> strings;
  for (const char* const path : std::span(paths, count)) {
    ZPACK_TRY(CheckGiven(path));
    strings.emplace_back(path);
  }
  return strings;
}

namespace {

// `first` is the size of version 1.
template <typename Options>
size_t SizeOfTwo(unsigned version, size_t first) {
  if (version == 1) return first;
  return version == 2 ? sizeof(Options) : 0;
}

}  // namespace

template <>
size_t SizeInVersion<zpack_open_options>(unsigned version) {
  return SizeOfTwo<zpack_open_options>(version,
                                       offsetof(zpack_open_options, backing));
}

template <>
size_t SizeInVersion<zpack_verify_options>(unsigned version) {
  return SizeOfTwo<zpack_verify_options>(version,
                                         offsetof(zpack_verify_options, own));
}

template <>
size_t SizeInVersion<zpack_convert_options>(unsigned version) {
  return SizeOfTwo<zpack_convert_options>(
      version, offsetof(zpack_convert_options, onto));
}

template <>
size_t SizeInVersion<zpack_restore_options>(unsigned version) {
  return SizeOfTwo<zpack_restore_options>(
      version, offsetof(zpack_restore_options, backing));
}

extern "C" {

const zpack_error* zpack_error_last(void) { return last_error; }

int zpack_oid_from_hex(zpack_oid* out, const char* hex) {
  return Answer([&]() -> Result<int> {
    ZPACK_TRY(CheckGiven(out, hex));
    const auto id = ObjectId::FromHex(hex);
    if (!id) return Invalid("not 40 or 64 hexadecimal digits");
    *out = ToC(*id);
    return ZPACK_OK;
  });
}

void zpack_oid_to_hex(char* out, const zpack_oid* oid) {
  if (out == nullptr) return;
  constexpr const char* kDigits = "0123456789abcdef";
  const size_t size = FromC(oid).bytes().size();
  for (size_t i = 0; i < size; ++i) {
    *out++ = kDigits[oid->bytes[i] >> 4U];
    *out++ = kDigits[oid->bytes[i] & 15U];
  }
  *out = '\0';
}

int zpack_oid_compare(const zpack_oid* a, const zpack_oid* b) {
  const auto order = FromC(a) <=> FromC(b);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

}  // extern "C"

}  // namespace zpack::capi
