// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0
//
// The field GF(2^16): polynomials over GF(2) modulo x^16 + x^12 + x^3 + x + 1.
// Bit i of an element is the coefficient of x^i. Addition is exclusive or. The
// element 2 generates all elements but 0. Any thread.

#pragma once

#include <cstdint>
#include <vector>

namespace zpack {

inline constexpr uint32_t kFieldPolynomial = 0x1100B;
inline constexpr uint32_t kFieldSize = 65536;
// Logarithms are modulo this.
inline constexpr uint32_t kFieldOrder = kFieldSize - 1;

// Returns `a` times x.
constexpr uint16_t TimesX(uint16_t a) {
  const uint32_t product = uint32_t{a} << 1;
  return static_cast<uint16_t>((a >> 15) != 0 ? product ^ kFieldPolynomial
                                              : product);
}

// Tables of logarithms to the base 2 and of powers.
class GaloisField {
 public:
  // The tables, which are computed at the first call.
  static const GaloisField& Get();

  uint16_t Multiply(uint16_t a, uint16_t b) const {
    return a == 0 || b == 0 ? uint16_t{0} : Power(uint32_t{Log(a)} + Log(b));
  }
  // REQUIRES: `b` is not 0.
  uint16_t Divide(uint16_t a, uint16_t b) const {
    return a == 0 ? uint16_t{0}
                  : Power(uint32_t{Log(a)} + kFieldOrder - Log(b));
  }
  // The logarithm, less than kFieldOrder; 0 for 0, which has none.
  uint16_t Log(uint16_t a) const { return logs_[a]; }
  // 2 to the power of `exponent`.
  uint16_t Power(uint32_t exponent) const {
    return powers_[exponent % kFieldOrder];
  }

 private:
  GaloisField();

  std::vector<uint16_t> logs_;
  std::vector<uint16_t> powers_;
};

}  // namespace zpack
