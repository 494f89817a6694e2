// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// A value for each thread, such as a buffer that is kept from one call to the
// next. Unlike a `thread_local` value with a destructor, whose registration
// glibc ends the program for where memory is lacking, its lack is an error
// here.

#pragma once

#include <pthread.h>

#include <memory>
#include <new>

namespace zpack {

template <typename T>
class PerThread {
 public:
  // Throws std::bad_alloc where the process has no more keys.
  PerThread() {
    if (pthread_key_create(&key_, Delete) != 0) throw std::bad_alloc();
  }
  PerThread(const PerThread&) = delete;
  PerThread& operator=(const PerThread&) = delete;
  // Destroys the value of this thread; leaves those of others that still run.
  ~PerThread() {
    Delete(pthread_getspecific(key_));
    pthread_key_delete(key_);
  }

  // The value of this thread, made by its first call and destroyed when the
  // thread ends. Throws std::bad_alloc.
  T& Get() {
    if (void* const kept = pthread_getspecific(key_)) {
      return *static_cast<T*>(kept);
    }
    auto made = std::make_unique<T>();
    if (pthread_setspecific(key_, made.get()) != 0) throw std::bad_alloc();
    return *made.release();
  }

 private:
  static void Delete(void* value) { delete static_cast<T*>(value); }

  pthread_key_t key_ = {};
};

}  // namespace zpack
