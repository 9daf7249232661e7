#include <tamis/hash/sha2.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <tamis/detail/endian.hpp>

namespace tamis::detail {
namespace {

// FIPS 180-4, 5.3.5: the first 64 bits of the fractional parts of the square roots of the first 8
// primes.
constexpr std::array<std::uint64_t, 8> kInitial = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

// FIPS 180-4, 4.2.3: the first 64 bits of the fractional parts of the cube roots of the first 80
// primes.
constexpr std::array<std::uint64_t, 80> kRound = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
};

// What differs between the members of the SHA-2 family (FIPS 180-4, 4.1.2 and 4.1.3).
struct Family512 {
  using Constant = std::uint64_t;
  using Word = std::uint64_t;
  static constexpr std::size_t kRounds = 80;
  static constexpr std::size_t kBlockBytes = 128;
  static constexpr std::size_t kUnrolled = 8;

  static constexpr Word big0(Word x) noexcept {
    return std::rotr(x, 28) ^ std::rotr(x, 34) ^ std::rotr(x, 39);
  }
  static constexpr Word big1(Word x) noexcept {
    return std::rotr(x, 14) ^ std::rotr(x, 18) ^ std::rotr(x, 41);
  }
  static constexpr Word small0(Word x) noexcept {
    return std::rotr(x, 1) ^ std::rotr(x, 8) ^ (x >> 7);
  }
  static constexpr Word small1(Word x) noexcept {
    return std::rotr(x, 19) ^ std::rotr(x, 61) ^ (x >> 6);
  }
  // Loads word t of a block.
  static Word load(const std::byte* block, std::size_t t) noexcept {
    return load_be64(block + 8 * t);
  }
  static void store(std::byte* to, Word word) noexcept { store_be64(to, word); }
};

// The functions of SHA-256, for one 32-bit word or for several side by side.
template <class WordOrLanes>
struct Functions256 {
  using Word = WordOrLanes;
  using Constant = std::uint32_t;
  static constexpr std::size_t kRounds = 64;
  static constexpr std::size_t kBlockBytes = 64;

  static constexpr Word rotr(Word x, int by) noexcept { return x >> by | x << (32 - by); }
  static constexpr Word big0(Word x) noexcept { return rotr(x, 2) ^ rotr(x, 13) ^ rotr(x, 22); }
  static constexpr Word big1(Word x) noexcept { return rotr(x, 6) ^ rotr(x, 11) ^ rotr(x, 25); }
  static constexpr Word small0(Word x) noexcept { return rotr(x, 7) ^ rotr(x, 18) ^ x >> 3; }
  static constexpr Word small1(Word x) noexcept { return rotr(x, 17) ^ rotr(x, 19) ^ x >> 10; }
};

struct Family256 : Functions256<std::uint32_t> {
  static constexpr std::size_t kUnrolled = 8;
  static Word load(const std::byte* block, std::size_t t) noexcept {
    return tamis::detail::load<std::endian::big, std::uint32_t>(block + 4 * t);
  }
  static void store(std::byte* to, Word word) noexcept {
    tamis::detail::store<std::endian::big>(to, word);
  }
};

// Four words side by side. The compiler uses wasm SIMD or SSE2 if it has them, and otherwise plain
// words with the same results.
using Lanes [[gnu::vector_size(16)]] = std::uint32_t;
constexpr std::size_t kLanes = 4;

// Hashes four adjacent blocks at once.
struct Family256Lanes : Functions256<Lanes> {
  static constexpr std::size_t kUnrolled = 4;  // saves 1 kB of wasm, and takes 3 % more time
  static Word load(const std::byte* blocks, std::size_t t) noexcept {
    const auto lane = [=](std::size_t i) { return Family256::load(blocks + i * kBlockBytes, t); };
    return Lanes{lane(0), lane(1), lane(2), lane(3)};
  }
};

template <class Hash>
using State = std::array<typename Hash::Word, 8>;

// A constant of SHA-512, cut to the leading bits that a smaller word of SHA-256 needs.
template <class Word>
constexpr Word leading(std::uint64_t constant) noexcept {
  return static_cast<Word>(constant >> (64 - 8 * sizeof(Word)));
}

// Each word size has its own table, so that SHA-256 and SHA-512 share no data and the wasm can
// contain one without the other.
template <class Constant, std::size_t count>
constexpr auto leading(const std::array<std::uint64_t, count>& constants) noexcept {
  std::array<Constant, count> all{};
  for (std::size_t i = 0; i < count; ++i) all[i] = leading<Constant>(constants[i]);
  return all;
}
template <class Constant>
constexpr auto kInitialOf = leading<Constant>(kInitial);
template <class Constant>
constexpr auto kRoundOf = leading<Constant>(kRound);

template <class Hash>
State<Hash> initial_state() noexcept {
  State<Hash> state;
  for (std::size_t i = 0; i < state.size(); ++i) {
    state[i] = typename Hash::Word{} + kInitialOf<typename Hash::Constant>[i];
  }
  return state;
}

// Round i of the kUnrolled rounds. `v` contains the words a to h of FIPS 180-4, rotated by i, so
// that no word has to be moved.
template <class Hash, std::size_t i>
[[gnu::always_inline]] inline void round(State<Hash>& v, typename Hash::Word input) noexcept {
  using Word = typename Hash::Word;
  const auto at = [&v](std::size_t letter) -> Word& { return v[(letter + 8 - i) % 8]; };
  const Word a = at(0), b = at(1), c = at(2), e = at(4), f = at(5), g = at(6);
  const Word first = at(7) + Hash::big1(e) + (g ^ (e & (f ^ g))) + input;
  at(3) += first;
  at(7) = first + Hash::big0(a) + ((a & b) | (c & (a | b)));
}

// Processes one block of kBlockBytes bytes (FIPS 180-4, 6.2.2 and 6.4.2).
template <class Hash>
void compress(State<Hash>& state, const std::byte* block) noexcept {
  using Word = typename Hash::Word;
  constexpr auto& kConstants = kRoundOf<typename Hash::Constant>;
  // At any time, only the last 16 words of the schedule are needed.
  std::array<Word, 16> schedule;
  for (std::size_t t = 0; t < 16; ++t) schedule[t] = Hash::load(block, t);
  State<Hash> v = state;
  for (std::size_t from = 0;;) {
    for (std::size_t t = from; t < from + 16; t += Hash::kUnrolled) {
      [&]<std::size_t... i>(std::index_sequence<i...>) {
        (round<Hash, i>(v, schedule[(t + i) % 16] + kConstants[t + i]), ...);
      }(std::make_index_sequence<Hash::kUnrolled>());
      if constexpr (Hash::kUnrolled == 4) std::swap_ranges(v.begin(), v.begin() + 4, v.begin() + 4);
    }
    from += 16;
    if (from == Hash::kRounds) break;
    for (std::size_t t = 0; t < 16; ++t) {
      schedule[t] += Hash::small1(schedule[(t + 14) % 16]) + schedule[(t + 9) % 16] +
                     Hash::small0(schedule[(t + 1) % 16]);
    }
  }
  for (std::size_t i = 0; i < state.size(); ++i) {
    state[i] += v[i];
  }
}

// Adds more bytes to a message that has `size` bytes so far. `block` contains the last bytes, which
// do not fill a block yet.
template <class Hash>
void absorb(State<Hash>& state, std::byte* block, std::uint64_t& size,
            std::span<const std::byte> bytes) noexcept {
  const auto used = static_cast<std::size_t>(size % Hash::kBlockBytes);
  size += bytes.size();
  if (used != 0) {
    const std::size_t missing = std::min(Hash::kBlockBytes - used, bytes.size());
    std::copy_n(bytes.data(), missing, block + used);
    bytes = bytes.subspan(missing);
    if (used + missing < Hash::kBlockBytes) return;
    compress<Hash>(state, block);
  }
  for (; bytes.size() >= Hash::kBlockBytes; bytes = bytes.subspan(Hash::kBlockBytes)) {
    compress<Hash>(state, bytes.data());
  }
  std::copy_n(bytes.data(), bytes.size(), block);
}

// Completes the last block: zeros from `used` on, then the message's length in bits. The length has
// two words; the first is 0.
template <class Hash>
void end_block(std::byte* block, std::size_t used, std::uint64_t message_bytes) noexcept {
  std::fill_n(block + used, Hash::kBlockBytes - 8 - used, std::byte{0});
  store_be64(block + Hash::kBlockBytes - 8, message_bytes << 3);
}

template <class Hash>
auto finish(State<Hash>& state, std::byte* block, std::uint64_t size) noexcept {
  using Word = typename Hash::Word;
  auto used = static_cast<std::size_t>(size % Hash::kBlockBytes);
  block[used++] = std::byte{0x80};
  if (used > Hash::kBlockBytes - 2 * sizeof(Word)) {
    std::fill_n(block + used, Hash::kBlockBytes - used, std::byte{0});
    compress<Hash>(state, block);
    used = 0;
  }
  end_block<Hash>(block, used, size);
  compress<Hash>(state, block);

  std::array<std::byte, 8 * sizeof(Word)> out;
  for (std::size_t i = 0; i < state.size(); ++i) {
    Hash::store(out.data() + i * sizeof(Word), state[i]);
  }
  return out;
}

// The longest message that fits into one block, together with a byte of padding and the length.
constexpr std::size_t kOneBlock = 64 - 8 - 1;

// Hashes up to four messages of one block each. If there are fewer, the other lanes repeat the
// first message.
void digest_lanes(std::span<const std::string_view* const> messages,
                  Sha256Digest* const* digests) noexcept {
  std::array<std::byte, kLanes * Family256::kBlockBytes> blocks;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const std::string_view message = *messages[lane < messages.size() ? lane : 0];
    std::byte* const block = blocks.data() + lane * Family256::kBlockBytes;
    std::memcpy(block, message.data(), message.size());
    block[message.size()] = std::byte{0x80};
    end_block<Family256>(block, message.size() + 1, message.size());
  }
  auto state = initial_state<Family256Lanes>();
  compress<Family256Lanes>(state, blocks.data());
  for (std::size_t lane = 0; lane < messages.size(); ++lane) {
    for (std::size_t i = 0; i < state.size(); ++i) {
      Family256::store(digests[lane]->data() + 4 * i, state[i][lane]);
    }
  }
}

}  // namespace

std::array<std::byte, 64> sha512(std::span<const std::byte> bytes) noexcept {
  auto state = initial_state<Family512>();
  std::array<std::byte, Family512::kBlockBytes> block;
  std::uint64_t size = 0;
  absorb<Family512>(state, block.data(), size, bytes);
  return finish<Family512>(state, block.data(), size);
}

Sha256::Sha256() noexcept : state_(initial_state<Family256>()) {}

void Sha256::update(std::span<const std::byte> bytes) noexcept {
  absorb<Family256>(state_, block_.data(), size_, bytes);
}

Sha256Digest Sha256::finish() noexcept {
  return detail::finish<Family256>(state_, block_.data(), size_);
}

Sha256Digest sha256(std::span<const std::byte> message) noexcept {
  Sha256 hash;
  hash.update(message);
  return hash.finish();
}

void sha256(std::span<const std::string_view> messages, Sha256Digest* digests) noexcept {
  std::array<const std::string_view*, kLanes> waiting;
  std::array<Sha256Digest*, kLanes> to;
  std::size_t lanes = 0;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].size() > kOneBlock) {
      digests[i] = sha256(std::as_bytes(std::span<const char>(messages[i])));
      continue;
    }
    waiting[lanes] = &messages[i];
    to[lanes] = &digests[i];
    if (++lanes == kLanes) {
      digest_lanes(waiting, to.data());
      lanes = 0;
    }
  }
  if (lanes == 1) {
    *to[0] = sha256(std::as_bytes(std::span<const char>(*waiting[0])));
  } else if (lanes != 0) {
    digest_lanes(std::span(waiting).first(lanes), to.data());
  }
}

}  // namespace tamis::detail
