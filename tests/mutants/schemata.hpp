// The header that tests/mutants/cpp.py puts into a copy of the core. All mutants are in one program,
// and the environment names the active one. So they are compiled once.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <type_traits>

namespace tamis_mutants {

inline int active() noexcept {
  static const int number = [] {
    const char* text = std::getenv("TAMIS_MUTANT");
    return text == nullptr ? -1 : std::atoi(text);
  }();
  return number;
}

constexpr bool is_active(int number) noexcept {
  return !std::is_constant_evaluated() && active() == number;
}

template <class T, class U>
constexpr T constant(int number, T value, U other) noexcept {
  return is_active(number) ? static_cast<T>(other) : value;
}

// a + b becomes a +Infix{}+ b, which has the same precedence: the first + keeps a, the second does
// this operator, or the other one. What has no other one, such as a sum of pointers, counts as shown.
struct Add {};
struct Sub {};
struct Mul {};
struct Div {};
struct Mod {};
struct Shl {};
struct Shr {};
struct And {};
struct Or {};
struct Xor {};
struct Lt {};
struct Le {};
struct Gt {};
struct Ge {};
struct Eq {};
struct Ne {};

template <class Tag>
struct Infix {
  int number;
};
template <class Tag, class L>
struct Left {
  L left;
  int number;
};

#define TAMIS_MUTANT(Tag, op, other)                                              \
  template <class L>                                                              \
  constexpr auto operator op(const L& left, Infix<Tag> infix) noexcept {          \
    return Left<Tag, std::decay_t<L>>{left, infix.number};                        \
  }                                                                               \
  template <class L, class R>                                                     \
  constexpr auto operator op(const Left<Tag, L>& left, const R& right) noexcept { \
    using Result = decltype(left.left op right);                                  \
    if (is_active(left.number)) {                                                 \
      if constexpr (requires { static_cast<Result>(left.left other right); })     \
        return static_cast<Result>(left.left other right);                        \
      else                                                                        \
        std::abort();                                                             \
    }                                                                             \
    return static_cast<Result>(left.left op right);                               \
  }
TAMIS_MUTANT(Add, +, -)
TAMIS_MUTANT(Sub, -, +)
TAMIS_MUTANT(Mul, *, +)
TAMIS_MUTANT(Div, /, *)
TAMIS_MUTANT(Mod, %, +)
TAMIS_MUTANT(Shl, <<, >>)
TAMIS_MUTANT(Shr, >>, <<)
TAMIS_MUTANT(And, &, |)
TAMIS_MUTANT(Or, |, &)
TAMIS_MUTANT(Xor, ^, |)
TAMIS_MUTANT(Lt, <, <=)
TAMIS_MUTANT(Le, <=, <)
TAMIS_MUTANT(Gt, >, >=)
TAMIS_MUTANT(Ge, >=, >)
TAMIS_MUTANT(Eq, ==, !=)
TAMIS_MUTANT(Ne, !=, ==)
#undef TAMIS_MUTANT

}  // namespace tamis_mutants
