// Statistics that a GPU collected, as one number: a test on the CPU holds its own against it, and a test on a
// device the device's.
#pragma once

#include "plan/statistics/statistics.hpp"
#include "tests/cuda/recorded_frames.hpp"
#include "tests/series/columns.hpp"

namespace floe::test {

/// What the records of an NVIDIA H200 hash to, all of them in order.
inline constexpr std::uint64_t recorded_statistics_hash = 0x2DDC0EF489E1D90A;

inline std::uint64_t hash_statistics(std::uint64_t hash, const trees::Statistics& s) {
  const auto add = [&](const auto& numbers) {
    hash = hash_bytes(
        hash, {reinterpret_cast<const std::uint8_t*>(numbers.data()), sizeof(numbers[0]) * numbers.size()});
  };
  add(std::array<std::uint64_t, 16>{static_cast<std::uint64_t>(s.type), s.count, s.least, s.most, s.first,
                                    s.last, s.runs, s.ascents, s.descents, s.bits_in_all, s.bits_in_any,
                                    s.sampled, s.nans, s.infinities, s.negative_zeros, s.subnormals});
  add(s.offsets);
  add(s.differences);
  add(s.changed_bits);
  return hash;
}

/// Calls collect(view) for columns of every type and hashes what it returns.
template <class Collect>
std::uint64_t hash_recorded_statistics(const Collect& collect) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const DType type : word_types) {
    if (is_float(type) && !is_wide_float(type)) continue;
    for (const std::uint64_t count : {1, 1000, 8193, 50000, 300001}) {
      for (const auto& [name, column] : difficult_columns(type, count))
        hash = hash_statistics(hash, collect(column.view()));
    }
  }
  return hash;
}

}  // namespace floe::test
