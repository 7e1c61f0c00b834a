// Entropy: words as symbols with extra bits, the symbols coded by interleaved rANS. A leaf.
// Duda, "Asymmetric numeral systems", 2013; Giesen, "Interleaved entropy coders", 2014.
#include <limits>

#include "encodings/encodings.hpp"
#include "encodings/entropy/section_encoder.hpp"
#include "encodings/entropy/section_layout.hpp"
#include "encodings/entropy/section_source.hpp"

namespace floe::trees {
namespace {

bool encode(const ColumnView& in, const Parameters&, Encoded& out) {
  if (in.count > std::numeric_limits<std::uint32_t>::max()) return false;  // ends have 32 bits
  ByteWriter payload;
  payload.reserve(static_cast<std::size_t>(in.bytes()));
  encode_entropy(in, out.scratch, payload);
  out.header.put_varint(payload.size());
  out.header.align(static_cast<std::size_t>(entropy_unit(in.count)));
  out.header.put_bytes(payload.bytes());
  return true;
}

std::unique_ptr<Source> open(Opening& opening) {
  ByteReader& bytes = opening.bytes;
  const std::uint64_t size = bytes.get_varint();
  if (!bytes.align(static_cast<std::size_t>(entropy_unit(opening.count)))) return nullptr;
  const auto readable = bytes.rest(), payload = bytes.get_bytes(size);
  if (bytes.failed()) return nullptr;
  return open_entropy(opening.type, opening.count, payload, readable);
}

}  // namespace

Encoding entropy_encoding() noexcept {
  return {.time = {1700, 1000}, .device_time = {30, 5}, .encode = encode, .open = open};
}

}  // namespace floe::trees
