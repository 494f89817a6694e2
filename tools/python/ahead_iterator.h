// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Results of reading an archive, one after the other. Another thread reads
// ahead. May be used from several threads at once.

#pragma once

#include <pybind11/pybind11.h>
#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>

#include "initialised_caster.h"
#include "interpreter_lock.h"
#include "python_errors.h"
#include "zpack/result.h"
#include "zpack/visit.h"

namespace zpack::python {

// How long a thread waits before it handles signals.
inline constexpr std::chrono::milliseconds kCheckInterval(100);
// How long the destruction of an iterator waits for its thread.
inline constexpr std::chrono::milliseconds kEndPatience(1000);

// The iterators that read ahead. The thread has the interpreter's lock.
void AddIterator(const void* iterator, std::stop_source stop);
void RemoveIterator(const void* iterator);
// The threads of all iterators end soon.
void StopIterators();

// `Item` has Weight(), the bytes of memory that it takes.
template <typename Item>
class AheadIterator {
 public:
  using Take = std::function<Visit(Item)>;
  // Passes on all items, and ends early if it is told so.
  using Work = std::function<Status(const std::stop_token&, const Take&)>;

  // `users` counts the thread that reads ahead.
  AheadIterator(Work work, std::shared_ptr<Users> users)
      : users_(std::move(users)),
        thread_([this, work = std::move(work),
                 counted = std::make_unique<Users::Counted>(*users_)](
                    const std::stop_token& stop) mutable {
          Read(stop, work, std::move(counted));
        }) {}
  AheadIterator(const AheadIterator&) = delete;
  AheadIterator& operator=(const AheadIterator&) = delete;

  // Whether this process made it. A forked process has no thread that reads
  // ahead, and must neither use nor destroy the iterator.
  bool IsOfThisProcess() const { return process_ == getpid(); }
  std::stop_source stop_source() { return thread_.get_stop_source(); }
  // The thread waits for no server any more.
  void StopReading() { users_->StopReading(); }
  const std::shared_ptr<Users>& users() const { return users_; }

  // Ends the thread. Returns whether it has ended within `time`: one that waits
  // for a server has not.
  bool EndWithin(std::chrono::milliseconds time) {
    thread_.request_stop();
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, time, [&] { return ended_; });
  }

  // The next item, or nullopt at the end. After an error, the end follows.
  // No value at all if there is no item within `time`.
  std::optional<Result<std::optional<Item>>> Next(
      std::chrono::milliseconds time) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!changed_.wait_for(lock, time,
                           [&] { return ended_ || !waiting_.empty(); })) {
      return std::nullopt;
    }
    if (waiting_.empty()) {
      Status status = std::exchange(status_, Status{});
      if (!status) return std::unexpected(std::move(status).error());
      return Result<std::optional<Item>>(std::nullopt);
    }
    Item next = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_bytes_ -= next.Weight();
    changed_.notify_all();
    return Result<std::optional<Item>>(std::move(next));
  }

 private:
  // Bytes of items that wait to be taken, at most, and for one more item.
  static constexpr uint64_t kMaxWaiting = uint64_t{16} << 20;

  Visit Append(Item item, const std::stop_token& stop) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!changed_.wait(lock, stop,
                       [&] { return waiting_bytes_ < kMaxWaiting; })) {
      return Visit::kStop;
    }
    waiting_bytes_ += item.Weight();
    waiting_.push_back(std::move(item));
    changed_.notify_all();
    return Visit::kContinue;
  }

  void Read(const std::stop_token& stop, const Work& work,
            std::unique_ptr<Users::Counted> counted) {
    Status status =
        work(stop, [&](Item item) { return Append(std::move(item), stop); });
    counted.reset();
    const std::lock_guard<std::mutex> lock(mutex_);
    status_ = std::move(status);
    ended_ = true;
    changed_.notify_all();
  }

  std::shared_ptr<Users> users_;
  const pid_t process_ = getpid();
  std::mutex mutex_;  // guards everything below
  std::condition_variable_any changed_;
  std::deque<Item> waiting_;
  uint64_t waiting_bytes_ = 0;
  bool ended_ = false;
  Status status_;
  std::jthread thread_;  // last, so that it ends before what it uses
};

// Destroys an iterator whose thread still waits for a server, without waiting
// for it. The end of the process waits.
template <typename Item>
void DestroyLater(std::unique_ptr<AheadIterator<Item>> iterator) {
  auto users = iterator->users();
  auto counted = std::make_unique<Users::Counted>(*users);
  std::thread([users = std::move(users), counted = std::move(counted),
               owned = std::move(iterator)]() mutable {
    owned.reset();
    counted.reset();
  }).detach();
}

// Ends the thread of an iterator without the interpreter's lock, because the
// thread may wait for a server.
struct EndIterator {
  template <typename Item>
  void operator()(AheadIterator<Item>* iterator) const {
    RemoveIterator(iterator);
    if (!iterator->IsOfThisProcess()) return;
    const Unlocked unlocked;
    std::unique_ptr<AheadIterator<Item>> owned(iterator);
    if (owned->EndWithin(kEndPatience)) return;
    try {
      DestroyLater(std::move(owned));
    } catch (const std::exception&) {
      // No memory or no thread: it was destroyed here.
    }
  }
};
template <typename Item>
using OwnedIterator = std::unique_ptr<AheadIterator<Item>, EndIterator>;

template <typename Item>
OwnedIterator<Item> MakeIterator(typename AheadIterator<Item>::Work work,
                                 std::shared_ptr<Users> users) {
  auto made =
      std::make_unique<AheadIterator<Item>>(std::move(work), std::move(users));
  AddIterator(made.get(), made->stop_source());
  return OwnedIterator<Item>(made.release());
}

// Raises StopIteration at the end.
template <typename Item>
Item NextItem(AheadIterator<Item>& iterator) {
  if (!iterator.IsOfThisProcess()) {
    throw std::runtime_error(
        "an iterator ends where its process is forked; make a new one");
  }
  for (;;) {
    auto next = [&] {
      const Unlocked unlocked;
      return iterator.Next(kCheckInterval);
    }();
    if (next) {
      auto item = ValueOf(*std::move(next));
      if (!item) throw pybind11::stop_iteration();
      return *std::move(item);
    }
    if (PyErr_CheckSignals() != 0) {
      iterator.StopReading();
      throw pybind11::error_already_set();
    }
  }
}

// Defines the class of the iterator. `convert` makes of an item what Python
// gets.
template <typename Item, typename Convert>
void DefineIterator(pybind11::module_& module, const char* name,
                    Convert convert) {
  using Iterator = AheadIterator<Item>;
  pybind11::class_<Iterator, OwnedIterator<Item>>(module, name)
      .def(
          "__iter__", [](Iterator& i) -> Iterator& { return i; },
          pybind11::return_value_policy::reference_internal)
      .def("__next__", [convert](Iterator& i) { return convert(NextItem(i)); });
}

}  // namespace zpack::python

namespace pybind11::detail {

template <typename Item>
struct type_caster<zpack::python::AheadIterator<Item>>
    : InitialisedCaster<zpack::python::AheadIterator<Item>> {};

}  // namespace pybind11::detail
