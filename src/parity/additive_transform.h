// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// Fast additive transforms over GF(2^16): from the values of a polynomial to
// its coefficients and back, in n log n steps. The points are the field
// elements themselves, in the order of the integers that represent them.
//
// The basis is that of Lin, Chung and Han ("Novel Polynomial Basis and Its
// Application to Reed-Solomon Erasure Codes", FOCS 2014). Let s_i(x) be the
// product of (x - a) for all a < 2^i, divided by its value at 2^i. Basis
// polynomial j is the product of the s_i for which bit i of j is set; its
// degree is j.
//
// Each row of a table is a polynomial's value or coefficient for every word of
// a shard (galois_region.h). Tables have 2^n rows, n <= 16.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "parity/galois_region.h"

namespace zpack {

class AdditiveTransform {
 public:
  // Calculates with `operations`. `width`: bytes of a row, a multiple of
  // kErasureBlock.
  AdditiveTransform(const RegionOperations& operations, size_t width);

  // Rows are values at the points `first`, `first` + 1, ...; makes them
  // coefficients. Rows from `used` on are zero. REQUIRES: the number of rows
  // divides `first`.
  void ToCoefficients(std::span<std::byte> rows, uint32_t first,
                      uint32_t used) const;

  // The inverse. Only the rows of the points `wanted` become values; other rows
  // are undefined. REQUIRES: `wanted` is ascending and within the rows' points.
  void ToValues(std::span<std::byte> rows, uint32_t first,
                std::span<const uint32_t> wanted) const;

  // Makes coefficients those of the formal derivative.
  void Differentiate(std::span<std::byte> rows) const;

 private:
  void Derive(std::span<std::byte> rows) const;

  const RegionOperations& operations_;
  size_t width_;
};

}  // namespace zpack
