// How often does the checksum of a chunk miss damage that it does not promise to find? Prints the table of
// docs/decisions/0002-chunk-checksum.md.
//
// Probabilities near 2^-32 are measured in two halves: damage is missed if what it does to some columns, or
// words, is the opposite of what it does to the others. Both are drawn often, and all pairs of them compared.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "core/chunk_checksum.hpp"

namespace {

using floe::core::checksum_weights;
using floe::core::ChecksumBlend;
using u32 = std::uint32_t;

constexpr std::size_t row_count = floe::core::ChecksumWeights::row_count;
constexpr int damages = 24;                          // of each kind
constexpr std::size_t draws = std::size_t{1} << 20;  // of both halves of each
constexpr int trials = 20'000'000;                   // of what is missed more often

class Random {
 public:
  u32 next() { return static_cast<u32>(floe::core::splitmix(state_ += floe::core::splitmix_step) >> 32); }
  u32 below(u32 bound) { return static_cast<u32>(std::uint64_t{next()} * bound >> 32); }

 private:
  std::uint64_t state_ = 1;
} random_numbers;

/// What a flipped bit, that was 0 or 1, adds to the sum of its column.
u32 flipped(std::size_t row, u32 bit, bool was_one) {
  const u32 change = (checksum_weights.rows[row] >> bit / 16 * 16 & 0xFFFF) << bit % 16;
  return was_one ? 0 - change : change;
}
u32 flipped(std::size_t row, u32 bit) { return flipped(row, bit, random_numbers.below(2) == 1); }

/// What a change of a column's sum does to the checksum, the rest of the column being random.
u32 effect_of(u32 change) {
  const u32 sum = random_numbers.next();
  return ChecksumBlend::of(sum) ^ ChecksumBlend::of(sum + change);
}

void print(const char* damage, double misses, double of) {
  std::printf("| %s | %s2^%.1f |\n", damage, misses > 0 ? "" : "below ",
              std::log2(std::max(misses, 1.0) / of));
}

/// make_draw() chooses a damage and returns a function that draws a half of it.
template <class MakeDraw>
void measure_halves(const char* damage, const MakeDraw& make_draw) {
  double equal_pairs = 0;
  std::vector<u32> half[2];
  for (int i = 0; i < damages; ++i) {
    const auto draw = make_draw();
    for (const int which : {0, 1}) {
      half[which].resize(draws);
      for (u32& value : half[which]) value = draw(which);
      std::sort(half[which].begin(), half[which].end());
    }
    for (auto a = half[0].begin(), b = half[1].begin(); a != half[0].end() && b != half[1].end();) {
      if (*a != *b) {
        ++(*a < *b ? a : b);
        continue;
      }
      const auto end_a = std::upper_bound(a, half[0].end(), *a),
                 end_b = std::upper_bound(b, half[1].end(), *b);
      equal_pairs += static_cast<double>(end_a - a) * static_cast<double>(end_b - b);
      a = end_a;
      b = end_b;
    }
  }
  print(damage, equal_pairs, damages * std::pow(double{draws}, 2));
}

template <class Change>
void measure_column(const char* damage, const Change& change) {
  double misses = 0;
  for (int i = 0; i < trials; ++i) misses += change() == 0 ? 1 : 0;
  print(damage, misses, trials);
}

/// Some random value of a word for another one.
u32 garbage(std::size_t row) {
  const u32 weights = checksum_weights.rows[row];
  return floe::core::weighted(random_numbers.next(), weights) -
         floe::core::weighted(random_numbers.next(), weights);
}

void measure_columns() {
  measure_halves("two bits, in different columns", [] {
    const std::size_t rows[] = {random_numbers.below(row_count), random_numbers.below(row_count)};
    const u32 bits[] = {random_numbers.below(32), random_numbers.below(32)};
    return [=](int which) { return effect_of(flipped(rows[which], bits[which])); };
  });
  for (const int count : {2, 8, 32}) {
    char damage[80];
    std::snprintf(damage, sizeof damage, "the same bit of %d neighbouring words", count);
    measure_halves(damage, [=] {
      const std::size_t row = random_numbers.below(row_count);
      const u32 bit = random_numbers.below(32);
      return [=](int) {
        u32 effect = 0;
        for (int i = 0; i < count / 2; ++i) effect ^= effect_of(flipped(row, bit));
        return effect;
      };
    });
  }
  measure_halves("four bits at the corners of a rectangle", [] {
    const std::size_t rows[] = {random_numbers.below(row_count / 2),
                                row_count / 2 + random_numbers.below(row_count / 2)};
    const u32 bit = random_numbers.below(32);
    return [=](int) { return effect_of(flipped(rows[0], bit) + flipped(rows[1], bit)); };
  });
  measure_halves("two neighbouring words replaced by random ones", [] {
    const std::size_t row = random_numbers.below(row_count);
    return [=](int) { return effect_of(garbage(row)); };
  });
}

void measure_words() {
  measure_halves("a word replaced by a random one", [] {
    const u32 weights = checksum_weights.rows[random_numbers.below(row_count)];
    return [=](int which) {  // the halves of the word
      const u32 before = random_numbers.below(65536), after = random_numbers.below(65536);
      return which == 0 ? (after - before) * (weights & 0xFFFF) : (before - after) * (weights >> 16);
    };
  });
  measure_halves("two words of a column replaced by random ones", [] {
    const std::size_t first = random_numbers.below(row_count / 2),
                      second = row_count / 2 + random_numbers.below(row_count / 2);
    return [=](int which) { return garbage(which == 0 ? first : second); };
  });
  measure_halves("two random words of a column exchanged", [] {
    const u32 a = checksum_weights.rows[random_numbers.below(row_count / 2)],
              b = checksum_weights.rows[row_count / 2 + random_numbers.below(row_count / 2)];
    return [=](int which) {
      const u32 difference = random_numbers.below(65536) - random_numbers.below(65536);
      return which == 0 ? difference * ((a & 0xFFFF) - (b & 0xFFFF))
                        : 0 - difference * ((a >> 16) - (b >> 16));
    };
  });
}

void measure_rows() {
  for (const u32 count : {3u, 4u}) {
    char damage[80];
    std::snprintf(damage, sizeof damage, "%u bits of a column", count);
    measure_column(damage, [=] {
      u32 change = 0;
      for (u32 i = 0; i < count; ++i)
        change += flipped(random_numbers.below(row_count), random_numbers.below(32));
      return change;
    });
  }
  for (const u32 count : {9u, 10u, 16u, 32u, 64u, 128u}) {
    for (const bool same_direction : {false, true}) {
      char damage[120];
      std::snprintf(damage, sizeof damage, "the same bit of %u rows of a column that follow each other%s",
                    count, same_direction ? ", all from 1 to 0" : "");
      measure_column(damage, [=] {
        const u32 first = random_numbers.below(row_count - count + 1), bit = random_numbers.below(32);
        u32 change = 0;
        for (u32 i = 0; i < count; ++i)
          change += same_direction ? flipped(first + i, bit, true) : flipped(first + i, bit);
        return change;
      });
    }
  }
}

}  // namespace

int main() {
  std::printf("| damage | missed |\n|---|---|\n");
  measure_columns();
  measure_words();
  measure_rows();
}
