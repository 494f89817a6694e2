// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Errors and ids of the C interface. The last error belongs to its thread.

#pragma once

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "zpack.h"
#include "zpack/object_id.h"
#include "zpack/result.h"

namespace zpack::capi {

// An error as C sees it. Its strings belong to this object.
class ErrorRecord {
 public:
  explicit ErrorRecord(Error error);
  ErrorRecord(const ErrorRecord&) = delete;
  ErrorRecord& operator=(const ErrorRecord&) = delete;

  const zpack_error& view() const { return view_; }

 private:
  Error error_;
  zpack_error view_;
};

// Makes `error` the last error of this thread, and returns its code.
int Fail(const Error& error) noexcept;

// Calls `body`, which returns Result<int>, for a function of the C interface.
template <typename Body>
int Answer(Body body) noexcept {
  const Result<int> result = Guarded(body);
  return result ? *result : Fail(result.error());
}

zpack_oid ToC(const ObjectId& id);
// Empty if `oid` is null or not an id.
ObjectId FromC(const zpack_oid* oid);

// The errors of arguments.
std::unexpected<Error> Invalid(std::string message);
// kInvalidArgument if one of the pointers is null.
template <typename... Pointers>
Status CheckGiven(Pointers... arguments) {
  if ((... && (arguments != nullptr))) return {};
  return Invalid("an argument that is needed is NULL");
}
// kInvalidArgument unless `oid` is an id.
Result<ObjectId> IdOf(const zpack_oid* oid);
// The ids of an array. kInvalidArgument if the array is null and has a size, or
// for something that is not an id.
Result<std::vector<ObjectId>> IdsOf(const zpack_oid* oids, size_t count);
// The strings of an array. kInvalidArgument if one of them is null, or if the
// array is and has a size.
Result<std::vector<std::string>> PathsOf(const char* const* paths,
                                         size_t count);

// How many bytes options have in this version; 0 if there is no such version.
// Types with several versions have specializations.
template <typename Options>
size_t SizeInVersion(unsigned version) {
  return version == 1 ? sizeof(Options) : 0;
}
template <>
size_t SizeInVersion<zpack_open_options>(unsigned version);
template <>
size_t SizeInVersion<zpack_verify_options>(unsigned version);
template <>
size_t SizeInVersion<zpack_convert_options>(unsigned version);
template <>
size_t SizeInVersion<zpack_restore_options>(unsigned version);

// The options that a caller gave, completed with `defaults`, or these if it
// gave null. kInvalidArgument for a version that is not known.
template <typename Options>
Result<Options> OptionsOr(const Options* options, const Options& defaults) {
  if (options == nullptr) return defaults;
  const size_t size = SizeInVersion<Options>(options->version);
  if (size == 0) return Invalid("unknown version of options");
  Options given = defaults;
  std::memcpy(&given, options, size);
  return given;
}
// For functions that set defaults.
template <typename Options>
int InitOptions(Options* options, unsigned version, const Options& defaults) {
  return Answer([&]() -> Result<int> {
    ZPACK_TRY(CheckGiven(options));
    const size_t size = SizeInVersion<Options>(version);
    if (size == 0) return Invalid("unknown version of options");
    // A caller of an older version has no room for more.
    std::memcpy(options, &defaults, size);
    options->version = version;
    return ZPACK_OK;
  });
}

}  // namespace zpack::capi
