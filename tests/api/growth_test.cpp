// Does no content make a frame larger than promised?
#include <gtest/gtest.h>

#include "tests/support/tables.hpp"

namespace floe::test {
namespace {

/// The limit for the default options: 0.4 % of the content and 256 bytes.
std::size_t promised(std::size_t content_bytes) { return content_bytes + content_bytes * 4 / 1000 + 256; }

void expect_no_growth(const Bytes& content, const ArrayCase& c, const std::string& what) {
  const Options options = c.options();
  const Bytes frame = frame_of(content, c.dtype, options);
  EXPECT_FALSE(frame.empty());
  EXPECT_LE(frame.size(), promised(content.size())) << c.name() << ": " << what << ", " << content.size();
  EXPECT_LE(frame.size(),
            *max_compressed_size(c.dtype, Extent::linear(content.size() / c.word_bytes()), options));
}

/// Codecs, trees, and what goals choose.
std::vector<ArrayCase> cases() {
  std::vector<ArrayCase> all = sampled_cases();
  std::erase_if(all, [](const ArrayCase& c) { return c.tree == "gfc"; });
  for (const DType dtype : {DType::f32, DType::f64}) all.push_back({dtype, "gfc(5)"});
  return all;
}

TEST(Growth, AllContents) {
  std::size_t number = 0;
  for (const ArrayCase& c : cases()) {
    for (std::size_t content = 0; content < content_names().size(); ++content) {
      for (const std::size_t size : {0, 8, 16, 64, 1000, 16376, 16384, 16392, 100'000, 400'000}) {
        if (size > 100'000 && number++ % 4 != 0) continue;
        expect_no_growth(c.sample(content, size, 1), c, std::string(content_names()[content]));
      }
    }
  }
}

/// Words that stages are worst at: each pays for something that does not come.
template <core::Word W>
std::vector<std::pair<std::string, std::vector<W>>> adversaries(std::size_t count) {
  Random random(1);
  constexpr W top = static_cast<W>(W{1} << (core::word_bits<W> - 1));
  const auto words = [&](const auto& word) {
    std::vector<W> list(count);
    for (std::size_t i = 0; i < count; ++i) list[i] = static_cast<W>(word(i));
    return list;
  };
  const auto chance = [&] { return static_cast<W>(random.next()); };
  std::vector<W> values(7);
  for (W& value : values) value = chance();
  std::vector<W> repeated = words([&](std::size_t) { return chance(); });
  for (std::size_t i = 3; i < count; ++i)
    repeated[i] = i % 1000 < 500 ? repeated[i] : repeated[i - 3];  // half with history
  return {
      {"value and zero", words([&](std::size_t i) { return i % 2 == 0 ? chance() : W{0}; })},
      {"one value and zero", words([&](std::size_t i) { return i % 2 == 0 ? values[0] : W{0}; })},
      {"the top bit by turns", words([&](std::size_t i) { return i % 2 == 0 ? top : W{0}; })},
      {"all bits by turns", words([&](std::size_t i) { return i % 2 == 0 ? static_cast<W>(~W{0}) : W{0}; })},
      {"one wide word per 32",
       words([&](std::size_t i) { return i % 32 == 0 ? static_cast<W>(chance() | top) : W{1}; })},
      {"one wide word per sub-chunk", words([&](std::size_t i) {
         return i % (512 / sizeof(W)) == 0 ? static_cast<W>(chance() | top) : W{0};
       })},
      {"three bytes of every word",
       words([&](std::size_t) { return static_cast<W>(chance() >> (core::word_bits<W> / 4)); })},
      {"few values in disorder", words([&](std::size_t) { return values[random.below(values.size())]; })},
      {"history of half of the words", repeated},
      {"a zero byte in every second byte",
       words([&](std::size_t) { return static_cast<W>(chance() & W(0xFF00FF00FF00FF00)); })},
      {"chance that grows",
       words([&](std::size_t i) { return static_cast<W>(chance() >> (i % core::word_bits<W>)); })},
      {"noise", words([&](std::size_t) { return chance(); })},
  };
}

TEST(Growth, Adversaries) {
  for (const ArrayCase& c : cases()) {
    with_word(c.word_bits(), [&]<core::Word W>(W) {
      for (const std::size_t count :
           {std::size_t{1}, std::size_t{40}, 16384 / sizeof(W), 16384 / sizeof(W) + 1, 400'000 / sizeof(W)}) {
        for (const auto& [name, words] : adversaries<W>(count)) {
          Bytes content(count * sizeof(W));
          std::memcpy(content.data(), words.data(), content.size());
          expect_no_growth(content, c, name);
        }
      }
    });
  }
}

// The sizes of docs/format/container.md and leaves.md, for segments of any length.
TEST(Growth, ShortSegments) {
  for (const ArrayCase& c : codecs_once()) {
    for (const std::size_t chunks : {1u, 3u, 300u}) {
      Options options = c.options();
      options.segment_bytes = chunks * 16384;
      const Bytes content = c.sample(8, 305 * 16384 + 8, 1);
      const Bytes frame = frame_of(content, c.dtype, options);
      const std::size_t all_chunks = 306,
                        segments = (content.size() + options.segment_bytes - 1) / options.segment_bytes;
      EXPECT_LE(frame.size(), content.size() + 7 * all_chunks + 8 * segments * (chunks / 256) +
                                  (112 + 16 + 16 + 16) * segments + 200)
          << c.name();
      EXPECT_LE(frame.size(),
                *max_compressed_size(c.dtype, Extent::linear(content.size() / c.word_bytes()), options));
    }
  }
}

// Tables of noise, of texts that are not alike, and of nothing but malformed rows.
TEST(Growth, OfTables) {
  Random random(1);
  std::string noise(300'000, ' '), lines, distinct = "a,b\n";
  for (char& c : noise) c = static_cast<char>(random.next());
  for (int i = 0; i < 20'000; ++i) lines += std::string(random.below(8), ',') + '\n';
  for (int i = 0; i < 20'000; ++i) {
    for (int cell = 0; cell < 2; ++cell) {
      for (int k = 0; k < 8; ++k) distinct += static_cast<char>('!' + random.below(90) + 1);
      distinct += cell == 0 ? ',' : '\n';
    }
  }
  std::replace(distinct.begin() + 4, distinct.end(), '"', '\'');
  for (const std::string& text : {noise, lines, distinct})
    EXPECT_LE(table_of(text).size(), text.size() + text.size() / 100 + 2000);
  TableOptions records;
  records.source = TableSource::records;
  for (int i = 0; i < 10; ++i) records.schema.push_back({std::to_string(i), DType::f64, 0});
  EXPECT_LE(table_of(noise, records).size(), noise.size() + noise.size() / 100 + 2000);
}

}  // namespace
}  // namespace floe::test
