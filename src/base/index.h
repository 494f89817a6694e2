// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Typed indexes. Each space of indexes has its own type, so an index of the
// wrong space does not compile. An Index is as large and as fast as the integer
// in it. Any thread.

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace zpack {

// `Tag` names the space; see base/index_spaces.h.
template <typename Tag>
class Index {
 public:
  constexpr Index() = default;
  explicit constexpr Index(uint32_t value) : value_(value) {}

  constexpr uint32_t value() const { return value_; }

  friend constexpr auto operator<=>(Index a, Index b) = default;

  constexpr Index& operator++() {
    ++value_;
    return *this;
  }
  constexpr Index operator++(int) { return Index(value_++); }
  constexpr Index& operator--() {
    --value_;
    return *this;
  }
  constexpr Index operator--(int) { return Index(value_--); }

  // The index that is `count` positions after or before `index`.
  friend constexpr Index operator+(Index index, uint32_t count) {
    return Index(index.value_ + count);
  }
  friend constexpr Index operator-(Index index, uint32_t count) {
    return Index(index.value_ - count);
  }
  // Distance from `b` to `a`. REQUIRES: b <= a.
  friend constexpr uint32_t operator-(Index a, Index b) {
    return a.value_ - b.value_;
  }

 private:
  uint32_t value_ = 0;
};

// The indexes from `begin` up to but not including `end`, for a loop.
template <typename I>
class IndexRange {
 public:
  class Iterator {
   public:
    constexpr explicit Iterator(I at) : at_(at) {}
    constexpr I operator*() const { return at_; }
    constexpr Iterator& operator++() {
      ++at_;
      return *this;
    }
    constexpr bool operator==(const Iterator&) const = default;

   private:
    I at_;
  };

  // REQUIRES: begin <= end.
  constexpr IndexRange(I begin, I end) : begin_(begin), end_(end) {}
  // The first `count` indexes of the space.
  constexpr explicit IndexRange(uint32_t count) : end_(count) {}

  constexpr Iterator begin() const { return Iterator(begin_); }
  constexpr Iterator end() const { return Iterator(end_); }

 private:
  I begin_{};
  I end_{};
};

// A vector that is accessed by the indexes of one space. REQUIRES: the vector
// has fewer than 2^32 elements.
template <typename I, typename T>
class IndexedVector : private std::vector<T> {
 public:
  using Vector = std::vector<T>;
  using typename Vector::const_reference;
  using typename Vector::reference;
  using typename Vector::value_type;

  IndexedVector() = default;
  explicit IndexedVector(size_t count, const T& value = T())
      : Vector(count, value) {}
  explicit IndexedVector(Vector elements) : Vector(std::move(elements)) {}

  reference operator[](I index) { return Vector::operator[](index.value()); }
  const_reference operator[](I index) const {
    return Vector::operator[](index.value());
  }

  using Vector::assign;
  using Vector::back;
  using Vector::begin;
  using Vector::capacity;
  using Vector::clear;
  using Vector::emplace_back;
  using Vector::empty;
  using Vector::end;
  using Vector::front;
  using Vector::pop_back;
  using Vector::push_back;
  using Vector::reserve;
  using Vector::resize;
  using Vector::size;

  // One more than the greatest index: the index of the next element that is
  // appended.
  I end_index() const { return I(static_cast<uint32_t>(size())); }
  IndexRange<I> indexes() const { return IndexRange<I>(I(), end_index()); }

  // The elements as a plain vector, for code that processes all of them.
  Vector& raw() { return *this; }
  const Vector& raw() const { return *this; }

  friend bool operator==(const IndexedVector& a, const IndexedVector& b) {
    return a.raw() == b.raw();
  }
};

}  // namespace zpack

template <typename Tag>
struct std::hash<zpack::Index<Tag>> {
  size_t operator()(zpack::Index<Tag> index) const {
    return std::hash<uint32_t>()(index.value());
  }
};
