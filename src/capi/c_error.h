// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Errors and ids of the C interface. The last error belongs to its thread.

#pragma once

#include <span>
#include <string>

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
// The options that a caller gave, or `defaults` if it gave null.
// kInvalidArgument if they have another version than `defaults`.
template <typename Options>
Result<Options> OptionsOr(const Options* options, const Options& defaults) {
  if (options == nullptr) return defaults;
  if (options->version == defaults.version) return *options;
  return Invalid("unknown version of options");
}
// For functions that set defaults.
template <typename Options>
int InitOptions(Options* options, unsigned version, const Options& defaults) {
  return Answer([&]() -> Result<int> {
    ZPACK_TRY(CheckGiven(options));
    if (version != defaults.version) {
      return Invalid("unknown version of options");
    }
    *options = defaults;
    return ZPACK_OK;
  });
}

}  // namespace zpack::capi
