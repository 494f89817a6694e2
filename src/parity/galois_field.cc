// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "parity/galois_field.h"

namespace zpack {

const GaloisField& GaloisField::Get() {
  static const GaloisField field;
  return field;
}

GaloisField::GaloisField() : logs_(kFieldSize), powers_(kFieldOrder) {
  uint16_t power = 1;
  for (uint32_t i = 0; i < kFieldOrder; ++i) {
    powers_[i] = power;
    logs_[power] = static_cast<uint16_t>(i);
    power = TimesX(power);
  }
}

}  // namespace zpack
