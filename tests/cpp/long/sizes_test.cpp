// Sizes are the same natively and in wasm, by any compiler: tests/vectors/sizes.json holds the
// SHA-256 of the sizes that pseudo-random options give. tests/js/sizes.test.ts has the same inputs.
//
// A row names a type, or bloomSizing or bloomRate. For each option it has the kind of its values, as
// Draw makes them; "none" leaves the option out. The random numbers are those of xorshift32
// (Marsaglia 2003), which begins anew in each row. It needs nothing but shifts and exclusive or of
// 32 bits, and every language has those alike. An answer is a line: the bytes of the doubles in
// hexadecimal, the lowest first, or the code of the refusal. That is a million inputs and more: too
// many for the sanitizers, and for each run of the tests in wasm: "first" is of the first thousand.
//
// UPDATE_SIZES=1 in the environment writes the digests anew.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <tuple>
#include <vector>

#include <tamis/detail/options.hpp>
#include <tamis/hash/sha2.hpp>
#include <tamis/registry.hpp>
#include <tamis/sizing/bloom.hpp>
#include "support/golden.hpp"

namespace tamis::test {
namespace {

// wasm has no larger array, and refuses it. So such a size counts as refused here too.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 29;

class Draw {
 public:
  std::uint64_t count() {
    constexpr std::uint64_t kEdges[] = {1, 0xffffffff, 0x100000000, sizing::kMaxCount};
    if (below(16) == 0) return kEdges[below(4)];
    const std::uint64_t left = next() >> below(32);
    return left * (next() >> (11 + below(21)));
  }
  // A number from a half down to 2^-54, times a number in [1, 2) that is often 1.
  double rate() {
    const std::uint64_t power = std::uint64_t{1022 - below(54)} << 52;
    if (below(4) == 0) return std::bit_cast<double>(power);
    const std::uint64_t high = next() >> 12;
    return std::bit_cast<double>(power | high << 32 | next());
  }
  std::uint32_t small() {
    const std::uint32_t wide = below(64);
    return 1 + (wide >> below(7));
  }
  template <class Number>
  void draw(const std::string& kind, Number& number) {
    if (kind == "count") number = static_cast<Number>(count());
    if (kind == "positive") number = static_cast<Number>(std::max(count(), std::uint64_t{1}));
    if (kind == "rate") number = static_cast<Number>(rate());
    if (kind == "small") number = static_cast<Number>(small());
  }

 private:
  std::uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    return state_ ^= state_ << 5;
  }
  std::uint32_t below(std::uint32_t n) { return next() % n; }

  std::uint32_t state_ = 0x9e3779b9;
};

std::string text_of(Status status) { return code(status); }
std::string text_of(double number) {
  Bytes bytes(8);
  set64(bytes, 0, std::bit_cast<std::uint64_t>(number));
  return hex(bytes);
}

struct Digests {
  std::string first;  // of the first thousand inputs
  std::string all;
};

// `answer` makes a line of a Config.
template <class Config, class Answer>
Digests digest_of(const std::string& row, const Config& plain, Answer answer) {
  const std::size_t from = row.find("\"options\":{") + 11;
  const auto words = quoted(row.substr(from, row.find('}') - from));  // each name with its kind
  const bool is_whole = words.size() == 2 * std::tuple_size_v<decltype(Config().fields())>;
  EXPECT_TRUE(is_whole) << row << ": not an option for each field";
  Draw draw;
  detail::Sha256 digest;
  Digests digests;
  const int inputs = std::stoi(row.substr(row.find("\"inputs\":") + 9));
  for (int i = 1; is_whole && i <= inputs; ++i) {
    Config config = plain;
    std::size_t word = 1;
    const auto put = [&](auto& field) { draw.draw(words[word], field), word += 2; };
    std::apply([&](auto&... all) { (put(all), ...); }, config.fields());
    digest.update(bytes_of(answer(config) + "\n"));
    if (i == 1000) digests.first = hex(detail::Sha256(digest).finish());
  }
  digests.all = hex(digest.finish());
  return digests;
}

// The functions take some of the options of BloomFilter. `count` of bloomRate is the capacity.
Digests formula_digest(const std::string& row) {
  const bool is_rate = field(row, "of") == "bloomRate", has_bits = field(row, "bits") != "none";
  return digest_of(row, BloomFilter::Config{}, [=](const BloomFilter::Config& given) {
    const auto keys = static_cast<double>(given.capacity);
    const bool is_allowed =
        is_rate || (detail::is_capacity(given.capacity) && detail::is_fpr(given.fpr));
    if (!is_allowed || (has_bits && given.bits == 0)) return text_of(Status::kInvalidOption);
    sizing::BloomSize size{given.bits, given.hashes};
    if (!has_bits) size = sizing::bloom_size(given.capacity, given.fpr);
    if (has_bits && !is_rate) size.hashes = sizing::bloom_hashes(given.bits, given.capacity);
    const auto bits = static_cast<double>(size.bits);
    const std::string rate = text_of(sizing::bloom_fpr(bits, size.hashes, keys));
    return is_rate ? rate : text_of(bits) + text_of(size.hashes) + text_of(bits / keys) + rate;
  });
}

template <class F>
Digests type_digest(const std::string& row) {
  typename F::Config plain;
#define TAMIS_HASH(name, slug, ...)                                        \
  if constexpr (requires { plain.hasher; }) {                              \
    if (field(row, "scheme") == slug) plain.hasher = Hasher(HashId::name); \
  }
#include <tamis/hashes.def>
  return digest_of(row, plain, [](const typename F::Config& config) {
    const auto size = F::size_for(config);
    if (size.ok() && *size <= kMostBytes) return text_of(static_cast<double>(*size));
    return text_of(size.ok() ? Status::kTooLarge : size.status());
  });
}

TEST(Sizes, AreThoseThatTheFileStates) {
  std::string text;
  for (std::string row : vector_lines("sizes.json")) {
    const std::string name = field(row, "of");
    if (!name.empty()) {
      Digests digest;
      if (name == "bloomSizing" || name == "bloomRate") digest = formula_digest(row);
      for_each_type([&]<class F>() {
        if constexpr (Structure<F>) {
          if (info_of(F::kType).slug == name) digest = type_digest<F>(row);
        }
      });
      EXPECT_EQ(digest.all, field(row, "sha256")) << row;
      EXPECT_EQ(digest.first, field(row, "first")) << row;
      const std::size_t end = row.find(",\"first\"");
      row = row.substr(0, end) + ",\"first\":\"" + digest.first + "\",\"sha256\":\"" + digest.all +
            "\"}" + (row.ends_with(',') ? "," : "");
    }
    text += row + "\n";
  }
  for_each_type([&]<class F>() {
    const std::string of = "\"of\":\"" + std::string(info_of(F::kType).slug) + "\"";
    EXPECT_EQ(text.find(of) != text.npos, Structure<F>) << of;
  });
  if (std::getenv("UPDATE_SIZES") == nullptr) return;
  std::ofstream file(TAMIS_VECTORS_DIR "/sizes.json");
  ASSERT_TRUE((file << text).flush().good());
}

}  // namespace
}  // namespace tamis::test
