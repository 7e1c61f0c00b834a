// Do pages come back, as a whole and in slices, and is every damage of theirs an error?
#include <gtest/gtest.h>

#include "floe/floe.h"
#include "tests/support/frames.hpp"

namespace floe::test {
namespace {

std::vector<ArrayCase> page_cases() {
  std::vector<ArrayCase> cases = sampled_cases();
  for (const ArrayCase& c : tree_cases()) cases.push_back(c);
  return cases;
}

/// The page of some content, in exactly the room that it needs.
Bytes page_of(PageEncoder& encoder, DType dtype, const Bytes& content) {
  Bytes page(max_page_size(dtype, content.size() / size_of(dtype)).value());
  page.resize(encoder.encode(room_of(page), view_of(content)).value());
  return page;
}

/// Memory that is aligned for every type.
struct Words {
  explicit Words(std::size_t size) : bytes(size), words(size / 8 + 1) {}
  [[nodiscard]] std::span<std::byte> room() { return std::as_writable_bytes(std::span(words)).first(bytes); }
  std::size_t bytes;
  std::vector<std::uint64_t> words;
};

TEST(Pages, ComeBackWholeAndInSlices) {
  Random random(5);
  std::vector<std::uint64_t> scratch(usual_page_scratch / 8);
  for (const ArrayCase& c : page_cases()) {
    SCOPED_TRACE(c.name());
    auto encoder = PageEncoder::create(c.dtype, c.options()).value();
    for (const std::size_t count : {0, 1, 2, 100, 1000, 8192, 8193, 20000}) {
      const Bytes content = c.sample(count % 13, count * c.word_bytes(), count);
      const Bytes page = page_of(encoder, c.dtype, content);
      EXPECT_EQ(page.size() % 16, 0u);
      const auto info = page_info(view_of(page));
      ASSERT_TRUE(info);
      EXPECT_EQ(info->dtype, c.dtype);
      EXPECT_EQ(info->count, count);
      Words out(content.size());
      for (const bool has_scratch : {false, true}) {
        std::fill(out.words.begin(), out.words.end(), 0);
        const auto memory = has_scratch ? std::as_writable_bytes(std::span(scratch)) : std::span<std::byte>{};
        ASSERT_TRUE(decode_page(out.room(), view_of(page), memory).ok());
        ASSERT_TRUE(std::ranges::equal(out.room(), view_of(content)));
      }
      for (int i = 0; i < 8 && count > 0; ++i) {
        const std::uint64_t first = random.below(count), length = random.below(count - first) + 1;
        Words part(length * c.word_bytes());
        ASSERT_TRUE(decode_page_slice(part.room(), view_of(page), {first, length}).ok());
        ASSERT_EQ(std::memcmp(part.words.data(), content.data() + first * c.word_bytes(), part.bytes), 0);
      }
    }
  }
}

TEST(Pages, TakeValuesAtAnyAddress) {
  const ArrayCase c{DType::f64};
  const Bytes content = c.sample(3, 8 * 1000, 1);
  Bytes moved(content.size() + 1);
  std::copy(content.begin(), content.end(), moved.begin() + 1);
  auto encoder = PageEncoder::create(c.dtype).value(), other = PageEncoder::create(c.dtype).value();
  Bytes page(max_page_size(c.dtype, 1000).value());
  page.resize(encoder.encode(room_of(page), view_of(moved).subspan(1)).value());
  EXPECT_EQ(page, page_of(other, c.dtype, content));
}

TEST(Pages, SmallRoomIsRefusedAndNothingElse) {
  auto encoder = PageEncoder::create(DType::f32).value();
  const Bytes content = ArrayCase{DType::f32}.sample(2, 4 * 500, 1),
              page = page_of(encoder, DType::f32, content);
  for (std::size_t room = 0; room < page.size(); room += 7) {
    Bytes out(room);
    EXPECT_EQ(encoder.encode(room_of(out), view_of(content)).status().code, ErrorCode::output_too_small);
  }
  Bytes room(100);
  EXPECT_EQ(encoder.encode(room_of(room), view_of(content).first(7)).status().code,
            ErrorCode::invalid_argument);
  EXPECT_FALSE(max_page_size(DType::f32, max_page_values + 1));
  EXPECT_FALSE(PageEncoder::create(DType::text));
  EXPECT_FALSE(PageEncoder::create(DType::f32, {.tree = "delta,bitpack"}));
}

TEST(Pages, EveryFlippedBitAndEveryTruncationIsAnError) {
  for (const ArrayCase& c : {ArrayCase{DType::i32, "delta,bitpack"}, ArrayCase{DType::f32, "spspeed"},
                             ArrayCase{DType::u16, "entropy"}, ArrayCase{DType::u8, "constant"}}) {
    SCOPED_TRACE(c.name());
    auto encoder = PageEncoder::create(c.dtype, c.options()).value();
    for (const std::size_t count : {0, 150}) {
      const Bytes content = c.sample(2, count * c.word_bytes(), 1);
      Bytes page = page_of(encoder, c.dtype, content);
      Words out(content.size());
      for (std::size_t bit = 0; bit < 8 * page.size(); ++bit) {
        page[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
        EXPECT_FALSE(decode_page(out.room(), view_of(page)).ok()) << bit;
        page[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
      }
      for (std::size_t bytes = 0; bytes < page.size(); ++bytes)
        EXPECT_FALSE(decode_page(out.room(), view_of(page).first(bytes)).ok()) << bytes;
      EXPECT_TRUE(decode_page(out.room(), view_of(page)).ok());
    }
  }
}

TEST(Pages, ArgumentsAreChecked) {
  auto encoder = PageEncoder::create(DType::u32).value();
  const Bytes page = page_of(encoder, DType::u32, Bytes(400, 7));
  Words out(400);
  EXPECT_EQ(decode_page(out.room().first(396), view_of(page)).code, ErrorCode::invalid_argument);
  EXPECT_EQ(decode_page(out.room().subspan(1), view_of(page)).code, ErrorCode::invalid_argument);
  EXPECT_EQ(decode_page_slice(out.room().first(4), view_of(page), {100, 1}).code,
            ErrorCode::invalid_argument);
  EXPECT_EQ(decode_page_slice(out.room().first(8), view_of(page), {99, 2}).code, ErrorCode::invalid_argument);
  EXPECT_TRUE(decode_page_slice({}, view_of(page), {100, 0}).ok());
  Bytes bytes(500);
  const std::size_t odd = reinterpret_cast<std::uintptr_t>(bytes.data()) % 2 == 0 ? 1 : 0;
  EXPECT_EQ(decode_page(room_of(bytes).subspan(odd, 400), view_of(page)).code, ErrorCode::invalid_argument);
  EXPECT_EQ(decode_page_slice(out.room(), view_of(Bytes(3)), {0, 0}).code,
            page_info(view_of(Bytes(3))).status().code);
  EXPECT_EQ(max_page_size(DType::u32, max_page_values + 1).status().code, ErrorCode::invalid_argument);
  EXPECT_EQ(max_page_size(DType::text, 1).status().code, ErrorCode::invalid_argument);
  EXPECT_EQ(encoder.encode(room_of(bytes), view_of(page).first(3)).status().code,
            ErrorCode::invalid_argument);
}

TEST(Pages, EncodersCanBeMovedAndReplaced) {
  auto first = PageEncoder::create(DType::u32).value(), second = PageEncoder::create(DType::u16).value();
  const Bytes content = make_bytes(32, 5, 400, 1), page = page_of(first, DType::u32, content);
  second = std::move(first);
  EXPECT_TRUE(page_of(second, DType::u32, content) == page);
}

TEST(Pages, HaveACInterface) {
  floe_page_encoder* encoder = nullptr;
  ASSERT_EQ(floe_page_encoder_create(&encoder, FLOE_F64, nullptr).code, FLOE_OK);
  std::vector<double> prices(5000), restored(5000);
  for (std::size_t i = 0; i < prices.size(); ++i) prices[i] = static_cast<double>(100 + i % 37) / 100;
  std::uint64_t room = 0;
  ASSERT_EQ(floe_max_page_size(&room, FLOE_F64, prices.size()).code, FLOE_OK);
  Bytes page(room);
  std::size_t bytes = page.size();
  ASSERT_EQ(floe_page_encode(encoder, page.data(), &bytes, prices.data(), 8 * prices.size()).code, FLOE_OK);
  EXPECT_LT(bytes, prices.size());
  floe_page_info info;
  ASSERT_EQ(floe_page_read_info(&info, page.data(), bytes).code, FLOE_OK);
  EXPECT_EQ(info.dtype, FLOE_F64);
  EXPECT_EQ(info.count, prices.size());
  EXPECT_EQ(info.has_checksum, 1u);
  std::vector<std::uint64_t> scratch(FLOE_USUAL_PAGE_SCRATCH / 8);
  const auto decode = [&](std::uint64_t first, std::uint64_t count) {
    return floe_page_decode(restored.data(), 8 * count, page.data(), bytes, first, count, scratch.data(),
                            FLOE_USUAL_PAGE_SCRATCH)
        .code;
  };
  ASSERT_EQ(decode(0, prices.size()), FLOE_OK);
  EXPECT_EQ(prices, restored);
  ASSERT_EQ(decode(4321, 1), FLOE_OK);
  EXPECT_EQ(restored[0], prices[4321]);
  EXPECT_EQ(decode(5000, 1), FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_page_encode(encoder, nullptr, &bytes, prices.data(), 8).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_page_encoder_create(nullptr, FLOE_F64, nullptr).code, FLOE_INVALID_ARGUMENT);
  floe_page_encoder_close(encoder);
  EXPECT_EQ(floe_page_encoder_create(&encoder, FLOE_TEXT, nullptr).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(encoder, nullptr);
}

}  // namespace
}  // namespace floe::test
