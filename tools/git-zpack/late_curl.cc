// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of libcurl that src/http calls, for programs: the first call
// loads the library. Loading it and the twenty libraries that it needs takes
// two fifths of the time that a program takes to start, and few programs read
// by URL.

#include <curl/curl.h>
#include <dlfcn.h>

#include <cstdarg>
#include <string>

#pragma GCC visibility push(hidden)
#ifdef __clang__
// The functions of libcurl are declared so, and defined so by itself.
#pragma clang diagnostic ignored "-Wvarargs"
#endif

namespace {

struct Library {
  void* handle;
  std::string error;  // if there is no handle
};

const Library& TheLibrary() {
  static const Library library = [] {
    Library loaded{dlopen(ZPACK_CURL_LIBRARY, RTLD_NOW | RTLD_LOCAL), {}};
    // There is always a message after a failure.
    if (loaded.handle == nullptr) loaded.error = dlerror();
    return loaded;
  }();
  return library;
}

// A function of the library; null if it cannot be loaded.
template <typename Function>
Function* Find(const char* name) {
  void* const handle = TheLibrary().handle;
  return handle == nullptr ? nullptr
                           : reinterpret_cast<Function*>(dlsym(handle, name));
}

// NOLINTBEGIN(bugprone-branch-clone): branches differ in the type.

// Passes an argument of the type that the number of an option stands for.
template <typename Set>
auto PassOption(CURLoption option, std::va_list& value, const Set& set) {
  switch (option / 10000 * 10000) {
    case CURLOPTTYPE_LONG:
      return set(va_arg(value, long));
    case CURLOPTTYPE_FUNCTIONPOINT:
      return set(va_arg(value, void (*)()));
    case CURLOPTTYPE_OFF_T:
      return set(va_arg(value, curl_off_t));
    default:
      return set(va_arg(value, void*));
  }
}

}  // namespace

extern "C" {

CURLcode curl_global_init(long flags) {
  static auto* const real = Find<decltype(curl_global_init)>(__func__);
  return real == nullptr ? CURLE_FAILED_INIT : real(flags);
}

const char* curl_easy_strerror(CURLcode code) {
  static auto* const real = Find<decltype(curl_easy_strerror)>(__func__);
  return real == nullptr ? TheLibrary().error.c_str() : real(code);
}

curl_version_info_data* curl_version_info(CURLversion age) {
  static auto* const real = Find<decltype(curl_version_info)>(__func__);
  return real == nullptr ? nullptr : real(age);
}

// The others are called only after curl_global_init.

CURL* curl_easy_init() {
  static auto* const real = Find<decltype(curl_easy_init)>(__func__);
  return real();
}

CURLcode curl_easy_setopt(CURL* handle, CURLoption option, ...) {
  static auto* const real = Find<decltype(curl_easy_setopt)>(__func__);
  std::va_list value;
  va_start(value, option);
  const CURLcode code = PassOption(option, value, [&](auto argument) {
    return real(handle, option, argument);
  });
  va_end(value);
  return code;
}

CURLcode curl_easy_getinfo(CURL* handle, CURLINFO info, ...) {
  static auto* const real = Find<decltype(curl_easy_getinfo)>(__func__);
  std::va_list value;
  va_start(value, info);
  const CURLcode code = real(handle, info, va_arg(value, void*));
  va_end(value);
  return code;
}

CURLcode curl_easy_perform(CURL* handle) {
  static auto* const real = Find<decltype(curl_easy_perform)>(__func__);
  return real(handle);
}

void curl_easy_cleanup(CURL* handle) {
  static auto* const real = Find<decltype(curl_easy_cleanup)>(__func__);
  real(handle);
}

CURLSH* curl_share_init() {
  static auto* const real = Find<decltype(curl_share_init)>(__func__);
  return real();
}

CURLSHcode curl_share_setopt(CURLSH* share, CURLSHoption option, ...) {
  static auto* const real = Find<decltype(curl_share_setopt)>(__func__);
  std::va_list value;
  va_start(value, option);
  CURLSHcode code;
  if (option == CURLSHOPT_SHARE || option == CURLSHOPT_UNSHARE) {
    code = real(share, option, va_arg(value, int));
  } else {
    code = real(share, option, va_arg(value, void*));
  }
  va_end(value);
  return code;
}
// NOLINTEND(bugprone-branch-clone)

CURLSHcode curl_share_cleanup(CURLSH* share) {
  static auto* const real = Find<decltype(curl_share_cleanup)>(__func__);
  return real(share);
}

curl_slist* curl_slist_append(curl_slist* list, const char* line) {
  static auto* const real = Find<decltype(curl_slist_append)>(__func__);
  return real(list, line);
}

void curl_slist_free_all(curl_slist* list) {
  static auto* const real = Find<decltype(curl_slist_free_all)>(__func__);
  real(list);
}

}  // extern "C"

#pragma GCC visibility pop
