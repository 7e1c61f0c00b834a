// Entropy: words as symbols with extra bits, the symbols coded by interleaved rANS. A leaf. Multi_entropy has
// several tables of frequencies, of which runs of words choose one.
// Duda, "Asymmetric numeral systems", 2013; Giesen, "Interleaved entropy coders", 2014.
#include <limits>

#include "encodings/encoding_memo.hpp"
#include "encodings/encodings.hpp"
#include "encodings/entropy/section_encoder.hpp"
#include "encodings/entropy/section_layout.hpp"
#include "encodings/entropy/section_source.hpp"

namespace floe::trees {
namespace {

/// What follows the size: the same at every position that is a multiple of the unit.
bool encode_payload(const ColumnView& in, const Parameters& parameters, Encoded& out) {
  if (!encode_entropy(in, parameters[0], out.scratch, out.header)) out.simpler = EncodingId::entropy;
  return true;
}

/// `has_tables` says whether a section has several tables.
bool encode_leaf(const ColumnView& in, unsigned max_table_bits, Encoded& out, bool& has_tables) {
  if (in.count > std::numeric_limits<std::uint32_t>::max()) return false;  // ends have 32 bits
  ByteWriter& to = out.header;
  const auto unit = static_cast<std::size_t>(entropy_unit(in.count));
  const EncodingId id = max_table_bits == 0 ? EncodingId::entropy : EncodingId::multi_entropy;
  if (const auto* const known = find_encoded(id, encode_payload, in, {max_table_bits}, out.scratch)) {
    to.put_varint(known->header.size());
    to.align(unit);
    to.put_bytes(known->header.bytes());
    has_tables = !known->simpler;
    return true;
  }
  const std::size_t begin = to.size();
  to.put_varint(in.bytes());  // mostly as long as the varint of the size
  const std::size_t varint_end = to.size();
  to.align(unit);
  const std::size_t payload_begin = to.size();
  has_tables = encode_entropy(in, max_table_bits, out.scratch, to);
  ByteWriter size;
  size.put_varint(to.size() - payload_begin);
  if (size.size() == varint_end - begin) {
    to.put_bytes_at(begin, size.bytes());
    return true;
  }
  ByteWriter payload;
  payload.put_bytes(to.bytes().subspan(payload_begin));
  to.cut(begin);
  to.put_bytes(size.bytes());
  to.align(unit);
  to.put_bytes(payload.bytes());
  return true;
}

bool encode(const ColumnView& in, const Parameters&, Encoded& out) {
  bool has_tables = false;
  return encode_leaf(in, 0, out, has_tables);
}
bool encode_with_tables(const ColumnView& in, const Parameters& parameters, Encoded& out) {
  bool has_tables = false;
  if (!encode_leaf(in, parameters[0], out, has_tables)) return false;
  if (!has_tables) out.simpler = EncodingId::entropy;
  return true;
}

template <bool may_have_tables>
std::unique_ptr<Source> open(Opening& opening) {
  ByteReader& bytes = opening.bytes;
  const std::uint64_t size = bytes.get_varint();
  if (!bytes.align(static_cast<std::size_t>(entropy_unit(opening.count)))) return nullptr;
  const auto readable = bytes.rest(), payload = bytes.get_bytes(size);
  if (bytes.failed()) return nullptr;
  return open_entropy(opening, payload, readable, may_have_tables);
}

}  // namespace

Encoding entropy_encoding() noexcept {
  return {.time = {1700, 1000}, .device_time = {12, 6}, .encode = encode, .open = open<false>};
}

Encoding multi_entropy_encoding() noexcept {
  return {.time = {3000, 1100}, .device_time = {30, 5}, .encode = encode_with_tables, .open = open<true>};
}

}  // namespace floe::trees
