// Models for types that are not filters (filter_model.hpp): std::vector<bool> for bit arrays, and
// signed numbers of copies for sketches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "contract/use_everything.hpp"

namespace tamis::test {

template <class F, class Source>
class ArrayModel {
 public:
  ArrayModel(F&& array, Source& source)
      : array_(std::move(array)),
        model_(static_cast<std::size_t>(array_.length())),
        source_(source) {}

  void step() {
    command();
    MUST(array_.validate() == Status::kOk);
    MUST(array_.count() == static_cast<std::uint64_t>(std::ranges::count(model_, true)));
    std::string printed(model_.size(), '?');
    MUST(array_.print(0, printed) == Status::kOk);
    for (std::size_t i = 0; i < model_.size(); ++i) MUST(printed[i] == (model_[i] ? '1' : '0'));
  }

 private:
  void change(const Result<bool>& answer, std::size_t i, bool value) {
    MUST(answer.ok() == (i < model_.size()));
    if (!answer.ok()) return;
    MUST(*answer == model_[i]);
    model_[i] = value;
  }

  void combine(bool is_merge) {
    auto other = F::create({.length = model_.size()});
    MUST(other.ok());
    for (std::size_t bit = 0; bit < model_.size(); ++bit) {
      const bool value = source_.below(2) == 0;
      if (value) MUST(other->set(bit).ok());
      model_[bit] = is_merge ? model_[bit] || value : model_[bit] && value;
    }
    MUST((is_merge ? array_.merge(*other) : array_.intersect(*other)) == Status::kOk);
  }

  void command() {
    const auto i = static_cast<std::size_t>(source_.below(model_.size() + 2));
    const bool was = i < model_.size() && model_[i];
    switch (source_.below(8)) {
      case 0:
      case 1:
        return change(array_.set(i), i, true);
      case 2:
        return change(array_.unset(i), i, false);
      case 3:
        return change(array_.toggle(i), i, !was);
      case 4:
        return change(array_.test(i), i, was);
      case 5: {
        const Bytes bytes = wire_bytes(array_);
        auto again = decode<F>(bytes);
        MUST(again.ok() && wire_bytes(*again) == bytes);
        array_ = std::move(*again);
        return;
      }
      case 6: {
        auto copy = array_.clone();
        MUST(copy.ok());
        use_everything(*copy);
        return;
      }
      default:
        return combine(source_.below(2) == 0);
    }
  }

  F array_;
  std::vector<bool> model_;
  Source& source_;
};

// Two tables with the same options, and for each the keys: inserts minus erases.
template <class F, class Source>
class SketchModel {
 public:
  SketchModel(F&& first, F&& second, std::uint64_t keys, Source& source)
      : sketches_{std::move(first), std::move(second)}, keys_(keys), source_(source) {}

  void step() {
    const std::size_t which = source_.below(4) == 0 ? 1 : 0;
    command(which);
    MUST(sketches_[which].validate() == Status::kOk);
    if (source_.below(4) == 0) check(sketches_[which], models_[which]);
    if (source_.below(8) == 0) {
      const auto difference = sketches_[0].subtract(sketches_[1]);
      MUST(difference.ok());
      Model model = models_[0];
      for (const auto& [number, copies] : models_[1]) model[number] -= copies;
      check(*difference, model);
    }
  }

 private:
  using Model = std::map<std::uint64_t, std::int64_t>;

  Bytes key(std::uint64_t number) const {
    Bytes bytes(sketches_[0].key_bytes(), std::byte{0x5a});
    detail::store_le32(bytes.data(), static_cast<std::uint32_t>(number));
    return bytes;
  }

  void command(std::size_t which) {
    F& sketch = sketches_[which];
    Model& model = models_[which];
    const std::uint64_t number = source_.below(keys_);
    switch (source_.below(16)) {
      default:
        // Most keys are added only once, so that tables can be decoded.
        if (model[number] > 0) break;
        MUST(sketch.insert(key(number)) == Status::kOk);
        ++model[number];
        return;
      case 0:
        MUST(sketch.insert(key(number)) == Status::kOk);
        ++model[number];
        return;
      case 1:
      case 2:
        break;
      case 3: {
        const Bytes bytes = wire_bytes(sketch);
        auto again = decode<F>(bytes, {.key = key_for(sketch.hasher().id())});
        MUST(again.ok() && wire_bytes(*again) == bytes);
        sketch = std::move(*again);
        return;
      }
      case 4: {
        auto copy = sketch.clone();
        MUST(copy.ok());
        use_everything(*copy);
        return;
      }
      case 5:
        // An empty copy must equal a table minus itself.
        if (source_.below(4) == 0) {
          auto fresh = sketch.empty_copy();
          const auto nothing = sketch.subtract(sketch);
          MUST(fresh.ok() && nothing.ok() && wire_bytes(*fresh) == wire_bytes(*nothing));
          sketch = std::move(*fresh);
          model.clear();
        }
        return;
    }
    MUST(sketch.erase(key(number)) == Status::kOk);
    --model[number];
  }

  // Each listed key must be in the difference, with its sign. A complete list must have all.
  void check(const F& sketch, const Model& model) const {
    const auto found = sketch.decode();
    MUST(found.ok());
    std::uint64_t keys = 0;
    bool is_set = true;
    for (const auto& [number, copies] : model) {
      keys += copies != 0 ? 1 : 0;
      is_set = is_set && copies >= -1 && copies <= 1;
    }
    MUST(!found->complete || (is_set && found->added_count + found->removed_count == keys));
    check_list(found->added.span(), found->added_count, 1, model);
    check_list(found->removed.span(), found->removed_count, -1, model);
  }

  void check_list(Key list, std::uint64_t count, std::int64_t sign, const Model& model) const {
    const std::size_t width = sketches_[0].key_bytes();
    MUST(list.size() >= count * width);
    for (std::uint64_t i = 0; i < count; ++i) {
      const Key listed = list.subspan(static_cast<std::size_t>(i) * width, width);
      const std::uint64_t number = detail::load_le32(listed.data());
      MUST(std::ranges::equal(listed, key(number)));
      const auto at = model.find(number);
      MUST(at != model.end() && at->second == sign);
    }
  }

  F sketches_[2];
  Model models_[2];
  std::uint64_t keys_;
  Source& source_;
};

}  // namespace tamis::test
