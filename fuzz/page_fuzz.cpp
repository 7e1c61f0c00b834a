// Are any bytes safe to take for a page, and do the values of every page come back?
#include "floe/floe.hpp"
#include "fuzz/support.hpp"

namespace floe::fuzz {
namespace {

void decode_changed_page(const Bytes& bytes) {
  count_decoded();
  const auto page = std::as_bytes(std::span(bytes));
  const auto info = page_info(page);
  if (!info || info->count > 1 << 16) return;
  std::vector<std::uint64_t> out(info->count + 1);
  static std::vector<std::uint64_t> scratch(1 << 12);
  const auto room = std::as_writable_bytes(std::span(out)).first(info->count * size_of(info->dtype));
  const Status whole = decode_page(room, page, std::as_writable_bytes(std::span(scratch)));
  require(whole.ok() || whole.code == ErrorCode::corrupt_frame ||
          whole.code == ErrorCode::unsupported_version);
  const Slice half{info->count / 2, info->count - info->count / 2};
  static_cast<void>(decode_page_slice(room.first(half.count * size_of(info->dtype)), page, half));
}

void round_trip(Input input) {
  constexpr DType types[] = {DType::f64, DType::f32, DType::u16, DType::i8};
  const DType type = types[input.take<std::uint8_t>() % 4];
  const auto goal = static_cast<Goal>(input.take<std::uint8_t>() % 4);
  const Bytes content = input.rest();
  const auto values = std::as_bytes(std::span(content)).first(content.size() / size_of(type) * size_of(type));
  auto encoder = PageEncoder::create(type, {.goal = goal}).value();
  std::vector<std::byte> page(max_page_size(type, values.size() / size_of(type)).value());
  page.resize(encoder.encode(page, values).value());
  std::vector<std::uint64_t> out(values.size() / 8 + 1);
  require(decode_page(std::as_writable_bytes(std::span(out)).first(values.size()), page).ok());
  require(std::equal(values.begin(), values.end(), std::as_bytes(std::span(out)).begin()));
  const auto* const first = reinterpret_cast<const std::uint8_t*>(page.data());
  with_changes({first, first + page.size()}, 16, decode_changed_page);
}

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace floe::fuzz;
  Input input(data, size);
  const bool is_round_trip = input.take<std::uint8_t>() % 2 != 0;
  if (is_round_trip) {
    round_trip(input);
  } else {
    with_changes(input.rest(), 16, decode_changed_page);
  }
  return 0;
}
