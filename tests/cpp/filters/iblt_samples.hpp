// Samples for the tests of invertible Bloom lookup tables: keys of any length, sets of keys, and
// checked results of decode().
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <utility>

#include "support/samples.hpp"

namespace tamis::test {

using KeySet = std::set<Bytes>;

inline InvertibleBloomTable iblt(std::uint64_t differences, std::uint32_t key_bytes = 8,
                                 const Hasher& hasher = Hasher()) {
  auto made = InvertibleBloomTable::create({differences, key_bytes, hasher});
  EXPECT_TRUE(made.ok()) << differences << " differences: " << code(made.status());
  return std::move(*made);
}

// A key for this number. Different numbers below 2^32 give different keys.
inline Bytes iblt_key(std::uint32_t key_bytes, std::uint64_t number) {
  Bytes key(key_bytes);
  for (std::size_t i = 0; i < key.size(); ++i) {
    key[i] = static_cast<std::byte>(i < 4 ? number >> (8 * i) : fmix64(number + (i << 32)));
  }
  return key;
}

// `size` keys, with numbers from `first` on.
inline KeySet iblt_keys(std::uint32_t key_bytes, std::uint64_t first, std::uint64_t size) {
  KeySet keys;
  for (std::uint64_t i = 0; i < size; ++i) keys.insert(iblt_key(key_bytes, first + i));
  return keys;
}

inline void insert_all(InvertibleBloomTable& table, const KeySet& keys) {
  for (const Bytes& key : keys) ASSERT_EQ(table.insert(HeapCopy(key).span()), Status::kOk);
}

inline void erase_all(InvertibleBloomTable& table, const KeySet& keys) {
  for (const Bytes& key : keys) ASSERT_EQ(table.erase(HeapCopy(key).span()), Status::kOk);
}

struct Listed {
  KeySet added;
  KeySet removed;
  bool complete = false;
};

// The result of decode(), after two checks: no key is listed twice, and it is `complete` if and
// only if the listed keys make this table.
inline Listed listed(const InvertibleBloomTable& table) {
  const auto difference = table.decode();
  EXPECT_TRUE(difference.ok()) << code(difference.status());
  Listed lists;
  if (!difference.ok()) return lists;
  const auto split = [&](const tamis::Bytes& keys, std::uint64_t count, KeySet& to) {
    EXPECT_EQ(keys.size(), count * table.key_bytes());
    for (std::size_t at = 0; at < keys.size(); at += table.key_bytes()) {
      const auto key = keys.span().subspan(at, table.key_bytes());
      const Bytes bytes(key.begin(), key.end());
      EXPECT_FALSE(lists.added.contains(bytes) || lists.removed.contains(bytes)) << "listed twice";
      to.insert(bytes);
    }
  };
  split(difference->added, difference->added_count, lists.added);
  split(difference->removed, difference->removed_count, lists.removed);
  lists.complete = difference->complete;
  auto remade = table.empty_copy();
  EXPECT_TRUE(remade.ok());
  if (!remade.ok()) return lists;
  insert_all(*remade, lists.added);
  erase_all(*remade, lists.removed);
  EXPECT_EQ(wire_bytes(*remade) == wire_bytes(table), lists.complete);
  return lists;
}

inline bool is_subset(const KeySet& part, const KeySet& whole) {
  return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

}  // namespace tamis::test
