// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "salvage/salvaged_ids.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/check.h"

namespace zpack {

SalvagedIds::SalvagedIds(const SalvagedBlocks& blocks, const FileIndex* index,
                         ObjectFormat format)
    : blocks_(blocks),
      index_(index),
      width_(ObjectIdWidth(format)),
      format_(format),
      rows_(blocks.row_count()) {
  const std::array<uint8_t, ObjectId::kMaxWidth> zeros{};
  unknown_ = ObjectId(ByteView(zeros).first(width_));
}

const SalvagedIds::Row* SalvagedIds::Locate(ObjectNumber number,
                                            size_t& position) const {
  if (number.value() >= blocks_.number_count()) return nullptr;
  const size_t row = blocks_.table().FindBlock(number);
  position = number - blocks_.table().rows[row].first_object;
  return position < rows_[row].proven.size() ? &rows_[row] : nullptr;
}

bool SalvagedIds::IsKnown(ObjectNumber number) const {
  if (index_ != nullptr) return number.value() < index_->ranks.size();
  return IsProven(number);
}

ObjectId SalvagedIds::Id(ObjectNumber number) const {
  if (index_ != nullptr) {
    if (number.value() >= index_->ranks.size()) return unknown_;
    return index_->ids[index_->ranks[number]];
  }
  size_t position = 0;
  const Row* const row = Locate(number, position);
  if (row == nullptr) return unknown_;
  return ObjectId(ByteView(row->ids).subspan(position * width_, width_));
}

bool SalvagedIds::IsProven(ObjectNumber number) const {
  size_t position = 0;
  const Row* const row = Locate(number, position);
  return row != nullptr && row->proven[position];
}

void SalvagedIds::AddBlock(size_t row) {
  if (!rows_[row].proven.empty()) return;
  const uint32_t count = blocks_.block(row).header.object_count;
  rows_[row].proven.resize(count);
  if (index_ != nullptr) return;
  rows_[row].ids.resize(count * width_);
  std::ranges::fill(rows_[row].ids, uint8_t{0});
}

void SalvagedIds::SetProven(ObjectNumber number, const ObjectId& id) {
  const size_t at = blocks_.table().FindBlock(number);
  const size_t position = number - blocks_.table().rows[at].first_object;
  Row& row = rows_[at];
  ZPACK_CHECK(position < row.proven.size());
  row.proven[position] = true;
  if (index_ == nullptr) {
    std::memcpy(&row.ids[position * width_], id.bytes().data(), width_);
  }
}

void SalvagedIds::Retract(size_t row) {
  rows_[row].proven.assign(rows_[row].proven.size(), false);
}

void SalvagedIds::Sort() {
  std::vector<ObjectNumber> numbers;
  for (size_t at = 0; at < rows_.size(); ++at) {
    const ObjectNumber first = blocks_.table().rows[at].first_object;
    for (size_t i = 0; i < rows_[at].proven.size(); ++i) {
      if (rows_[at].proven[i]) {
        numbers.push_back(first + static_cast<uint32_t>(i));
      }
    }
  }
  std::vector<std::pair<ObjectId, ObjectNumber>> keys;
  keys.reserve(numbers.size());
  for (const ObjectNumber number : numbers)
    keys.emplace_back(Id(number), number);
  std::ranges::sort(keys);
  numbers_.clear();
  Bytes ids;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (i > 0 && keys[i].first == keys[i - 1].first) {
      const size_t row = blocks_.table().FindBlock(keys[i].second);
      rows_[row]
          .proven[keys[i].second - blocks_.table().rows[row].first_object] =
          false;
      continue;
    }
    Append(ids, keys[i].first.bytes());
    numbers_.push_back(keys[i].second);
  }
  auto sorted = ObjectIdTable::FromSorted(format_, std::move(ids));
  ZPACK_CHECK(sorted.has_value());
  sorted_ = *std::move(sorted);
}

std::optional<ObjectNumber> SalvagedIds::Find(const ObjectId& id) const {
  const auto rank = sorted_.Find(id);
  if (!rank) return std::nullopt;
  return numbers_[*rank];
}

}  // namespace zpack
