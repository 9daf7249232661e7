// tamis/url/prefix_reader.hpp - the entries of a PrefixSet in order, a chunk of them at a time, so
// that a list is never unpacked as a whole.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tamis/url/prefix_set.hpp>

namespace tamis::url {

class PrefixReader {
 public:
  // `set` must stay as it is meanwhile.
  explicit PrefixReader(const PrefixSet& set) noexcept : set_(set) { fill(); }

  [[nodiscard]] bool is_at_end() const noexcept { return at_ == end_; }
  // Only where not at the end: the entry, and the entries from it on that are unpacked.
  [[nodiscard]] const std::byte* entry() const noexcept { return bytes_.data() + at_; }
  [[nodiscard]] std::span<const std::byte> chunk() const noexcept {
    return std::span(bytes_).subspan(at_, end_ - at_);
  }

  void skip() noexcept {
    at_ += set_.prefix_bytes();
    if (at_ == end_) fill();
  }
  void skip_chunk() noexcept { fill(); }

 private:
  void fill() noexcept {
    const std::uint64_t count =
        std::min<std::uint64_t>(bytes_.size() / set_.prefix_bytes(), set_.size() - next_);
    set_.copy_to(next_, count, bytes_.data());
    next_ += count;
    at_ = 0;
    end_ = static_cast<std::size_t>(count) * set_.prefix_bytes();
  }

  const PrefixSet& set_;
  std::uint64_t next_ = 0;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::array<std::byte, 4096> bytes_;
};

}  // namespace tamis::url
