// Images of lists: each list has one, and nothing else is accepted.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include <tamis/url/list_image.hpp>
#include <tamis/url/url_delta.hpp>

#include "support/support.hpp"
#include "support/test_calloc.hpp"
#include "url/url_list_samples.hpp"

namespace tamis::test {
namespace {

using url::UrlList;

constexpr std::size_t kVersionAtByte = 8, kWidthAt = 12, kSizeAt = 16, kShapesAt = 20,
                      kRuleSizeAt = 24, kRuleAt = 28, kChecksumAt = 92, kCrcAt = 124, kSetAt = 128;
constexpr std::size_t kSizes[] = {0, 1, 2, 3, 20, 65};

Bytes image_of(const UrlList& list) {
  // Into memory that is not zero.
  Bytes image(static_cast<std::size_t>(url::image_bytes(list)), std::byte{0xff});
  EXPECT_EQ(url::write_image(list, HeapCopy(image).span()), Status::kOk);
  EXPECT_EQ(url::write_image(list, image), Status::kOk);
  return image;
}

// The room for the entries is what the image claims, if that is possible.
Result<UrlList> open_copy(const Bytes& image) {
  std::uint64_t room = 0;
  if (image.size() >= kSetAt) {
    room = std::uint64_t{detail::load_le32(image.data() + kSizeAt)} *
           detail::load_le32(image.data() + kWidthAt);
  }
  const Bytes none(room <= 64 * image.size() ? static_cast<std::size_t>(room) : 0);
  HeapCopy entries(none);
  auto list = url::read_image(HeapCopy(image).span(), entries.span());
  if (list.ok()) {
    EXPECT_EQ(detail::sha256(entries.span()), list->prefixes().checksum());
  }
  return list;
}

void repair(Bytes& image) { set32(image, kCrcAt, crc32c(std::span(image).first(kCrcAt))); }

// True if a client takes it for the list that it looks for.
bool is_taken_for(const UrlList& wanted, const Bytes& image) {
  const auto found = open_copy(image);
  if (!found.ok()) {
    EXPECT_TRUE(found.status() == Status::kCorrupt || found.status() == Status::kInvalidOption ||
                found.status() == Status::kTooLarge);
    return false;
  }
  if (found->validate() != Status::kOk || found->identity() != wanted.identity()) return false;
  // Only the bytes behind the rule may differ.
  EXPECT_EQ(image_of(*found), image_of(wanted));
  return true;
}

class ListImages : public testing::TestWithParam<std::size_t> {};

TEST_P(ListImages, ComeBackAsTheyWere) {
  const std::size_t width = GetParam();
  std::mt19937_64 random(width);
  const std::string longest(64, '~');
  for (const std::size_t count : {0u, 1u, 2u, 3u, 37u, 512u, 513u, 1000u}) {
    for (const std::size_t same : {std::size_t{0}, std::size_t{2}}) {
      for (const std::string& rule : {std::string("labels5"), std::string(" "), longest}) {
        SCOPED_TRACE(testing::Message() << count << " " << same << " " << rule);
        PrefixModel model = random_prefixes(random, width, count, same);
        if (count > 1) {
          model.insert(Bytes(width, std::byte{0}));
          model.insert(Bytes(width, std::byte{0xff}));
        }
        const auto shapes = static_cast<url::Shapes>(1 + random() % url::kAllShapes);
        const UrlList list = list_of(model, width, rule, shapes);
        const Bytes image = image_of(list);
        const auto opened = open_copy(image);
        ASSERT_TRUE(opened.ok());
        ASSERT_EQ(opened->count(), model.size());
        ASSERT_EQ(opened->prefix_bytes(), width);
        ASSERT_EQ(opened->rule(), rule);
        ASSERT_EQ(opened->shapes(), shapes);
        ASSERT_EQ(opened->size_bytes(), list.size_bytes());
        ASSERT_EQ(opened->validate(), Status::kOk);
        ASSERT_EQ(opened->identity(), list.identity());
        for (Bytes hash : model) {
          hash.resize(url::kHashBytes, std::byte{0xa5});
          ASSERT_TRUE(opened->contains(hash.data()));
        }
        ASSERT_EQ(image_of(*opened), image);
        // It was never measured for the wire.
        const Bytes bytes = wire_bytes(list);
        ASSERT_EQ(wire_bytes(*opened), bytes);
        const auto copy = opened->clone();
        ASSERT_TRUE(copy.ok());
        ASSERT_EQ(wire_bytes(*copy), bytes);
        ASSERT_EQ(image_of(*copy), image);
        const auto delta = url::diff(*opened, list_of({}, width, rule));
        ASSERT_TRUE(delta.ok());
        ASSERT_EQ(url::apply(*opened, *delta)->count(), 0u);
      }
    }
  }
}

TEST_P(ListImages, NeedTheirOwnSize) {
  std::mt19937_64 random(1);
  for (const std::size_t count : kSizes) {
    const UrlList list = list_of(random_prefixes(random, GetParam(), count), GetParam());
    Bytes image = image_of(list);
    for (const std::size_t size : {std::size_t{0}, image.size() - 1, image.size() + 1}) {
      Bytes out(size);
      EXPECT_EQ(url::write_image(list, HeapCopy(out).span()), Status::kInvalidOption);
    }
    for (std::size_t size = 0; size < image.size(); ++size) {
      const Bytes cut(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(size));
      ASSERT_EQ(open_copy(cut).status(), Status::kCorrupt) << size;
    }
    for (const std::byte more : {std::byte{0}, std::byte{0xff}}) {
      for (int i = 0; i < 70; ++i) {
        image.push_back(more);
        ASSERT_EQ(open_copy(image).status(), Status::kCorrupt);
      }
      image.resize(image.size() - 70);
    }
  }
}

TEST_P(ListImages, WithAnyBitFlippedAreNoLongerTheList) {
  const std::size_t width = GetParam();
  std::mt19937_64 random(2);
  for (const std::size_t count : kSizes) {
    for (const std::size_t same : {std::size_t{0}, std::size_t{2}}) {
      const UrlList list = list_of(random_prefixes(random, width, count, same), width, "psl", 0b11);
      Bytes image = image_of(list);
      ASSERT_TRUE(is_taken_for(list, image));
      for (std::size_t bit = 0; bit < 8 * image.size(); ++bit) {
        const std::byte flip = std::byte{1} << (bit % 8);
        image[bit / 8] ^= flip;
        ASSERT_FALSE(is_taken_for(list, image)) << bit;
        // The change is by somebody who knows the format.
        if (bit / 8 < kCrcAt) {
          repair(image);
          const bool is_padding = bit / 8 >= kRuleAt + 3 && bit / 8 < kChecksumAt;
          ASSERT_EQ(is_taken_for(list, image), is_padding) << bit;
        }
        image[bit / 8] ^= flip;
        repair(image);
      }
      ASSERT_TRUE(is_taken_for(list, image));
    }
  }
}

TEST_P(ListImages, OfOtherListsAreNotTheList) {
  const std::size_t width = GetParam();
  std::mt19937_64 random(3);
  const PrefixModel model = random_prefixes(random, width, 20);
  PrefixModel other = random_prefixes(random, width, 1);
  other.insert(std::next(model.begin()), model.end());
  const UrlList list = list_of(model, width, "psl", 0b11);
  EXPECT_TRUE(is_taken_for(list, image_of(list_of(model, width, "psl", 0b11))));
  EXPECT_FALSE(is_taken_for(list, image_of(list_of(other, width, "psl", 0b11))));
  EXPECT_FALSE(is_taken_for(list, image_of(list_of(model, width, "psk", 0b11))));
  EXPECT_FALSE(is_taken_for(list, image_of(list_of(model, width, "psl", 0b01))));
  EXPECT_FALSE(is_taken_for(list, image_of(list_of({}, width, "psl", 0b11))));
  // Entries under the checksum of others.
  Bytes mixed = image_of(list_of(other, width, "psl", 0b11));
  std::ranges::copy(list.checksum(), mixed.begin() + kChecksumAt);
  repair(mixed);
  ASSERT_TRUE(open_copy(mixed).ok());
  EXPECT_EQ(open_copy(mixed)->identity(), list.identity());
  EXPECT_EQ(open_copy(mixed)->validate(), Status::kCorrupt);
}

// The last bit is the zero that ends the last bucket. A one there would be an entry that the
// directories lack.
TEST_P(ListImages, HaveNoEntryBehindTheLastBucket) {
  const std::size_t width = GetParam();
  for (const std::size_t count : {1u, 2u, 3u, 64u, 65u, 400u}) {
    std::mt19937_64 random(4);
    PrefixModel model = random_prefixes(random, width, count - 1);
    model.insert(Bytes(width, std::byte{0xff}));
    ASSERT_EQ(model.size(), count);
    Bytes image = image_of(list_of(model, width));
    const std::uint64_t bucket_bits = static_cast<std::uint64_t>(std::bit_width(count - 1));
    const std::size_t last = count + (std::size_t{1} << bucket_bits) - 1;
    const std::size_t unary = kSetAt + (count * (32 - bucket_bits) + 63) / 64 * 8;
    const auto flip = [&](std::size_t bit) { image[unary + bit / 8] ^= std::byte{1} << (bit % 8); };
    flip(last - 1);  // the last entry
    EXPECT_EQ(open_copy(image).status(), Status::kCorrupt);
    for (const std::size_t moved : {last, last + 1, (last / 512 + 1) * 512 - 1}) {
      flip(moved);
      EXPECT_EQ(open_copy(image).status(), Status::kCorrupt) << count << " " << moved;
      flip(moved);
    }
    flip(last - 1);
    EXPECT_TRUE(open_copy(image).ok());
  }
}

// Two entries of one bucket, in the wrong order or equal.
TEST_P(ListImages, AreInOrder) {
  const std::size_t width = GetParam();
  for (const std::size_t at : {std::size_t{3}, width - 1}) {
    PrefixModel model = {Bytes(width, std::byte{0}), Bytes(width, std::byte{0xff})};
    Bytes second(width, std::byte{0});
    second[at] = std::byte{1};
    model.insert(second);
    const Bytes image = image_of(list_of(model, width));
    // 30 low bits of each, and behind 64 bytes of buckets the other bytes of each.
    const std::size_t tails = kSetAt + 16 + 64;
    for (const bool are_equal : {true, false}) {
      Bytes changed = image;
      if (at < 4) {
        set32(changed, kSetAt, are_equal ? 0u : 1u);
        // The second entry's bits are the 30 from bit 30 on: its lowest was the only one.
        changed[kSetAt + 3] &= std::byte{0x3f};
      } else {
        const std::size_t tail = width - 4;
        changed[tails + 2 * tail - 1] = std::byte{0};
        if (!are_equal) changed[tails + tail - 1] = std::byte{1};
      }
      ASSERT_NE(changed, image);
      // The other bytes of longer prefixes decide, and they are equal.
      EXPECT_EQ(open_copy(changed).status(), Status::kCorrupt) << are_equal;
    }
  }
}

// The memory is bounded by the caller's room for the entries.
TEST_P(ListImages, TakeNoMemoryForMoreEntriesThanThereIsRoomFor) {
  std::mt19937_64 random(5);
  for (const std::size_t count : {0u, 20u}) {
    const Bytes image = image_of(list_of(random_prefixes(random, GetParam(), count), GetParam()));
    HeapCopy room(Bytes(count * GetParam()));
    for (const std::uint32_t more : {1u, 21u, 1'000u, 1u << 30, (1u << 30) + 1, ~0u}) {
      Bytes changed = image;
      set32(changed, kSizeAt, more);
      repair(changed);
      const HeapCopy copy(changed);
      tamis_fail_allocation(0);
      EXPECT_EQ(url::read_image(copy.span(), room.span()).status(), Status::kCorrupt);
      EXPECT_EQ(tamis_allocations(), 0u);
    }
  }
}

TEST_P(ListImages, OutOfMemory) {
  std::mt19937_64 random(6);
  const UrlList list = list_of(random_prefixes(random, GetParam(), 300), GetParam());
  const Bytes image = image_of(list);
  Bytes entries(300 * GetParam());
  fail_each_allocation([&] { return url::read_image(image, entries).status(); });
  EXPECT_TRUE(is_taken_for(list, image));
}

TEST_P(ListImages, NeedRoomForAllEntriesAndNoMore) {
  std::mt19937_64 random(8);
  const Bytes image = image_of(list_of(random_prefixes(random, GetParam(), 3), GetParam()));
  for (std::size_t room = 0; room < 5 * GetParam(); ++room) {
    const Bytes none(room);
    EXPECT_EQ(url::read_image(image, HeapCopy(none).span()).status(),
              room == 3 * GetParam() ? Status::kOk : Status::kCorrupt);
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, ListImages, testing::Values(4, 8, 16, 32));

TEST(ListImage, FieldsThatAreRefused) {
  const UrlList list = list_of({from_hex("00000005"), from_hex("100003f3")}, 4);
  const Bytes image = image_of(list);
  const auto status_with = [&](std::size_t at, std::uint32_t value) {
    Bytes changed = image;
    set32(changed, at, value);
    repair(changed);
    return open_copy(changed).status();
  };
  for (const std::size_t at : {std::size_t{0}, std::size_t{4}}) {
    EXPECT_EQ(status_with(at, 0), Status::kCorrupt);
  }
  for (const std::uint32_t version : {0u, 2u, 3u, 0x100u, 0x01000000u, ~0u}) {
    EXPECT_EQ(status_with(kVersionAtByte, version), Status::kCorrupt) << version;
  }
  EXPECT_EQ(status_with(kVersionAtByte, 1), Status::kOk);
  for (const std::uint32_t width : {0u, 1u, 3u, 5u, 64u, ~0u}) {
    EXPECT_NE(status_with(kWidthAt, width), Status::kOk) << width;
  }
  for (const std::uint32_t width : {8u, 16u, 32u}) {
    EXPECT_EQ(status_with(kWidthAt, width), Status::kCorrupt) << width;
  }
  for (const std::uint32_t shapes : {0u, 64u, 0x10001u, ~0u}) {
    EXPECT_EQ(status_with(kShapesAt, shapes), Status::kInvalidOption) << shapes;
  }
  // Zeros are no text.
  for (const std::uint32_t size : {0u, 8u, 64u, 65u, ~0u}) {
    EXPECT_EQ(status_with(kRuleSizeAt, size), Status::kInvalidOption) << size;
  }
  EXPECT_EQ(status_with(kRuleAt, 0x0000001f), Status::kInvalidOption);
}

// A change of these bytes needs another version, or older stored lists would be misread.
TEST(ListImage, LayoutOfVersionOne) {
  const PrefixModel model = {from_hex("0000000501020304"), from_hex("100003f3a0a0a0a0"),
                             from_hex("100003f3a0a0a0a1")};
  const UrlList list = list_of(model, 8, "labels5", 0b010001);
  Bytes expected;
  put(expected, bytes_of("tamisimg"));
  for (const std::uint32_t number : {1u, 8u, 3u, 0b010001u, 7u}) put32(expected, number);
  put(expected, bytes_of("labels5"));
  expected.resize(kChecksumAt);
  put(expected, detail::sha256(joined(model)));
  put32(expected, crc32c(expected));
  // The low 30 bits of each head, then the ones of bucket 0 and the zeros behind four buckets.
  put(expected, from_hex("050000c0fc0000343f00000100000000"));
  put(expected, from_hex("07"));
  expected.resize(expected.size() + 63);
  put(expected, from_hex("01020304a0a0a0a0a0a0a0a1"));
  EXPECT_EQ(hex(image_of(list)), hex(expected));
}

TEST(ListImage, BytesOfALargeList) {
  std::mt19937_64 random(7);
  const UrlList list = list_of(random_prefixes(random, 4, 190'215), 4);
  EXPECT_LE(url::image_bytes(list), 390'000u);
}

}  // namespace
}  // namespace tamis::test
