// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "parity/additive_transform.h"

#include <algorithm>
#include <array>
#include <bit>

#include "parity/galois_field.h"

namespace zpack {
namespace {

constexpr size_t kLevels = 16;

// What the transforms need of s_0, ..., s_15. Each is linear over GF(2), so its
// values at powers of two give all its values, and its derivative is constant.
class SubspacePolynomials {
 public:
  static const SubspacePolynomials& Get() {
    static const SubspacePolynomials polynomials;
    return polynomials;
  }

  // s_i(point)
  uint16_t Value(size_t i, uint32_t point) const {
    uint16_t value = 0;
    for (; point != 0; point &= point - 1) {
      value ^= values_[i][static_cast<size_t>(std::countr_zero(point))];
    }
    return value;
  }

  // The logarithm of the product of the derivatives of the s_i for which bit i
  // of `j` is set.
  uint32_t LogDerivatives(uint32_t j) const {
    uint32_t sum = 0;
    for (; j != 0; j &= j - 1) {
      sum += log_derivatives_[static_cast<size_t>(std::countr_zero(j))];
    }
    return sum % kFieldOrder;
  }

 private:
  // s_0(x) = x. The zeros of s_i^2 + s_i are all a < 2^(i+1), because s_i is 0
  // for one half of them and 1 for the other half. Divided by its value at
  // 2^(i+1), it is s_(i+1). The derivative of a square is 0.
  SubspacePolynomials() {
    const GaloisField& field = GaloisField::Get();
    for (size_t bit = 0; bit < kLevels; ++bit) {
      values_[0][bit] = static_cast<uint16_t>(1U << bit);
    }
    for (size_t i = 1; i < kLevels; ++i) {
      const auto raw = [&](size_t bit) {
        const uint16_t value = values_[i - 1][bit];
        return static_cast<uint16_t>(field.Multiply(value, value) ^ value);
      };
      const uint16_t divisor = raw(i);
      for (size_t bit = i; bit < kLevels; ++bit) {
        values_[i][bit] = field.Divide(raw(bit), divisor);
      }
      log_derivatives_[i] =
          (log_derivatives_[i - 1] + kFieldOrder - field.Log(divisor)) %
          kFieldOrder;
    }
  }

  std::array<std::array<uint16_t, kLevels>, kLevels> values_{};
  std::array<uint32_t, kLevels> log_derivatives_{};
};

// The s_i that divides `2 * half` rows in two.
uint16_t Factor(uint32_t half, uint32_t first) {
  return SubspacePolynomials::Get().Value(
      static_cast<size_t>(std::countr_zero(half)), first);
}

}  // namespace

AdditiveTransform::AdditiveTransform(const RegionOperations& operations,
                                     size_t width)
    : operations_(operations), width_(width) {}

// The recursions are at most 16 deep. They finish a half that fits the cache
// before the other one begins.

void AdditiveTransform::ToCoefficients(std::span<std::byte> rows,
                                       uint32_t first, uint32_t used) const {
  const auto count = static_cast<uint32_t>(rows.size() / width_);
  if (count == 1 || used == 0) return;
  const uint32_t half = count / 2;
  const auto low = rows.first(half * width_);
  const auto high = rows.subspan(half * width_);
  ToCoefficients(low, first, std::min(used, half));
  ToCoefficients(high, first + half, used - std::min(used, half));
  const uint16_t factor = Factor(half, first);
  if (factor == 0) {
    AddRegion(high.data(), low.data(), low.size());
  } else {
    operations_.inverse(low.data(), high.data(), low.size(),
                        ProductTable(factor));
  }
}

void AdditiveTransform::ToValues(std::span<std::byte> rows, uint32_t first,
                                 std::span<const uint32_t> wanted) const {
  const auto count = static_cast<uint32_t>(rows.size() / width_);
  if (count == 1 || wanted.empty()) return;
  const uint32_t half = count / 2;
  const auto low = rows.first(half * width_);
  const auto high = rows.subspan(half * width_);
  const uint16_t factor = Factor(half, first);
  if (factor == 0) {
    AddRegion(high.data(), low.data(), low.size());
  } else {
    operations_.forward(low.data(), high.data(), low.size(),
                        ProductTable(factor));
  }
  const auto in_low = static_cast<size_t>(
      std::ranges::lower_bound(wanted, first + half) - wanted.begin());
  ToValues(low, first, wanted.first(in_low));
  ToValues(high, first + half, wanted.subspan(in_low));
}

// In a basis of which polynomial j is multiplied by the derivatives of its
// factors, the derivative of polynomial j is the sum of the polynomials with
// one factor less.
void AdditiveTransform::Differentiate(std::span<std::byte> rows) const {
  const GaloisField& field = GaloisField::Get();
  const auto& polynomials = SubspacePolynomials::Get();
  const auto count = static_cast<uint32_t>(rows.size() / width_);
  for (uint32_t j = 1; j < count; ++j) {
    operations_.multiply(
        &rows[j * width_], width_,
        ProductTable(field.Power(polynomials.LogDerivatives(j))));
  }
  Derive(rows);
  for (uint32_t j = 1; j < count; ++j) {
    operations_.multiply(
        &rows[j * width_], width_,
        ProductTable(field.Power(kFieldOrder - polynomials.LogDerivatives(j))));
  }
}

// (low + s * high)' = low' + high + s * high'
void AdditiveTransform::Derive(std::span<std::byte> rows) const {
  if (rows.size() == width_) {
    std::ranges::fill(rows, std::byte{0});
    return;
  }
  const auto low = rows.first(rows.size() / 2);
  const auto high = rows.subspan(rows.size() / 2);
  Derive(low);
  AddRegion(low.data(), high.data(), low.size());
  Derive(high);
}

}  // namespace zpack
