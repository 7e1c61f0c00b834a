// Does every goal keep what it promises, whatever the array? Max is never larger than ratio, balance or the
// best codec of the publications; the other goals are not larger than the best codec whose chunks stand
// alone. Only max is held against the one that looks for matches in all that came before.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/frames.hpp"

namespace floe::test {
namespace {

struct Sizes {
  std::size_t speed = 0, balance = 0, ratio = 0, max = 0;
  std::size_t best_codec = ~std::size_t{0}, best_without_history = ~std::size_t{0};
};

Sizes sizes_of(const Bytes& content, DType dtype, const Extent& extent) {
  Sizes sizes;
  Options options;
  const auto size = [&] { return frame_of(content, dtype, extent, options).size(); };
  options.goal = Goal::speed;
  sizes.speed = size();
  options.goal = Goal::balance;
  sizes.balance = size();
  options.goal = Goal::ratio;
  sizes.ratio = size();
  options.goal = Goal::max;
  sizes.max = size();
  for (const CodecInfo& codec : codecs()) {
    if (codec.word_bits != 8 * size_of(dtype)) continue;
    options.tree = codec.name;
    const std::size_t bytes = size();
    sizes.best_codec = std::min(sizes.best_codec, bytes);
    if (codec.name != "dpratio") sizes.best_without_history = std::min(sizes.best_without_history, bytes);
  }
  return sizes;
}

void expect_goals_hold(const Bytes& content, DType dtype, const Extent& extent, const std::string& what) {
  const Sizes sizes = sizes_of(content, dtype, extent);
  const std::string context =
      what + " of " + std::string(name_of(dtype)) + ", " + std::to_string(content.size()) + " bytes";
  const auto with_tolerance = [](std::size_t bytes) { return bytes + bytes / 100 + 256; };
  EXPECT_LE(sizes.max, sizes.ratio) << context;
  EXPECT_LE(sizes.max, sizes.balance) << context;
  EXPECT_LE(sizes.max, with_tolerance(sizes.best_codec)) << context;
  EXPECT_LE(sizes.ratio, with_tolerance(sizes.balance)) << context;
  EXPECT_LE(sizes.ratio, with_tolerance(sizes.best_without_history)) << context;
  EXPECT_LE(sizes.balance, with_tolerance(sizes.best_without_history)) << context;
  EXPECT_LE(sizes.speed, with_tolerance(sizes.best_without_history)) << context;
}

TEST(Goals, HoldForEveryTypeAndContent) {
  for (const DType dtype : all_dtypes) {
    const auto bits = static_cast<unsigned>(8 * size_of(dtype));
    for (std::size_t content = 0; content < content_names().size(); ++content) {
      const std::size_t many = std::min<std::size_t>(60'000, 120'000 / size_of(dtype));
      for (const std::size_t count : {std::size_t{1}, std::size_t{700}, sanitized ? 10'000 : many}) {
        if (sanitized && (content + static_cast<std::size_t>(dtype)) % (count > 700 ? 11 : 5) != 0) continue;
        const Bytes bytes = make_bytes(bits, content, count * size_of(dtype), count + content);
        expect_goals_hold(bytes, dtype, Extent::linear(count), std::string(content_names()[content]));
      }
    }
  }
}

template <class T, class Value>
Bytes grid(std::size_t rows, std::size_t columns, const Value& value) {
  Bytes bytes(rows * columns * sizeof(T));
  for (std::size_t i = 0; i < rows * columns; ++i) {
    const T element = static_cast<T>(value(i / columns, i % columns));
    std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
  }
  return bytes;
}

/// Fields as instruments and models make them.
template <class T>
void expect_goals_hold_for_grids(std::size_t rows, std::size_t columns) {
  const DType dtype = dtype_of<T>();
  const Extent extent{{rows, columns}, 2};
  Random random(rows);
  const auto wave = [](std::size_t y, std::size_t x) {
    return std::sin(static_cast<double>(y) / 37) * std::cos(static_cast<double>(x) / 53);
  };
  const auto check = [&](const Bytes& bytes, const char* what) {
    expect_goals_hold(bytes, dtype, extent, std::string(what) + ", " + std::to_string(columns) + " wide");
  };
  check(grid<T>(rows, columns, [&](std::size_t y, std::size_t x) { return 100 * wave(y, x); }), "waves");
  check(grid<T>(rows, columns,
                [&](std::size_t y, std::size_t x) { return 100 * wave(y, x) + 0.1 * random.bell(); }),
        "noisy waves");
  check(grid<T>(rows, columns,
                [&](std::size_t y, std::size_t x) { return std::round(1000 * wave(y, x)) / 10; }),
        "decimals");
  check(grid<T>(rows, columns, [&](std::size_t, std::size_t x) { return static_cast<double>(x % 100); }),
        "records");
  check(grid<T>(rows, columns,
                [&](std::size_t y, std::size_t x) { return wave(y, x) > 0.5 ? 50 * wave(y, x) : 0; }),
        "masked");
}

TEST(Goals, HoldForGrids) {
  for (const auto& [rows, columns] :
       {std::pair<std::size_t, std::size_t>{1, 40'000}, {37, sanitized ? 307U : 1009U}, {300, 128}}) {
    if (sanitized && rows != 37) continue;
    expect_goals_hold_for_grids<double>(rows, columns);
    expect_goals_hold_for_grids<std::int16_t>(rows, columns);
    if (sanitized) continue;
    expect_goals_hold_for_grids<float>(rows, columns);
    expect_goals_hold_for_grids<std::int32_t>(rows, columns);
    expect_goals_hold_for_grids<std::int8_t>(rows, columns);
  }
}

// Segments of different kinds, so that planning in groups sees a change.
TEST(Goals, HoldWhenTheKindChanges) {
  for (const DType dtype : {DType::f64, DType::f32, DType::i32, DType::u16}) {
    if (sanitized && size_of(dtype) == 4) continue;
    Bytes bytes;
    const auto bits = static_cast<unsigned>(8 * size_of(dtype));
    for (const std::size_t content : {5u, 8u, 2u, 10u})
      append(bytes, view_of(make_bytes(bits, content, sanitized ? 1 << 19 : 1 << 20, 1)));
    expect_goals_hold(bytes, dtype, Extent::linear(bytes.size() / size_of(dtype)), "changing kinds");
  }
}

}  // namespace
}  // namespace floe::test
