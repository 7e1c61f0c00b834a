// Columns for tests of encodings, trees and planners: every type, values that are easy to lose, and the way
// to streams and back.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "chunks/leaf_decoder.hpp"
#include "core/splitmix.hpp"
#include "pipeline/encode/group_encoder.hpp"
#include "tests/support/sanitized.hpp"
#include "tree/stream_parts.hpp"

namespace floe::test {

using trees::ColumnView;

/// A column that owns its words.
struct Column {
  DType type = DType::u8;
  std::vector<std::uint8_t> bytes;

  Column() = default;
  Column(DType column_type, std::uint64_t count) : type(column_type), bytes(count * size_of(column_type)) {}
  template <class T>
  Column(DType column_type, const std::vector<T>& values) : Column(column_type, values.size()) {
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  }
  [[nodiscard]] std::uint64_t count() const { return bytes.size() / size_of(type); }
  [[nodiscard]] ColumnView view() const { return {type, bytes.data(), count()}; }
  void set(std::uint64_t index, std::uint64_t word) {
    const std::size_t size = size_of(type);
    std::memcpy(bytes.data() + index * size, &word, size);
  }
};

template <class T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

/// Words that are easy to lose, of a type: extremes, and for floats both zeros, infinities, subnormals, and
/// NaNs with payloads.
inline std::vector<std::uint64_t> difficult_words(DType type) {
  if (type == DType::f64) {
    using Limits = std::numeric_limits<double>;
    return {bits_of(0.0),
            bits_of(-0.0),
            bits_of(Limits::infinity()),
            bits_of(-Limits::infinity()),
            bits_of(Limits::denorm_min()),
            0x7FF8000000000001,
            0xFFF0000000000001,
            bits_of(Limits::max()),
            bits_of(Limits::lowest()),
            bits_of(Limits::min()),
            bits_of(1e15),
            bits_of(0.1),
            bits_of(9007199254740993.0)};
  }
  if (type == DType::f32) {
    using Limits = std::numeric_limits<float>;
    return {bits_of(0.0f),
            bits_of(-0.0f),
            bits_of(Limits::infinity()),
            bits_of(-Limits::infinity()),
            bits_of(Limits::denorm_min()),
            0x7FC00001,
            0xFF800001,
            bits_of(Limits::max()),
            bits_of(Limits::lowest()),
            bits_of(Limits::min()),
            bits_of(16777216.0f),
            bits_of(0.1f)};
  }
  const unsigned bits = static_cast<unsigned>(8 * size_of(type));
  const std::uint64_t top = std::uint64_t{1} << (bits - 1);
  return {0, 1, 2, top - 1, top, top + 1, ~std::uint64_t{0}, ~std::uint64_t{0} - 1};
}

using NamedColumns = std::vector<std::pair<std::string, Column>>;

inline NamedColumns make_difficult_columns(DType type, std::uint64_t count) {
  NamedColumns columns;
  const auto add = [&](const char* name, auto word_at) {
    Column column(type, count);
    for (std::uint64_t i = 0; i < count; ++i) column.set(i, word_at(i));
    columns.emplace_back(name, std::move(column));
  };
  const std::vector<std::uint64_t> difficult = difficult_words(type);
  const auto number = [&](std::uint64_t i, double divisor) {
    const auto value = static_cast<double>(static_cast<std::int64_t>(i));
    return type == DType::f64   ? bits_of(value / divisor)
           : type == DType::f32 ? bits_of(static_cast<float>(value / divisor))
                                : i;
  };
  add("zeros", [&](std::uint64_t) { return std::uint64_t{0}; });
  add("random", [&](std::uint64_t i) { return core::splitmix(i); });
  add("difficult", [&](std::uint64_t i) { return difficult[core::splitmix(i) % difficult.size()]; });
  add("ramp", [&](std::uint64_t i) { return number(i, 1); });
  add("falling decimals", [&](std::uint64_t i) { return number(count - i, 100); });
  add("runs", [&](std::uint64_t i) { return number(core::splitmix(i / 7) % 5, 10); });
  add("outliers",
      [&](std::uint64_t i) { return core::splitmix(i) % 50 == 0 ? core::splitmix(i) : number(i % 9, 10); });
  add("pairs", [&](std::uint64_t i) { return i % 2 == 0 ? number(i, 4) : number(1000000 - i, 4); });
  add("mostly one", [&](std::uint64_t i) {
    return core::splitmix(i) % 20 == 0 ? difficult[i % difficult.size()] : number(3, 10);
  });
  return columns;
}

/// The columns that every encoding has to bring back, of a type and a length. To make them takes longer than
/// to encode them: those of the latest lengths are kept, which tests go through with every tree.
inline NamedColumns difficult_columns(DType type, std::uint64_t count) {
  constexpr std::uint64_t max_kept_count = 100'000;
  if (count > max_kept_count) return make_difficult_columns(type, count);
  struct Kept {
    DType type = DType::u8;
    std::uint64_t count = 0;
    NamedColumns columns;
  };
  static std::array<Kept, 16> all;
  static std::size_t turn = 0;
  for (const Kept& kept : all)
    if (!kept.columns.empty() && kept.type == type && kept.count == count) return kept.columns;
  Kept& kept = all[turn++ % all.size()];
  kept = {type, count, make_difficult_columns(type, count)};
  return kept.columns;
}

/// The same for loops over many trees and lengths. Sanitizers see a part of the columns, others every time.
inline NamedColumns sampled_columns(DType type, std::uint64_t count) {
  static std::size_t turn = 0;
  NamedColumns columns = difficult_columns(type, count);
  std::size_t number = turn++;
  std::erase_if(columns, [&](const auto&) { return number++ % columns_per_sample != 0; });
  return columns;
}

/// The same for loops over all encodings, parameters and lengths: each of these meets every column, but not
/// with every one of the others. So many at a time have no divisor in common with the lengths.
inline NamedColumns columns_in_turn(DType type, std::uint64_t count) {
  if (sanitized) return sampled_columns(type, count);
  static std::size_t turn = 0;
  NamedColumns columns = difficult_columns(type, count);
  std::size_t number = turn++;
  std::erase_if(columns, [&](const auto&) { return number++ % 5 != 0; });
  return columns;
}

/// A third of them, not the same ones each time: for random trees, of which there are many.
inline NamedColumns few_columns(DType type, std::uint64_t count) {
  static std::size_t turn = 0;
  auto columns = difficult_columns(type, count);
  std::size_t number = turn++;
  std::erase_if(columns, [&](const auto&) { return number++ % 3 != 0; });
  return columns;
}

/// Of things that are tested with every type, sanitizers see each with a fourth of the types.
inline bool is_sampled(DType type, std::size_t number) {
  return !sanitized || (number + static_cast<std::size_t>(type)) % (counted ? 3 : 4) == 0;
}

inline const std::vector<std::uint64_t> test_counts =
    sanitized ? std::vector<std::uint64_t>{1, 2, 3, 31, 33, 1025, 5000}
              : std::vector<std::uint64_t>{1, 2, 3, 31, 33, 1023, 1024, 1025, 5000};

/// Floats of a smooth table of `kinds` words, in steps, and now and then anywhere in it.
inline Column walk_through_table(DType type, std::uint64_t count, std::uint64_t kinds) {
  Column column(type, count);
  std::uint64_t at = kinds / 2;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t random = core::splitmix(i + kinds);
    at = random % 50 == 0 ? random / 50 % kinds : (at + random / 50 % 7 + kinds - 3) % kinds;
    const double value = -std::exp(4 * static_cast<double>(at) / static_cast<double>(kinds));
    column.set(i, type == DType::f64 ? std::bit_cast<std::uint64_t>(value)
                                     : std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  }
  return column;
}

/// Encodes the segments of one column, one after the other.
class ColumnEncoder {
 public:
  /// Chooses trees by itself, and remembers them from segment to segment.
  explicit ColumnEncoder(const trees::Objective& objective) : coder_(objective) {}
  explicit ColumnEncoder(trees::Preset preset = trees::Preset::balanced)
      : ColumnEncoder(trees::objective_of(preset)) {}
  /// All segments with one tree.
  explicit ColumnEncoder(trees::Plan fixed) : coder_(std::move(fixed)) {}
  explicit ColumnEncoder(std::unique_ptr<trees::Planner> planner) : coder_(std::move(planner)) {}

  std::vector<std::uint8_t> encode(const ColumnView& segment) {
    pipeline::StreamJob job;
    job.coder = &coder_;
    job.words = segment;
    core::Workers this_thread(1, nullptr);
    Options options;
    options.checksum = false;
    (void)pipeline::GroupEncoder(this_thread, options).encode({&job, 1});
    return std::move(job.bytes);
  }
  [[nodiscard]] const trees::StreamPlanner& planner() const { return *coder_.planner(); }

 private:
  pipeline::StreamCoder coder_;
};

/// Decodes a stream without checksums into memory of exactly the right size, so that sanitizers see every
/// byte that is read or written too many.
inline Status decode(std::span<const std::uint8_t> bytes, Column& out) {
  if (out.count() == 0) return bytes.empty() ? Status{} : Status{ErrorCode::corrupt_frame, 0, "no words"};
  const auto leaf = chunks::leaf_of_front(bytes, size_of(out.type));
  if (!leaf) return trees::decode_stream(bytes, out.type, out.count(), out.bytes.data());
  if (leaf->codec == nullptr) return {ErrorCode::unsupported_version, 0, "an unknown codec"};
  const auto body = bytes.subspan(chunks::front_bytes);
  const auto nested = chunks::nested_leaf(*leaf, out.bytes.size(), bytes[chunks::kind_at], body);
  if (!nested) return {ErrorCode::corrupt_frame, 0, "a table of chunks contradicts the format"};
  const auto payloads = chunks::payloads_of(*nested, chunks::chunks_of(*nested, 0, out.bytes.size()));
  core::Workers this_thread(1, nullptr);
  return chunks::LeafDecoder(this_thread)
      .decode(*nested, body.subspan(payloads.first, payloads.end - payloads.first), 0, out.bytes);
}

}  // namespace floe::test
