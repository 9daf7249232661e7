// tamis/keyed.hpp - the base class of filters, with calls for keys of any type and for many keys.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tamis/key.hpp>
#include <tamis/status.hpp>

namespace tamis {

// The result of a call for one key: bool if the call cannot fail.
template <class T>
concept BoolOrResult = std::same_as<T, bool> || std::same_as<T, Result<bool>>;

// F implements each call for one type of key, Form: Hash, or Key if it may need the bytes. This
// base adds the same call for every other key type; F makes these calls visible with `using`.
// Self always equals F. It is a template parameter because Clang 14 would check a constraint on F
// itself before F is complete.
template <class F, class Form = Hash>
class Keyed {
  template <class K>
  static constexpr bool kIsOther = !std::same_as<K, Hash> && !std::same_as<K, Form>;
  template <class K>
  static constexpr bool kIsNoexcept = !detail::CustomKey<K>;

 public:
#define TAMIS_OF_ANY_KEY(attribute, call, constant)                                           \
  template <class K, class Self = F>                                                          \
    requires kIsOther<K> && KeyLike<K> &&                                                     \
             requires(constant Self& filter, Form form) { filter.call(form); }                \
  TAMIS_PER_ISA attribute auto call(const K& key) constant noexcept(kIsNoexcept<K>) {         \
    return detail::with_key(key, [this](auto given) { return self().call(form_of(given)); }); \
  }
  TAMIS_OF_ANY_KEY(, insert, )
  TAMIS_OF_ANY_KEY(, insert_if_absent, )
  TAMIS_OF_ANY_KEY(, erase, )
  TAMIS_OF_ANY_KEY([[nodiscard]], may_contain, const)
  TAMIS_OF_ANY_KEY([[nodiscard]], count_of, const)
  TAMIS_OF_ANY_KEY([[nodiscard]], is_deletable, const)
  TAMIS_OF_ANY_KEY([[nodiscard]], get, const)
#undef TAMIS_OF_ANY_KEY

  // The hash of a key. It needs a hash id for which is_hash_once() is true.
  template <KeyLike K>
  [[nodiscard]] Hash hash_of(const K& key) const {
    return detail::with_key(key, self().hasher());
  }

  // Adds the keys of a range, and returns how many were certainly new. If an insert fails, some of
  // the earlier keys may be in the filter. If you have hashes, insert(hashes) is faster.
  template <KeyRange Keys, class Self = F>
    requires requires(Self& filter, Form form) {
      { filter.insert(form) } -> BoolOrResult;
    }
  TAMIS_PER_ISA auto insert_range(Keys&& keys) {
    constexpr bool kNeverFails = std::same_as<decltype(self().insert(Form{})), bool>;
    Result<std::uint64_t> fresh = insert_each(keys);
    if constexpr (kNeverFails) {
      return *fresh;
    } else {
      return fresh;
    }
  }
  // Sets answers[i] to 1 or 0: the result of may_contain for the i-th key.
  template <KeyRange Keys>
    requires(!std::same_as<std::remove_cvref_t<Keys>, std::span<const Hash>>)
  TAMIS_PER_ISA void may_contain(Keys&& keys, std::uint8_t* answers) const {
    if (!is_hash_once(self().hasher().id())) {
      for (auto&& key : keys) *answers++ = self().may_contain(key) ? 1 : 0;
      return;
    }
    (void)hash_in_batches(keys, [&](std::span<const Hash> hashes) {
      self().may_contain(hashes, answers);
      answers += hashes.size();
      return Status::kOk;
    });
  }

  // The base has no data to compare. same_as excludes the derived filters, which have operators.
  template <std::same_as<Keyed> K>
  friend bool operator==(const K&, const K&) noexcept {
    return true;
  }

 private:
  [[nodiscard]] F& self() noexcept { return static_cast<F&>(*this); }
  [[nodiscard]] const F& self() const noexcept { return static_cast<const F&>(*this); }

  // Converts bytes to the Form; a Hash is returned unchanged.
  template <class Given>
  [[nodiscard]] auto form_of(Given given) const noexcept {
    if constexpr (std::same_as<Form, Key>) {
      return given;
    } else {
      return self().hasher()(given);
    }
  }

  // Hashes the keys in batches, and calls act(hashes), which returns a Status, for each batch.
  template <class Keys, class Act>
  [[nodiscard]] Status hash_in_batches(Keys& keys, Act act) const {
    std::array<Hash, 256> hashes;
    std::size_t size = 0;
    for (auto&& key : keys) {
      hashes[size++] = hash_of(key);
      if (size < hashes.size()) continue;
      TAMIS_NEED(act(std::span<const Hash>(hashes)));
      size = 0;
    }
    return act(std::span<const Hash>(hashes).first(size));
  }

  template <class Keys>
  TAMIS_PER_ISA [[nodiscard]] Result<std::uint64_t> insert_each(Keys& keys) {
    std::uint64_t fresh = 0;
    if constexpr (requires(F& filter, std::span<const Hash> hashes) { filter.insert(hashes); }) {
      if (is_hash_once(self().hasher().id())) {
        const Status status = hash_in_batches(keys, [&](std::span<const Hash> hashes) {
          const Result<std::uint64_t> some = self().insert(hashes);
          fresh += some.value_or(0);
          return some.status();
        });
        TAMIS_NEED(status);
        return fresh;
      }
    }
    for (auto&& key : keys) {
      const Result<bool> is_new = self().insert(key);
      if (!is_new.ok()) return is_new.status();
      fresh += *is_new ? 1u : 0u;
    }
    return fresh;
  }
};

}  // namespace tamis
