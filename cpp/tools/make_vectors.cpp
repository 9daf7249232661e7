// Writes the golden files: make_vectors FOLDER puts each *.tamis there and prints the manifest, a JSON
// array without digests, which js/scripts/vectors.mjs completes. Every type of filters.def has its
// vectors(); a damaged file is written only if decode() gives the status that is stated for it.

#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <tamis/tamis.hpp>

namespace {

using namespace tamis;
using Bytes = std::vector<std::byte>;
using Strings = std::vector<std::string>;

Key key_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  char two[3];
  for (const std::byte b : bytes) {
    std::snprintf(two, sizeof two, "%02x", std::to_integer<unsigned>(b));
    text += two;
  }
  return text;
}

SipKey sip_key(unsigned first) {
  SipKey key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(first + i);
  return key;
}

Strings numbered(const char* prefix, int count) {
  Strings keys;
  for (int i = 0; i < count; ++i) keys.push_back(prefix + std::to_string(i));
  return keys;
}

// Keys that find what simpler ones do not: empty, bytes from 0x80 on, NUL, every length up to 300.
Strings varied() {
  Strings keys{"", std::string(1, '\0'), "\xff\x80\xfe", "\xd0\xa0\xd0\xbe\xd1\x81\xd1\x81\xd0\xb8\xd1\x8f"};
  for (std::size_t size = 1; size <= 300; size += 13) {
    std::string key;
    for (std::size_t i = 0; i < size; ++i) key += static_cast<char>(i * 151 + size);
    keys.push_back(key);
  }
  return keys;
}

[[noreturn]] void fail(const std::string& why) {
  std::cerr << "make_vectors: " << why << "\n";
  std::exit(1);
}

class Writer {
 public:
  explicit Writer(std::string folder) : folder_(std::move(folder)) { std::cout << "["; }
  ~Writer() { std::cout << "\n]\n"; }

  // Answers are given for `present`, all of which must be in, and for `others`, as they turn out.
  template <class F, class Has>
  void valid(const std::string& file, const F& structure, const Strings& present, const Strings& others,
             Has has, std::optional<SipKey> key = {}) {
    const Bytes bytes = encoded(structure);
    expect<F>(file, bytes, Status::kOk, key);
    begin(file, F::kType, bytes, key);
    std::cout << ", \"valid\": true, \"present\": [";
    for (const auto& k : present) {
      if (!has(k)) fail(file + ": a key is missing");
      std::cout << (&k == &present.front() ? "" : ", ") << '"' << written<F>(k) << '"';
    }
    std::cout << "], \"absent\": [";
    for (const auto& k : others) {
      std::cout << (&k == &others.front() ? "" : ", ") << "{\"key\": \"" << written<F>(k)
                << "\", \"has\": " << (has(k) ? "true" : "false") << "}";
    }
    std::cout << "]}";
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

  void begin(const std::string& file, FilterType type, const Bytes& bytes, const std::optional<SipKey>& key) {
    std::ofstream out(folder_ + "/" + file + ".tamis", std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!out.flush()) fail("cannot write " + file);
    std::cout << (first_ ? "\n" : ",\n") << "  {\"file\": \"" << file << ".tamis\", \"type\": \""
              << find_type(static_cast<std::uint8_t>(type))->slug << '"';
    if (key) std::cout << ", \"key\": \"" << hex(*key) << '"';
    first_ = false;
  }

  std::string folder_;
  bool first_ = true;
};

void set32(Bytes& bytes, std::size_t at, std::uint32_t value) { detail::store_le32(bytes.data() + at, value); }
void set64(Bytes& bytes, std::size_t at, std::uint64_t value) { detail::store_le64(bytes.data() + at, value); }

BloomFilter bloom(BloomFilter::Config config, const Strings& keys) {
  auto filter = BloomFilter::create(config);
  if (!filter.ok()) fail("cannot create a Bloom filter");
  for (const auto& key : keys) {
    if (!filter->insert(key_of(key)).ok()) fail("cannot insert");
  }
  return std::move(*filter);
}

void vectors(Writer& writer, std::type_identity<BloomFilter>) {
  const Strings three{"alice", "bob", "carol"}, strangers = numbered("stranger-", 64);
  const auto valid = [&](const std::string& name, const BloomFilter& filter, const Strings& keys,
                         std::optional<SipKey> key = {}) {
    const auto has = [&](const std::string& k) { return filter.may_contain(key_of(k)); };
    writer.valid("bloom-" + name, filter, keys, strangers, has, key);
  };
  const auto config = [](std::uint64_t capacity, Hasher hasher) {
    BloomFilter::Config made;
    made.capacity = capacity;
    made.hasher = hasher;
    return made;
  };
  const auto geometry = [](std::uint64_t bits, std::uint32_t hashes, HashId id) {
    BloomFilter::Config made;
    made.bits = bits;
    made.hashes = hashes;
    made.hasher = Hasher(id);
    return made;
  };
  const auto with = [&](Hasher hasher) { return bloom(config(varied().size(), hasher), varied()); };

  const BloomFilter small = bloom(config(3, Hasher()), three);
  valid("three-keys", small, three);
  valid("empty", bloom(config(100, Hasher()), {}), {});
  valid("double", with(Hasher()), varied());
  valid("seeded", with(Hasher(HashId::kXxh3, 0x0123456789abcdef)), varied());
  valid("keyed", with(Hasher(sip_key(0), 7)), varied(), sip_key(0));
  valid("seeds", with(Hasher(HashId::kSeeds, ~std::uint64_t{0} - 1)), varied());
  valid("digest", with(Hasher(HashId::kDigest)), varied());
  valid("murmur2a-fnv1a", with(Hasher(HashId::kMurmur2aFnv1a)), varied());
  valid("guava", with(Hasher(HashId::kGuava)), varied());
  valid("one-bit", bloom(geometry(1, 1, HashId::kXxh3), {"x"}), {"x"});
  valid("64-hashes", bloom(geometry(1000, 64, HashId::kXxh3), three), three);
  valid("over-capacity", bloom(config(10, Hasher()), numbered("key-", 100)), numbered("key-", 100));
  BloomFilter full = bloom(config(3, Hasher()), {});
  full.fill();
  valid("full", full, three);

  const auto damaged = [&](const std::string& name, Status status, const std::function<void(Bytes&)>& damage,
                           bool raw = false) { writer.damaged("bloom-bad-" + name, small, status, damage, raw); };
  damaged("magic", Status::kNotTamis, [](Bytes& b) { b[0] = std::byte{0x88}; });
  damaged("line-feed", Status::kNotTamis, [](Bytes& b) { b.erase(b.begin() + 4); }, true);
  damaged("7-bytes", Status::kNotTamis, [](Bytes& b) { b.resize(7); });
  damaged("nothing", Status::kNotTamis, [](Bytes& b) { b.clear(); });
  damaged("8-bytes", Status::kTruncated, [](Bytes& b) { b.resize(8); });
  damaged("version", Status::kUnsupportedVersion, [](Bytes& b) { b[8] = std::byte{2}; });
  damaged("version-high", Status::kUnsupportedVersion, [](Bytes& b) { b[9] = std::byte{1}; });
  damaged("63-bytes", Status::kTruncated, [](Bytes& b) { b.resize(63); });
  damaged("header-bit", Status::kCorrupt, [](Bytes& b) { b[40] ^= std::byte{1}; }, true);
  damaged("header-crc", Status::kCorrupt, [](Bytes& b) { b[63] ^= std::byte{0x80}; }, true);
  damaged("payload-bit", Status::kCorrupt, [](Bytes& b) { b[80] ^= std::byte{1}; }, true);
  damaged("type", Status::kUnknownType, [](Bytes& b) { b[10] = std::byte{200}; });
  damaged("hash-none", Status::kCorrupt, [](Bytes& b) { b[11] = std::byte{0}; });
  damaged("hash-unknown", Status::kCorrupt, [](Bytes& b) { b[11] = std::byte{8}; });
  damaged("reserved", Status::kCorrupt, [](Bytes& b) { b[15] = std::byte{1}; });
  damaged("digest-seed", Status::kCorrupt, [](Bytes& b) { b[11] = std::byte{4}, set64(b, 16, 1); });
  damaged("key-id", Status::kCorrupt, [](Bytes& b) { set64(b, 24, 1); });
  damaged("capacity-0", Status::kCorrupt, [](Bytes& b) { set64(b, 32, 0); });
  damaged("capacity", Status::kTooLarge, [](Bytes& b) { set64(b, 32, std::uint64_t{1} << 53); });
  damaged("count", Status::kTooLarge, [](Bytes& b) { set64(b, 40, std::uint64_t{1} << 53); });
  damaged("count-0", Status::kCorrupt, [](Bytes& b) { set64(b, 40, 0); });
  damaged("payload-bytes", Status::kTooLarge, [](Bytes& b) { set64(b, 48, std::uint64_t{1} << 40); });
  damaged("truncated", Status::kTruncated, [](Bytes& b) { b.pop_back(); });
  damaged("extended", Status::kCorrupt, [](Bytes& b) { b.push_back(std::byte{0}); });
  damaged("record-cut", Status::kCorrupt, [](Bytes& b) { b.resize(76), set64(b, 48, 12); });
  damaged("bits-0", Status::kCorrupt, [](Bytes& b) { set64(b, 64, 0); });
  damaged("bits", Status::kCorrupt, [](Bytes& b) { set64(b, 64, 65); });
  damaged("bits-huge", Status::kCorrupt, [](Bytes& b) { set64(b, 64, ~std::uint64_t{0}); });
  damaged("hashes-0", Status::kCorrupt, [](Bytes& b) { set32(b, 72, 0); });
  damaged("hashes-65", Status::kCorrupt, [](Bytes& b) { set32(b, 72, 65); });
  damaged("record-zero", Status::kCorrupt, [](Bytes& b) { set32(b, 76, 1); });
  damaged("padding", Status::kCorrupt, [](Bytes& b) { b[87] |= std::byte{0x80}; });
  damaged("murmur2a-fnv1a-hashes", Status::kCorrupt, [](Bytes& b) { b[11] = std::byte{5}; });
  damaged("guava-bits", Status::kCorrupt, [](Bytes& b) { b[11] = std::byte{6}; });
  writer.damaged("bloom-bad-digest-long", bloom(geometry(1 << 9, 1, HashId::kDigest), three), Status::kCorrupt,
                 [](Bytes& b) { set32(b, 72, 57); });

  const BloomFilter keyed = bloom(config(3, Hasher(sip_key(0))), three);
  const auto as_is = [](Bytes&) {};
  writer.damaged("bloom-bad-no-key", keyed, Status::kKeyRequired, as_is);
  writer.damaged("bloom-bad-other-key", keyed, Status::kWrongKey, as_is, false, sip_key(1));
  writer.damaged("bloom-bad-needless-key", small, Status::kWrongKey, as_is, false, sip_key(0));
}

void vectors(Writer& writer, std::type_identity<BitArray>) {
  const auto made = [](std::uint64_t length, const Strings& indices) {
    auto array = BitArray::create({length});
    if (!array.ok()) fail("cannot create a bit array");
    for (const auto& index : indices) {
      if (!array->set(std::stoull(index)).ok()) fail("cannot set a bit");
    }
    return std::move(*array);
  };
  const auto valid = [&](const std::string& name, std::uint64_t length, const Strings& present,
                         const Strings& others) {
    const BitArray array = made(length, present);
    const auto has = [&](const std::string& index) { return *array.test(std::stoull(index)); };
    writer.valid("bit-array-" + name, array, present, others, has);
  };
  valid("nothing", 0, {}, {});
  valid("empty", 100, {}, {"0", "63", "64", "99"});
  valid("one-word", 64, {"0", "31", "32", "63"}, {"1", "62"});
  valid("two-words", 65, {"0", "64"}, {"1", "63"});
  valid("scattered", 1000, {"1", "7", "8", "21", "127", "128", "500", "999"}, {"0", "9", "22", "998"});

  const BitArray small = made(100, {"3", "64", "99"});
  const auto damaged = [&](const std::string& name, Status status,
                           const std::function<void(Bytes&)>& damage) {
    writer.damaged("bit-array-bad-" + name, small, status, damage);
  };
  damaged("hash", Status::kCorrupt, [](Bytes& b) { b[11] = std::byte{1}; });
  damaged("seed", Status::kCorrupt, [](Bytes& b) { set64(b, 16, 1); });
  damaged("count", Status::kCorrupt, [](Bytes& b) { set64(b, 40, 4); });
  damaged("length", Status::kCorrupt, [](Bytes& b) { set64(b, 32, 129); });
  damaged("padding", Status::kCorrupt, [](Bytes& b) { b[79] = std::byte{1}, set64(b, 40, 4); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) fail("usage: make_vectors FOLDER");
  Writer writer(argv[1]);
#define TAMIS_FILTER(Type, slug, id, kind, traits) vectors(writer, std::type_identity<tamis::Type>{});
#include <tamis/filters.def>
#undef TAMIS_FILTER
}
