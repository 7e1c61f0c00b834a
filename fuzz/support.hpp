// What the fuzz targets share: taking the fuzzer's bytes apart, changing them further, counting what is
// decoded, and stopping when a promise is broken.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

namespace floe::fuzz {

using Bytes = std::vector<std::uint8_t>;

/// A broken promise is a finding.
inline void require(bool holds) {
  if (!holds) std::abort();
}

/// The fuzzer's bytes: numbers from the front, then the rest. Numbers beyond the end are 0.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}
  template <class T>
  T take() {
    T number{};
    const std::size_t bytes = std::min(sizeof number, rest_.size());
    std::memcpy(&number, rest_.data(), bytes);
    rest_ = rest_.subspan(bytes);
    return number;
  }
  [[nodiscard]] bool is_empty() const { return rest_.empty(); }
  /// A copy of its own, so that the sanitizers see every access beyond its ends.
  [[nodiscard]] Bytes rest() const { return {rest_.begin(), rest_.end()}; }

 private:
  std::span<const std::uint8_t> rest_;
};

/// Counts inputs that were decoded: one execution may change its input further and decode what it gets. The
/// program says the sum at its end.
inline void count_decoded() {
  static struct Count {
    std::uint64_t inputs = 0;
    ~Count() {
      std::fprintf(stderr, "stat::number_of_decoded_inputs: %llu\n", static_cast<unsigned long long>(inputs));
    }
  } count;
  ++count.inputs;
}

/// Numbers that follow from the bytes of an input, so that each finding comes again.
class Chance {
 public:
  explicit Chance(std::span<const std::uint8_t> bytes) {
    for (const std::uint8_t byte : bytes) state_ = (state_ ^ byte) * 0x100000001B3;
  }
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t word = (state_ ^ state_ >> 30) * 0xBF58476D1CE4E5B9;
    word = (word ^ word >> 27) * 0x94D049BB133111EB;
    return word ^ word >> 31;
  }
  std::size_t below(std::size_t bound) { return next() % bound; }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325;
};

/// Calls decode(bytes) for bytes and for `count` changes of them: of one to three bytes, near the front as
/// often as not, seldom cut off or with a part moved.
template <class Decode>
void with_changes(const Bytes& bytes, unsigned count, const Decode& decode) {
  decode(bytes);
  if (bytes.empty()) return;
  Chance chance(bytes);
  Bytes changed;
  for (unsigned i = 0; i < count; ++i) {
    changed.assign(bytes.begin(), bytes.end());
    const std::size_t range =
        chance.below(2) == 0 ? std::min<std::size_t>(changed.size(), 64) : changed.size();
    const std::size_t kind = chance.below(16), at = chance.below(range);
    if (kind == 0) {
      changed.resize(1 + at);
    } else if (kind == 1) {
      const auto to = static_cast<std::ptrdiff_t>(at),
                 from = static_cast<std::ptrdiff_t>(chance.below(changed.size()));
      std::rotate(changed.begin() + std::min(to, from), changed.begin() + std::max(to, from), changed.end());
    } else if (kind < 8) {
      changed[at] = static_cast<std::uint8_t>(changed[at] ^ (1U << chance.below(8)));
    } else {
      for (std::size_t changes = 1 + kind % 3; changes > 0; --changes)
        changed[chance.below(range)] = static_cast<std::uint8_t>(chance.next());
    }
    decode(changed);
  }
}

}  // namespace floe::fuzz
