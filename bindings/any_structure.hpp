// bindings/any_structure.hpp - a structure of any type, and the table of operations of its type.
//
// Each type has one constant Ops. It contains the type's members, or nullptr for a member that the
// type lacks; run() then returns kUnsupported. JavaScript gets statuses as negative numbers.
#pragma once

#include <cstdlib>
#include <limits>
#include <type_traits>

#include <tamis/concepts.hpp>

#include "border.def"

namespace tamis::bindings {

// The number by which JavaScript identifies a structure. It is a whole number below 2^52, so that a
// double represents it exactly.
using Handle = double;

[[nodiscard]] constexpr std::int32_t negative(Status status) noexcept {
  return -static_cast<std::int32_t>(status);
}

#define TAMIS_ENUMERATOR(name) name,
enum class Figure : std::uint32_t { TAMIS_FIGURES(TAMIS_ENUMERATOR) };
enum class KeyOperation : std::uint32_t { TAMIS_KEY_OPERATIONS(TAMIS_ENUMERATOR) kEnd };
enum class BitOperation : std::uint32_t { TAMIS_BIT_OPERATIONS(TAMIS_ENUMERATOR) kEnd };
#undef TAMIS_ENUMERATOR

struct AnyStructure;

// An entry of a table of operations. If it returns a number, a negative value stands for a status.
template <class Answer, class... Arguments>
using Op = Answer (*)(AnyStructure& object, Arguments... arguments) noexcept;

// One function for each operation in a list of border.def.
template <class Operation, class Argument>
struct OpsOf {
  Op<std::int32_t, Argument> all[static_cast<std::size_t>(Operation::kEnd)];

  constexpr auto& operator[](Operation operation) noexcept {
    return all[static_cast<std::size_t>(operation)];
  }
  // Returns nullptr for a number that is not an operation.
  constexpr auto operator[](Operation operation) const noexcept {
    return operation < Operation::kEnd ? all[static_cast<std::size_t>(operation)] : nullptr;
  }
};

struct Ops {
  FilterType type;  // 0 for a structure that is not in the format
  Op<void> destroy;
  // Every type has this function. It returns NaN for a figure that the type does not have.
  Op<double, Figure> figure;
  Op<std::int32_t, Header&> header;
  Op<std::int32_t> validate, clear;
  Op<std::int32_t, ByteWriter&> write;
  // These make new objects, which the caller owns.
  Op<Result<AnyStructure*>> clone, empty_copy;
  // These return kIncompatible if the other structure has another type.
  Op<std::int32_t, AnyStructure&> merge, intersect;
  Op<std::int32_t, std::uint64_t, std::span<char>> print;
  OpsOf<BitOperation, std::uint64_t> of_bit;
  // of_hash gets the key's hash; of_key gets the key itself, if a hash is not enough.
  OpsOf<KeyOperation, Hash> of_hash;
  OpsOf<KeyOperation, Key> of_key;
  // For each hash, these write whether it is in the structure; get_many also writes a map's values.
  Op<std::int32_t, std::span<const Hash>, std::uint8_t*, std::uint32_t*> has_many, get_many;
};

struct AnyStructure {
  const Ops& ops;
  // The hasher for keys, or nullptr if operations need the key itself.
  const Hasher* hasher = nullptr;
  // The handle, or 0 if there was no free slot in the table of handles.
  Handle handle = 0;

  explicit AnyStructure(const Ops& of_type) noexcept;
  AnyStructure(const AnyStructure&) = delete;
  AnyStructure& operator=(const AnyStructure&) = delete;
  ~AnyStructure();

  // Does not throw if memory is short: a new-expression then returns nullptr.
  static void* operator new(std::size_t size) noexcept { return std::malloc(size); }
  static void operator delete(void* object) noexcept { std::free(object); }
};

// Converts a status to the Answer of a function, which is a Result or a number.
template <class Answer>
[[nodiscard]] Answer failure(Status status) noexcept {
  if constexpr (std::same_as<Answer, std::int32_t>) {
    return negative(status);
  } else {
    return status;
  }
}

// Calls a function of a table, or returns kUnsupported if the function is nullptr.
template <class Answer, class... Needed>
[[nodiscard]] Answer run(Answer (*function)(Needed...) noexcept,
                         std::type_identity_t<Needed>... given) noexcept {
  return function == nullptr ? failure<Answer>(Status::kUnsupported) : function(given...);
}

// A figure of a structure, or NaN if its type has no such figure.
template <class F>
[[nodiscard]] double figure_of(const F& structure, Figure figure) noexcept {
  switch (figure) {
#define TAMIS_FIGURE(member)                          \
  case Figure::member:                                \
    if constexpr (requires { structure.member(); })   \
      return static_cast<double>(structure.member()); \
    break;
    TAMIS_FIGURES(TAMIS_FIGURE)
#undef TAMIS_FIGURE
  }
  return std::numeric_limits<double>::quiet_NaN();
}

template <class F>
struct Held;

// Moves a structure to the heap, and gives it a handle.
template <class F>
[[nodiscard]] Result<AnyStructure*> adopt(Result<F>&& result) noexcept {
  if (!result.ok()) return result.status();
  auto* object = new Held<F>(std::move(*result));
  if (object != nullptr && object->handle != 0) return object;
  delete object;
  return Status::kOutOfMemory;
}

// Converts the result of a member function to the Answer of a table function.
template <class Answer, class Given>
[[nodiscard]] Answer to_answer(Given&& given) noexcept {
  if constexpr (!std::same_as<Answer, std::int32_t>) {
    if constexpr (std::convertible_to<Given, Answer>)
      return given;
    else
      return adopt(std::forward<Given>(given));
  } else if constexpr (std::same_as<Given, Status>) {
    return negative(given);
  } else if constexpr (requires { given.status(); }) {
    return given.ok() ? static_cast<std::int32_t>(*given) : negative(given.status());
  } else {
    return static_cast<std::int32_t>(given);
  }
}

// The structure as an F, or nullptr if it has another type.
template <class F>
[[nodiscard]] F* find_like(AnyStructure& object) noexcept {
  return object.ops.type == F::kType ? &static_cast<Held<F>&>(object).structure : nullptr;
}

// Sets a table entry to act(F&, arguments...), unless F lacks the member that act calls.
template <class F, class Answer, class... Arguments, class Act>
constexpr void put(Op<Answer, Arguments...>& op, Act) noexcept {
  if constexpr (std::invocable<Act, F&, Arguments&...>) {
    op = [](AnyStructure& object, Arguments... arguments) noexcept -> Answer {
      F& structure = static_cast<Held<F>&>(object).structure;
      if constexpr (std::is_void_v<std::invoke_result_t<Act, F&, Arguments&...>>) {
        Act{}(structure, arguments...);
        return Answer{};
      } else {
        return to_answer<Answer>(Act{}(structure, arguments...));
      }
    };
  }
}

#define TAMIS_CALL(member)                                                      \
  [](auto& structure, auto&... given) -> decltype(structure.member(given...)) { \
    return structure.member(given...);                                          \
  }
// The same for members whose argument is another structure of the same type.
#define TAMIS_CALL_WITH(member)                                                       \
  [](auto& structure, AnyStructure& other) -> decltype(structure.member(structure)) { \
    const F* like = find_like<F>(other);                                              \
    return like == nullptr ? Status::kIncompatible : structure.member(*like);         \
  }

template <class F>
constexpr Ops ops_of() noexcept {
  Ops ops{};
  if constexpr (requires { F::kType; }) ops.type = F::kType;
  ops.destroy = [](AnyStructure& object) noexcept { delete static_cast<Held<F>*>(&object); };
  put<F>(ops.header, [](auto& structure, Header& out) -> decltype(structure.header(), void()) {
    out = structure.header();
  });
  put<F>(ops.figure, [](auto& structure, Figure figure) { return figure_of(structure, figure); });
  put<F>(ops.validate, TAMIS_CALL(validate));
  put<F>(ops.clear, TAMIS_CALL(clear));
  put<F>(ops.write, TAMIS_CALL(write));
  put<F>(ops.clone, TAMIS_CALL(clone));
  put<F>(ops.empty_copy, TAMIS_CALL(empty_copy));
  put<F>(ops.merge, TAMIS_CALL_WITH(merge));
  put<F>(ops.intersect, TAMIS_CALL_WITH(intersect));
  put<F>(ops.print, TAMIS_CALL(print));
  put<F>(ops.has_many,
         [](auto& structure, auto& hashes, auto* answers,
            auto*) -> decltype(structure.may_contain(hashes, answers)) {
           structure.may_contain(hashes, answers);
         });
  put<F>(ops.get_many, TAMIS_CALL(get));

  put<F>(ops.of_bit[BitOperation::kTest], TAMIS_CALL(test));
  put<F>(ops.of_bit[BitOperation::kSet], TAMIS_CALL(set));
  put<F>(ops.of_bit[BitOperation::kUnset], TAMIS_CALL(unset));
  put<F>(ops.of_bit[BitOperation::kToggle], TAMIS_CALL(toggle));
  put<F>(ops.of_bit[BitOperation::kCounter], TAMIS_CALL(counter_at));
  put<F>(ops.of_bit[BitOperation::kIsLocked], TAMIS_CALL(is_locked));

  put<F>(ops.of_hash[KeyOperation::kInsert], TAMIS_CALL(insert));
  put<F>(ops.of_hash[KeyOperation::kHas], TAMIS_CALL(may_contain));
  put<F>(ops.of_hash[KeyOperation::kErase], TAMIS_CALL(erase));
  put<F>(ops.of_hash[KeyOperation::kCountOf], TAMIS_CALL(count_of));
  put<F>(ops.of_hash[KeyOperation::kIsDeletable], TAMIS_CALL(is_deletable));
  put<F>(ops.of_hash[KeyOperation::kAddIfAbsent], TAMIS_CALL(insert_if_absent));

  // These members take the key itself: for schemes that cannot use a hash, and for sketches.
  put<F>(ops.of_key[KeyOperation::kInsert], TAMIS_CALL(insert_by_scheme));
  put<F>(ops.of_key[KeyOperation::kHas], TAMIS_CALL(may_contain_by_scheme));
  if constexpr (Sketch<F>) {
    put<F>(ops.of_key[KeyOperation::kInsert], TAMIS_CALL(insert));
    put<F>(ops.of_key[KeyOperation::kErase], TAMIS_CALL(erase));
  }
  return ops;
}
#undef TAMIS_CALL
#undef TAMIS_CALL_WITH

template <class F>
inline constexpr Ops kOps = ops_of<F>();

template <class F>
struct Held final : AnyStructure {
  F structure;

  explicit Held(F&& made) noexcept : AnyStructure(kOps<F>), structure(std::move(made)) {
    if constexpr (Filter<F>) {
      if (is_hash_once(structure.hasher().id())) hasher = &structure.hasher();
    }
  }
};

}  // namespace tamis::bindings
