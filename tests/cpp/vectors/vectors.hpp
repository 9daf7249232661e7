// What the golden files are made with. Every type of structures.def has its vectors() in a file of
// vectors/; a damaged file is written only if decode() gives the status that is stated for it.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <tamis/registry.hpp>

namespace tamis::vectors {

using Bytes = std::vector<std::byte>;
using Strings = std::vector<std::string>;

inline Key key_of(const std::string& text) { return std::as_bytes(std::span(text)); }

inline std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  char two[3];
  for (const std::byte b : bytes) {
    std::snprintf(two, sizeof two, "%02x", std::to_integer<unsigned>(b));
    text += two;
  }
  return text;
}

inline SipKey sip_key(unsigned first) {
  SipKey key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(first + i);
  return key;
}

inline Strings numbered(const char* prefix, int count) {
  Strings keys;
  for (int i = 0; i < count; ++i) keys.push_back(prefix + std::to_string(i));
  return keys;
}

// Keys that find what simpler ones do not: empty, bytes from 0x80 on, NUL, every length up to 300.
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

[[noreturn]] inline void fail(const std::string& why) {
  std::cerr << "make_vectors: " << why << "\n";
  std::exit(1);
}

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

  // Answers are given for `present`, all of which must be in, and for `others`, as they turn out.
  template <class F, class Has>
  void valid(const std::string& file, const F& structure, const Strings& present,
             const Strings& others, Has has, std::optional<SipKey> key = {}) {
    const Bytes bytes = encoded(structure);
    expect<F>(file, bytes, Status::kOk, key);
    if (!std::all_of(present.begin(), present.end(), has)) fail(file + ": a key is missing");
    std::string answers;
    for (const auto& k : others) answers += has(k) ? '1' : '0';
    begin(file, F::kType, bytes, key);
    std::cout << ", \"valid\": true, \"present\": \"" << list<F>(present) << "\", \"absent\": \""
              << list<F>(others) << "\", \"answers\": \"" << answers << "\"}";
  }

  // The structure's bytes after `damage`, with the checksums repaired unless `raw`.
  template <class F>
  void damaged(const std::string& file, const F& structure, Status status,
               const std::function<void(Bytes&)>& damage, bool raw = false,
               std::optional<SipKey> key = {}) {
    Bytes bytes = encoded(structure);
    damage(bytes);
    if (!raw) repair(bytes);
    expect<F>(file, bytes, status, key);
    begin(file, F::kType, bytes, key);
    std::cout << ", \"valid\": false, \"error\": \"" << code(status) << "\"}";
  }

  template <class F>
  static Bytes encoded(const F& structure) {
    const auto bytes = encode(structure);
    if (!bytes.ok()) fail("out of memory");
    return {bytes->span().begin(), bytes->span().end()};
  }

 private:
  template <class F>
  static std::string written(const std::string& key) {
    return std::is_same_v<F, BitArray> ? key : hex(key_of(key));
  }

  // What a list's name says of a key, be it of bytes that cannot be shown; of a hash how it begins.
  static std::string shown(const std::string& key) {
    const auto is_plain = [](unsigned char c) { return std::isalnum(c) || c == '-'; };
    const bool is_shown = !key.empty() && std::all_of(key.begin(), key.end(), is_plain);
    if (is_shown) return key;
    return key.size() == 32 ? hex(key_of(key)).substr(0, 8) : std::to_string(key.size()) + " bytes";
  }

  // The name of a list. Most lists belong to many files, so each is written once.
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

  static void repair(Bytes& bytes) {
    if (bytes.size() < kHeaderBytes) return;
    detail::store_le32(bytes.data() + 56, crc32c(std::span(bytes).subspan(kHeaderBytes)));
    detail::store_le32(bytes.data() + 60, crc32c(std::span(bytes).first(60)));
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

inline void set32(Bytes& bytes, std::size_t at, std::uint32_t value) {
  detail::store_le32(bytes.data() + at, value);
}
inline void set64(Bytes& bytes, std::size_t at, std::uint64_t value) {
  detail::store_le64(bytes.data() + at, value);
}

// Each type's specialization has a file of its own.
template <class F>
void vectors(Writer& writer);
void url_vectors(Writer& writer);

}  // namespace tamis::vectors
