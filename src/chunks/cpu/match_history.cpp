#include "chunks/cpu/match_history.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "chunks/cpu/avx2/target.hpp"
#include "chunks/cpu/isa.hpp"
#include "chunks/cpu/running_key.hpp"
#include "core/bits.hpp"
#include "core/memory_overlap.hpp"

namespace floe::cpu {
namespace {

using stages::MatchHistory;

/// A word among those of its part, in the order of the content.
struct Record {
  std::uint64_t word;
  std::uint32_t key;    ///< Later the number of the record before with the same key, counted from 1; 0: none.
  std::uint32_t index;  ///< In the content, or no_word.
};
constexpr std::uint32_t no_word =
    std::numeric_limits<std::uint32_t>::max();  // of records that fill up a line

constexpr std::size_t records_per_line = core::MemoryOverlap::line_bytes / sizeof(Record);

/// Words with the same upper bits of their keys are a part. The records of a part lie together: those that
/// each worker wrote fill whole lines.
struct Parts {
  Parts(std::size_t words, std::uint32_t worker_count)
      : bits(std::min(11u, core::bit_length(words / 4096))),
        workers(worker_count),
        cursors(workers * count()),
        begins(count() + 1) {}

  [[nodiscard]] std::size_t count() const { return std::size_t{1} << bits; }
  [[nodiscard]] std::size_t part_of(std::uint32_t key) const {
    return static_cast<std::size_t>(std::uint64_t{key} << bits >> 32);
  }
  std::uint64_t* cursors_of(std::uint32_t worker) { return cursors.data() + worker * count(); }

  /// From how many records each worker has for each part to where it writes them.
  void place() {
    std::uint64_t next = 0;
    for (std::size_t part = 0; part < count(); ++part) {
      begins[part] = next;
      for (std::uint32_t worker = 0; worker < workers; ++worker) {
        std::uint64_t& cursor = cursors_of(worker)[part];
        const std::uint64_t records = core::align_up(cursor, records_per_line);
        cursor = next;
        next += records;
      }
    }
    begins[count()] = next;
  }

  unsigned bits;
  std::uint32_t workers;
  std::vector<std::uint64_t> cursors;  ///< Of every worker, for every part.
  std::vector<std::uint64_t> begins;   ///< Of every part, and the end of the last one.
};

constexpr std::size_t max_parts = 2048;

/// The part of the content that a worker looks at.
struct Share {
  Share(std::size_t words, std::uint32_t workers, std::uint32_t worker)
      : begin(words * worker / workers), end(words * (worker + 1) / workers) {}
  std::size_t begin, end;
};

void count_records(std::span<const std::uint8_t> content, const Parts& parts, Share share,
                   std::uint64_t* counts) {
  RunningKey running(content, share.begin);
  for (std::size_t i = share.begin; i < share.end; ++i) {
    ++counts[parts.part_of(running.key())];
    running.advance(core::load<std::uint64_t>(content.data() + 8 * i));
  }
}

/// Writes the records of a share to their parts. Lines are filled in a cache and leave it as a whole: so many
/// positions to write to are more than a cache can hold.
void write_records(std::span<const std::uint8_t> content, const Parts& parts, Share share,
                   std::uint64_t* cursors, Record* lines, Record* records) {
  RunningKey running(content, share.begin);
  const auto flush = [&](std::size_t part, std::uint64_t line_end) {
    core::MemoryOverlap::stream_line(reinterpret_cast<const std::uint8_t*>(lines + part * records_per_line),
                                     reinterpret_cast<std::uint8_t*>(records + line_end - records_per_line));
  };
  for (std::size_t i = share.begin; i < share.end; ++i) {
    const auto word = core::load<std::uint64_t>(content.data() + 8 * i);
    const std::uint32_t key = running.key();
    const std::size_t part = parts.part_of(key);
    const std::uint64_t cursor = cursors[part]++;
    lines[part * records_per_line + cursor % records_per_line] = {word, key, static_cast<std::uint32_t>(i)};
    if (cursor % records_per_line == records_per_line - 1) flush(part, cursor + 1);
    running.advance(word);
  }
  for (std::size_t part = 0; part < parts.count(); ++part) {
    if (cursors[part] % records_per_line == 0) continue;
    for (; cursors[part] % records_per_line != 0; ++cursors[part]) {
      lines[part * records_per_line + cursors[part] % records_per_line] = {0, 0, no_word};
    }
    flush(part, cursors[part]);
  }
  core::MemoryOverlap::settle();
}

/// The latest record of every key of a part: a table with linear probing.
class LatestRecords {
 public:
  explicit LatestRecords(unsigned part_bits) : part_bits_(part_bits) { resize(smallest_bits); }

  void clear() {
    if (bits_ > smallest_bits) {
      resize(smallest_bits);
    } else {
      std::fill_n(slots_.get(), std::size_t{1} << bits_, Slot{});
    }
    used_ = 0;
  }

  /// Makes record `number`, counted from 1, the latest of its key. Returns the one before; 0 if there is
  /// none.
  std::uint32_t exchange(std::uint32_t key, std::uint32_t number) {
    while (true) {
      std::size_t at = home_of(key);
      for (unsigned probes = 0; probes < max_probes || bits_ + part_bits_ >= 32; ++probes) {
        Slot& slot = slots_[at];
        if (slot.number == 0) {
          slot = {key, number};
          if (2 * ++used_ > std::size_t{1} << bits_) grow();
          return 0;
        }
        if (slot.key == key) return std::exchange(slot.number, number);
        at = (at + 1) & low_mask();
      }
      grow();
    }
  }

 private:
  struct Slot {
    std::uint32_t key = 0, number = 0;
  };
  static constexpr unsigned smallest_bits = 14;  // 128 KiB, for the keys of some thousand records
  static constexpr unsigned max_probes = 32;

  [[nodiscard]] std::size_t low_mask() const { return (std::size_t{1} << bits_) - 1; }
  [[nodiscard]] std::size_t home_of(std::uint32_t key) const {
    return static_cast<std::size_t>(static_cast<std::uint32_t>(std::uint64_t{key} << part_bits_) >>
                                    (32 - bits_));
  }

  void resize(unsigned bits) {
    bits_ = bits;
    slots_ = std::make_unique<Slot[]>(std::size_t{1} << bits_);
  }

  /// At the latest when every key of the part has a slot of its own, no key has to look further than the
  /// first one.
  void grow() {
    if (bits_ + part_bits_ >= 32) return;
    const auto old = std::move(slots_);
    const std::size_t old_count = std::size_t{1} << bits_;
    resize(bits_ + 1);
    for (std::size_t i = 0; i < old_count; ++i) {
      if (old[i].number == 0) continue;
      std::size_t at = home_of(old[i].key);
      while (slots_[at].number != 0) at = (at + 1) & low_mask();
      slots_[at] = old[i];
    }
  }

  unsigned part_bits_;
  unsigned bits_ = 0;
  std::size_t used_ = 0;
  std::unique_ptr<Slot[]> slots_;
};

/// Writes the distances of the words of a part that have a match.
void match_part(std::span<Record> part, LatestRecords& latest, std::uint32_t* distances) {
  latest.clear();
  for (std::size_t i = 0; i < part.size(); ++i) {
    Record& record = part[i];
    if (record.index == no_word) continue;
    std::uint32_t number = latest.exchange(record.key, static_cast<std::uint32_t>(i + 1));
    record.key = number;
    for (unsigned candidate = 0; candidate < MatchHistory::candidates && number != 0; ++candidate) {
      const Record& earlier = part[number - 1];
      if (earlier.word == record.word) {
        distances[record.index] = record.index - earlier.index;
        break;
      }
      number = earlier.key;
    }
  }
}

/// Up to as many records as there are words, and lines that are not full.
std::size_t max_records(std::size_t words, std::uint32_t workers) {
  return words + workers * max_parts * (records_per_line - 1);
}

}  // namespace

std::size_t match_scratch_bytes(std::size_t words, std::uint32_t workers) {
  return (max_records(words, workers) + workers * max_parts * records_per_line) * sizeof(Record);
}

void find_matches(std::span<const std::uint8_t> content, std::span<std::uint32_t> distances,
                  std::span<std::uint8_t> scratch, std::uint32_t workers, const RunAll& run) {
  const std::size_t words = content.size() / 8;
  assert(words < no_word && distances.size() == words &&
         scratch.size() >= match_scratch_bytes(words, workers));
  auto* const lines = reinterpret_cast<Record*>(scratch.data());
  Record* const records = lines + workers * max_parts * records_per_line;
  Parts parts(words, workers);
  run(workers, [&](std::uint32_t w) {
    const Share share(words, workers, w);
    std::fill(distances.begin() + static_cast<std::ptrdiff_t>(share.begin),
              distances.begin() + static_cast<std::ptrdiff_t>(share.end), 0);
    count_records(content, parts, share, parts.cursors_of(w));
  });
  parts.place();
  run(workers, [&](std::uint32_t w) {
    write_records(content, parts, {words, workers, w}, parts.cursors_of(w),
                  lines + w * max_parts * records_per_line, records);
  });
  std::vector<LatestRecords> tables;
  for (std::uint32_t w = 0; w < workers; ++w) tables.emplace_back(parts.bits);
  run(workers, [&](std::uint32_t w) {
    const Share share(parts.count(), workers, w);
    for (std::size_t p = share.begin; p < share.end; ++p) {
      match_part({records + parts.begins[p], records + parts.begins[p + 1]}, tables[w], distances.data());
    }
  });
}

void coded_words(std::span<const std::uint8_t> content, std::span<const std::uint32_t> distances,
                 std::uint64_t first, std::span<std::uint64_t> out) {
  const std::uint64_t n = distances.size();
  const std::size_t values =
      static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), n - std::min(n, first)));
  for (std::size_t i = 0; i < values; ++i) {
    const auto word = core::load<std::uint64_t>(content.data() + 8 * (first + i));
    out[i] = distances[first + i] == 0 ? word : 0;
  }
  for (std::size_t i = values; i < out.size(); ++i) out[i] = distances[first + i - n];
}

bool resolve_matches(std::span<std::uint8_t> words, std::uint64_t first,
                     std::span<const std::uint64_t> distances) {
  constexpr std::size_t group = 8;
  for (std::size_t begin = 0; begin < distances.size(); begin += group) {
    const std::size_t end = std::min(begin + group, distances.size());
    std::uint64_t any = 0;
    for (std::size_t i = begin; i < end; ++i) any |= distances[i];
    if (any == 0) continue;
    for (std::size_t i = begin; i < end; ++i) {
      if (distances[i] > first + i) return false;
      std::uint8_t* const word = words.data() + 8 * (first + i);
      if (distances[i] != 0) std::memcpy(word, word - 8 * distances[i], 8);
    }
  }
  return true;
}

namespace {

/// Of the word behind three words.
std::uint32_t key_behind(const std::uint8_t* before) {
  static_assert(stages::MatchHistory::context_words == 3);
  std::uint64_t all = 0;
  for (std::size_t k = 0; k < 3; ++k) all ^= core::load<std::uint64_t>(before + 8 * k);
  return RunningKey::key_of(stages::MatchHistory::hash(all));  // a hash of XORs is the XOR of hashes
}

/// Which of so many words have keys below `end`, a power of two: a bit for each, from the lowest on. The
/// context of the first one stands at `before`.
template <unsigned count>
unsigned rare_contexts(const std::uint8_t* before, std::uint32_t end) {
  unsigned rare = 0;
#if defined(__x86_64__)
  const auto load = [](const std::uint8_t* at) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  };
  const __m128i factor = _mm_set1_epi64x(RunningKey::key_of(1)),
                tops = _mm_set1_epi64x(static_cast<long long>(std::uint64_t{0U - end} << 32));
  for (unsigned k = 0; k < count; k += 2, before += 16) {
    const __m128i all = _mm_xor_si128(_mm_xor_si128(load(before), load(before + 8)), load(before + 16)),
                  hashes = _mm_xor_si128(all, _mm_srli_epi64(all, 32)),
                  keys = _mm_slli_epi64(_mm_mul_epu32(hashes, factor), 32),
                  are_low = _mm_cmpeq_epi32(_mm_and_si128(keys, tops), _mm_setzero_si128());
    rare |= static_cast<unsigned>(_mm_movemask_pd(_mm_castsi128_pd(are_low))) << k;
  }
#else
  for (unsigned k = 0; k < count; ++k, before += 8) rare |= (key_behind(before) < end ? 1U : 0U) << k;
#endif
  return rare;
}

#if defined(__x86_64__)
FLOE_AVX2_BEGIN

// No lambda: the function that its conversion to a pointer calls would lack AVX2.
__m256i load_256(const std::uint8_t* at) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)); }

/// The same of 64 words.
std::uint64_t rare_contexts_of_64(const std::uint8_t* before, std::uint32_t end) {
  const __m256i factor = _mm256_set1_epi64x(RunningKey::key_of(1)),
                tops = _mm256_set1_epi64x(static_cast<long long>(std::uint64_t{0U - end} << 32));
  std::uint64_t rare = 0;
  for (unsigned k = 0; k < 64; k += 4, before += 32) {
    const __m256i all = _mm256_xor_si256(_mm256_xor_si256(load_256(before), load_256(before + 8)),
                                         load_256(before + 16)),
                  hashes = _mm256_xor_si256(all, _mm256_srli_epi64(all, 32)),
                  keys = _mm256_slli_epi64(_mm256_mul_epu32(hashes, factor), 32),
                  are_low = _mm256_cmpeq_epi64(_mm256_and_si256(keys, tops), _mm256_setzero_si256());
    rare |= static_cast<std::uint64_t>(_mm256_movemask_pd(_mm256_castsi256_pd(are_low))) << k;
  }
  return rare;
}

FLOE_AVX2_END
#endif

}  // namespace

std::uint32_t matches_in_thousand(std::span<const std::uint8_t> content, unsigned share_bits) {
  constexpr std::size_t at_once = 16;
  const std::size_t words = content.size() / 8;
  // One context in so many is looked at, all words of it: some thousand words.
  const unsigned rarity_bits = std::clamp(core::bit_length(words / 4096), 6u, 8u);
  const auto end = std::uint32_t{1} << (32 - rarity_bits);  // of their keys
  // The latest word of a context. Contexts that share a slot drive each other out, which costs some matches.
  const unsigned bits = std::max(8u, core::bit_length(words >> rarity_bits));
  std::vector<std::uint64_t> latest(std::size_t{1} << bits);
  const auto word_at = [&](std::size_t i) { return core::load<std::uint64_t>(content.data() + 8 * i); };
  std::uint64_t seen = 0, matches = 0;
  constexpr std::size_t context = stages::MatchHistory::context_words;
  const auto before = [&](std::size_t i) { return content.data() + 8 * (i - context); };
  const auto look_at = [&](std::size_t i, std::uint64_t rare) {
    for (; rare != 0; rare &= rare - 1) {
      const std::size_t at = i + static_cast<std::size_t>(std::countr_zero(rare));
      if (word_at(at) == word_at(at - 1)) continue;  // runs are short without matches
      std::uint64_t& slot = latest[key_behind(before(at)) << rarity_bits >> (32 - bits)];
      ++seen;
      matches += slot == word_at(at);
      slot = word_at(at);
    }
  };
  // Whole pages, so that the processor prefetches them. Which ones must not depend on their distances.
  const auto is_left_out = [&](std::size_t i) {
    constexpr std::size_t page_words = 512;
    if (share_bits == 0) return false;
    const std::uint64_t mixed = i / page_words * 0x9E3779B97F4A7C15;
    return (mixed ^ mixed >> 32) * 0xD6E8FEB86659FD93 >> (64 - share_bits) != 0;
  };
  std::size_t i = context;
#if defined(__x86_64__)
  if (active_isa() != Isa::generic) {
    for (; i + 64 <= words; i += 64) {
      if (!is_left_out(i)) look_at(i, rare_contexts_of_64(before(i), end));
    }
  }
#endif
  for (; i + at_once <= words; i += at_once) {
    if (!is_left_out(i)) look_at(i, rare_contexts<at_once>(before(i), end));
  }
  return seen == 0 ? 0 : static_cast<std::uint32_t>(1000 * matches / seen);
}

}  // namespace floe::cpu
