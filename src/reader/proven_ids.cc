// SPDX-FileCopyrightText: The git-zpack authors
// SPDX-License-Identifier: Apache-2.0

#include "reader/proven_ids.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/check.h"

namespace zpack {

ProvenIds::ProvenIds(const format::BlockTable& table, const FileIndex* index,
                     ObjectFormat format, ByteView stated)
    : table_(table),
      index_(index),
      stated_(stated),
      width_(ObjectIdWidth(format)),
      format_(format),
      rows_(table.block_count()) {
  const std::array<uint8_t, ObjectId::kMaxWidth> zeros{};
  unknown_ = ObjectId(ByteView(zeros).first(width_));
}

const ProvenIds::Row* ProvenIds::Locate(ObjectNumber number,
                                        size_t& position) const {
  if (number >= table_.rows.back().first_object) return nullptr;
  const size_t row = table_.FindBlock(number);
  position = number - table_.rows[row].first_object;
  return position < rows_[row].proven.size() ? &rows_[row] : nullptr;
}

ByteView ProvenIds::Stated(ObjectNumber number) const {
  if (number.value() >= stated_.size() / width_) return {};
  return stated_.subspan(number.value() * width_, width_);
}

bool ProvenIds::IsStated(ObjectNumber number) const {
  if (index_ != nullptr) return number.value() < index_->ranks.size();
  return std::ranges::any_of(Stated(number),
                             [](uint8_t byte) { return byte != 0; });
}

bool ProvenIds::IsKnown(ObjectNumber number) const {
  return IsStated(number) || (index_ == nullptr && IsProven(number));
}

ObjectId ProvenIds::Id(ObjectNumber number) const {
  if (index_ != nullptr) {
    if (number.value() >= index_->ranks.size()) return unknown_;
    return index_->ids[index_->ranks[number]];
  }
  if (IsStated(number)) return ObjectId(Stated(number));
  size_t position = 0;
  const Row* const row = Locate(number, position);
  if (row == nullptr) return unknown_;
  return ObjectId(ByteView(row->ids).subspan(position * width_, width_));
}

bool ProvenIds::IsProven(ObjectNumber number) const {
  size_t position = 0;
  const Row* const row = Locate(number, position);
  return row != nullptr && row->proven[position];
}

void ProvenIds::AddBlock(size_t row) {
  if (!rows_[row].proven.empty()) return;
  const uint32_t count = table_.object_count(row);
  rows_[row].proven.resize(count);
  if (index_ != nullptr) return;
  rows_[row].ids.resize(count * width_);
  std::ranges::fill(rows_[row].ids, uint8_t{0});
}

void ProvenIds::SetProven(ObjectNumber number, const ObjectId& id) {
  const size_t at = table_.FindBlock(number);
  const size_t position = number - table_.rows[at].first_object;
  Row& row = rows_[at];
  ZPACK_CHECK(position < row.proven.size());
  row.proven[position] = true;
  if (index_ == nullptr) {
    std::memcpy(&row.ids[position * width_], id.bytes().data(), width_);
  }
}

void ProvenIds::Retract(size_t row) {
  rows_[row].proven.assign(rows_[row].proven.size(), false);
}

void ProvenIds::Sort() {
  std::vector<ObjectNumber> numbers;
  for (size_t at = 0; at < rows_.size(); ++at) {
    const ObjectNumber first = table_.rows[at].first_object;
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
      const size_t row = table_.FindBlock(keys[i].second);
      rows_[row].proven[keys[i].second - table_.rows[row].first_object] = false;
      continue;
    }
    Append(ids, keys[i].first.bytes());
    numbers_.push_back(keys[i].second);
  }
  auto sorted = ObjectIdTable::FromSorted(format_, std::move(ids));
  ZPACK_CHECK(sorted.has_value());
  sorted_ = *std::move(sorted);
}

std::optional<ObjectNumber> ProvenIds::Find(const ObjectId& id) const {
  const auto rank = sorted_.Find(id);
  if (!rank) return std::nullopt;
  return numbers_[*rank];
}

}  // namespace zpack
