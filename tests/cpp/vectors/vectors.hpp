// Tools that make the golden files. Each type's vectors() is in its own file: rows of valid files,
// and rows of damaged files, which are written only if decode() returns the stated status.
#pragma once

#include <algorithm>
#include <cctype>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tamis/detail/retrieval.hpp>
#include <tamis/registry.hpp>
#include "contract/traits.hpp"
#include "support/support.hpp"

namespace tamis::vectors {

using namespace test;
using test::Bytes;  // not tamis::Bytes
using Strings = std::vector<std::string>;

inline Key key_of(const std::string& text) { return std::as_bytes(std::span(text)); }

inline Strings numbered(const char* prefix, int count) {
  Strings keys;
  for (int i = 0; i < count; ++i) keys.push_back(prefix + std::to_string(i));
  return keys;
}

// The keys from index `first` up to `end`.
inline Strings part(const Strings& keys, std::ptrdiff_t first, std::ptrdiff_t end) {
  return {keys.begin() + first, keys.begin() + std::min(end, std::ssize(keys))};
}

inline const Strings kThree{"alice", "bob", "carol"};

// Unusual keys: empty, bytes from 0x80 on, NUL, every length up to 300.
inline Strings varied() {
  Strings keys{"", std::string(1, '\0'), "\xff\x80\xfe",
               "\xd0\xa0\xd0\xbe\xd1\x81\xd1\x81\xd0\xb8\xd1\x8f"};
  for (std::size_t size = 1; size <= 300; size += 13) {
    std::string key;
    for (std::size_t i = 0; i < size; ++i) key += static_cast<char>(i * 151 + size);
    keys.push_back(key);
  }
  return keys;
}
inline const std::uint64_t kVaried = varied().size();

// Short keys that fill two levels of a retrieval. The last ones all fall into every eighth bucket
// of the first level; evenly spread keys would give few thresholds 1, and no 0.
inline Strings crowded() {
  constexpr std::size_t kKeys = 22'000, kUncrowded = 20'700;
  const detail::RibbonPlaces places(
      static_cast<std::uint32_t>(sizing::ribbon_bumping_slots(kKeys)));
  Strings keys;
  for (std::uint32_t number = 0; keys.size() < kKeys; ++number) {
    std::string key;
    for (std::uint32_t rest = number; key.empty() || rest > 0; rest /= 128) {
      key += static_cast<char>(rest % 128);
    }
    const auto h = static_cast<std::uint64_t>(Hasher()(key_of(key)));
    const std::uint32_t start = places.start(fmix64(h + attempt_seed(0, 0, 0)));
    const std::uint32_t bucket = start / sizing::kRibbonBucket;
    if (keys.size() < kUncrowded || bucket % 8 == 0) keys.push_back(key);
  }
  return keys;
}

inline Hasher seeded() { return Hasher(HashId::kXxh3, 0x0123456789abcdef); }
inline Hasher keyed(std::uint64_t seed = 0) { return Hasher(sip_key(), seed); }

[[noreturn]] inline void fail(const std::string& why) {
  std::cerr << "make_vectors: " << why << "\n";
  std::exit(1);
}

// A change of a file's bytes.
using Change = std::function<void(Bytes&)>;

inline Change u8(std::size_t at, unsigned value) {
  return [=](Bytes& b) { b[at] = static_cast<std::byte>(value); };
}
inline Change u32(std::size_t at, std::uint32_t value) {
  return [=](Bytes& b) { set32(b, at, value); };
}
inline Change u64(std::size_t at, std::uint64_t value) {
  return [=](Bytes& b) { set64(b, at, value); };
}
inline Change plus(std::size_t at, std::uint64_t more) {
  return [=](Bytes& b) { set64(b, at, detail::load_le64(b.data() + at) + more); };
}
inline Change counts(std::uint64_t count) {
  return [=](Bytes& b) { set64(b, kCapacityAt, count), set64(b, kCountAt, count); };
}
inline Change set_bits(std::size_t at, unsigned mask) {
  return [=](Bytes& b) { b[at] |= static_cast<std::byte>(mask); };
}
inline Change flip(std::size_t at, unsigned mask) {
  return [=](Bytes& b) { b[at] ^= static_cast<std::byte>(mask); };
}
inline Change last(unsigned value) {
  return [=](Bytes& b) { b.back() = static_cast<std::byte>(value); };
}
inline Change last_bit() {
  return [](Bytes& b) { b.back() |= std::byte{0x80}; };
}
inline Change fill(std::size_t at, unsigned value) {
  return [=](Bytes& b) {
    std::fill(b.begin() + static_cast<std::ptrdiff_t>(at), b.end(), static_cast<std::byte>(value));
  };
}
// sized() and grown() also change the size in the header; cut() does not.
inline Change sized(std::size_t size) {
  return [=](Bytes& b) { b.resize(size), set64(b, kPayloadBytesAt, size - kHeaderBytes); };
}
inline Change grown(std::ptrdiff_t by) {
  return [=](Bytes& b) { sized(b.size() + static_cast<std::size_t>(by))(b); };
}
inline Change cut(std::size_t size) {
  return [=](Bytes& b) { b.resize(size); };
}

// The size in bytes of an array with fields of `width` bits.
constexpr std::size_t array_bytes(std::size_t fields, std::size_t width) {
  return (fields * width + 63) / 64 * 8;
}

// A damaged file: the bytes of a base after changes, with corrected checksums unless `is_raw`.
struct Damage {
  std::string name;
  std::vector<Change> changes;
  Status status = Status::kCorrupt;
  bool is_raw = false;
};

// Returns whether a structure contains a key.
using Has = std::function<bool(const std::string&)>;

class Writer {
 public:
  explicit Writer(std::string folder) : folder_(std::move(folder)) { std::cout << "{\"files\": ["; }
  ~Writer() {
    std::cout << "\n], \"lists\": {";
    for (auto list = lists_.begin(); list != lists_.end(); ++list) {
      std::cout << (list == lists_.begin() ? "\n" : ",\n") << "  \"" << list->first << "\": ["
                << list->second << "]";
    }
    std::cout << "\n}}\n";
  }

  // Writes a file with answers for `present`, which must all be in, and for `others`.
  template <class F>
  void valid(const std::string& file, const F& structure, const Strings& present,
             const Strings& others, const Has& has, std::optional<SipKey> key) {
    const Bytes bytes = wire_bytes(structure);
    expect<F>(file, bytes, Status::kOk, key);
    if (!std::all_of(present.begin(), present.end(), has)) fail(file + ": a key is missing");
    std::string answers;
    for (const auto& k : others) answers += has(k) ? '1' : '0';
    begin(file, F::kType, bytes, key);
    std::cout << ", \"valid\": true, \"present\": \"" << list<F>(present) << "\", \"absent\": \""
              << list<F>(others) << "\", \"answers\": \"" << answers << "\"}";
  }

  template <class F>
  void damaged(const std::string& file, Bytes bytes, const Damage& damage,
               std::optional<SipKey> key) {
    for (const Change& change : damage.changes) change(bytes);
    if (!damage.is_raw) repair_crcs(bytes);
    expect<F>(file, bytes, damage.status, key);
    begin(file, F::kType, bytes, key);
    std::cout << ", \"valid\": false, \"error\": \"" << code(damage.status) << "\"}";
  }

 private:
  template <class F>
  static std::string written(const std::string& key) {
    return std::is_same_v<F, BitArray> ? key : hex(key_of(key));
  }

  // How a list shows a key. Bytes that cannot be shown have a special form; a hash is cut.
  static std::string shown(const std::string& key) {
    const auto is_plain = [](unsigned char c) { return std::isalnum(c) || c == '-'; };
    const bool is_shown = !key.empty() && std::all_of(key.begin(), key.end(), is_plain);
    if (is_shown) return key;
    return key.size() == 32 ? hex(key_of(key)).substr(0, 8) : std::to_string(key.size()) + " bytes";
  }

  // The name of a list. Most lists are used by many files, so each is written once.
  template <class F>
  std::string list(const Strings& keys) {
    std::string name = std::to_string(keys.size());
    name += std::is_same_v<F, BitArray> ? " indices" : " keys";
    if (!keys.empty()) name += " from " + shown(keys.front()) + " to " + shown(keys.back());
    std::string text;
    for (const auto& key : keys) text += (text.empty() ? "\"" : ", \"") + written<F>(key) + '"';
    if (lists_.emplace(name, text).first->second != text) fail("two lists are named " + name);
    return name;
  }

  template <class F>
  static void expect(const std::string& file, const Bytes& bytes, Status status,
                     const std::optional<SipKey>& key) {
    DecodeOptions options;
    if (key) options.key = &*key;
    const auto decoded = decode<F>(bytes, options);
    if (decoded.status() != status) fail(file + ": decode gives " + code(decoded.status()));
  }

  void begin(const std::string& file, FilterType type, const Bytes& bytes,
             const std::optional<SipKey>& key) {
    std::ofstream out(folder_ + "/" + file + ".tamis", std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    if (!out.flush()) fail("cannot write " + file);
    std::cout << (first_ ? "\n" : ",\n") << "  {\"file\": \"" << file << ".tamis\", \"type\": \""
              << info_of(type).slug << '"';
    if (key) std::cout << ", \"key\": \"" << hex(*key) << '"';
    first_ = false;
  }

  std::string folder_;
  bool first_ = true;
  std::map<std::string, std::string> lists_;
};

template <class F>
void insert(F& filter, const Strings& keys) {
  for (const auto& key : keys) MUST(is_ok(filter.insert(key_of(key))));
}

// Checks that all keys are there, and can be erased.
template <class F>
void erase(F& filter, const Strings& keys) {
  for (const auto& key : keys) {
    const Result<bool> erased = filter.erase(key_of(key));
    MUST(erased.ok() && *erased);
  }
}

inline std::vector<std::uint64_t> hashes_of(const Strings& keys, const Hasher& hasher) {
  std::vector<std::uint64_t> hashes;
  for (const auto& key : keys) hashes.push_back(static_cast<std::uint64_t>(hasher(key_of(key))));
  return hashes;
}

template <class F>
F filled(const typename F::Config& config, const Strings& keys) {
  if constexpr (StaticFilter<F>) {
    auto hashes = hashes_of(keys, config.hasher);
    auto filter = F::build(config, hashes);
    MUST(filter.ok());
    return std::move(*filter);
  } else {
    auto filter = F::create(config);
    MUST(filter.ok());
    insert(*filter, keys);
    return std::move(*filter);
  }
}

template <class F>
Has has_of(const F& filter) {
  return [&](const std::string& key) { return filter.may_contain(key_of(key)); };
}

// The files of one type, which are named after it.
template <class F>
class Golden {
 public:
  explicit Golden(Writer& writer) : writer_(writer) {}

  void valid(const std::string& name, const F& structure, const Strings& present,
             const Strings& others, const Has& has, std::optional<SipKey> key = {}) const {
    writer_.valid(slug_ + name, structure, present, others, has, key);
  }
  // A file that answers for keys also has answers for 64 other keys.
  void valid(const std::string& name, const F& filter, const Strings& keys,
             std::optional<SipKey> key = {}) const {
    valid(name, filter, keys, absent_keys_, has_of(filter), key);
  }
  template <class G = F>
  void valid(const std::string& name, const typename G::Config& config, const Strings& keys) const {
    valid(name, filled<F>(config, keys), keys, key_of_hasher(config.hasher));
  }

  // Files with the varied keys, for each hasher that all types have. `make` builds them.
  template <class Make>
  void by_hashers(const Make& make) const {
    valid("varied", make(Hasher()), varied());
    valid("seeded", make(seeded()), varied());
    valid("keyed", make(keyed(7)), varied(), sip_key());
  }
  template <class G = F>
  void by_hashers(typename G::Config config) const {
    by_hashers([&](const Hasher& hasher) {
      config.hasher = hasher;
      return filled<F>(config, varied());
    });
  }

  // A file that no writer makes but a reader must accept: the bytes of a base after changes.
  F changed(const F& base, const std::vector<Change>& changes) const {
    Bytes bytes = wire_bytes(base);
    for (const Change& change : changes) change(bytes);
    repair_crcs(bytes);
    auto decoded = decode<F>(bytes);
    MUST(decoded.ok());
    return std::move(*decoded);
  }
  void damaged(const F& base, const std::vector<Damage>& rows) const {
    for (const Damage& row : rows) damaged(base, row, {});
  }
  // A file of a structure with sip_key(), read without a key and with another key.
  void keys_refused(const F& keyed) const {
    damaged(keyed, {"no-key", {}, Status::kKeyRequired}, {});
    damaged(keyed, {"other-key", {}, Status::kWrongKey}, sip_key(1));
  }
  void key_refused(const F& keyless) const {
    damaged(keyless, {"needless-key", {}, Status::kWrongKey}, sip_key());
  }

 private:
  static std::optional<SipKey> key_of_hasher(const Hasher& hasher) {
    return hasher.id() == HashId::kSipHash ? std::optional(sip_key()) : std::nullopt;
  }
  void damaged(const F& base, const Damage& row, std::optional<SipKey> key) const {
    writer_.damaged<F>(slug_ + "bad-" + row.name, wire_bytes(base), row, key);
  }

  Writer& writer_;
  std::string slug_ = std::string(info_of(F::kType).slug) + "-";
  Strings absent_keys_ = numbered("stranger-", 64);
};

// Each type's specialization is in its own file.
template <class F>
void vectors(Writer& writer);

}  // namespace tamis::vectors
