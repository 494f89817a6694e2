// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "ahead_iterator.h"

#include <map>

namespace zpack::python {
namespace {

// The iterators of this process and of those it was forked from. The
// interpreter's lock guards the map, which is never destroyed.
std::map<const void*, std::stop_source>& Iterators() {
  static auto* const iterators = new std::map<const void*, std::stop_source>;
  return *iterators;
}

}  // namespace

void AddIterator(const void* iterator, std::stop_source stop) {
  Iterators().insert_or_assign(iterator, std::move(stop));
}

void RemoveIterator(const void* iterator) { Iterators().erase(iterator); }

void StopIterators() {
  for (auto& [iterator, stop] : Iterators()) stop.request_stop();
}

}  // namespace zpack::python
