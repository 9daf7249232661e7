// What runs for each key, compiled for speed (bindings/CMakeLists.txt).

#include <tamis/detail/subfilter.hpp>

#include <tamis/detail/batch.hpp>

namespace tamis::detail {

void Subfilter::turn(std::span<const std::uint64_t> hashes, std::uint8_t* answers,
                     std::uint8_t asked) const noexcept {
  turn_answers(hashes, answers, asked,
               [this](std::span<const std::uint64_t> some, std::uint8_t* found) {
                 with([=](const auto& filter) { filter.may_contain(some, found); });
               });
}

}  // namespace tamis::detail
