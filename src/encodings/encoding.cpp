#include "encodings/encoding.hpp"

#include "encodings/encodings.hpp"

namespace floe::trees {
namespace {

template <class Of>
Encoding by_rules(EncodingId id, Encoding encoding) {
  encoding.id = id;
  encoding.name = Of::name;
  encoding.summary = Of::summary;
  encoding.parameter_count = Of::parameters;
  encoding.ranges = {Of::ranges[0], Of::ranges[1]};
  return encoding;
}

std::array<Encoding, encoding_count>& encodings() noexcept {
  static std::array<Encoding, encoding_count> all = {
#define FLOE_ENCODING(rules, name) by_rules<rules>(EncodingId::name, name##_encoding()),
#include "encodings/encodings.def"
#undef FLOE_ENCODING
  };
  return all;
}

}  // namespace

std::span<const Encoding> all_encodings() noexcept { return encodings(); }

const Encoding* find_encoding(std::uint8_t id) noexcept {
  return id < encoding_count ? &encodings()[id] : nullptr;
}

const Encoding* find_encoding(std::string_view name) noexcept {
  if (name == "afl") name = BitpackRules::name;
  for (const Encoding& encoding : encodings()) {
    if (encoding.name == name) return &encoding;
  }
  return nullptr;
}

void refuse(EncodingId id) noexcept {
  Encoding& encoding = encodings()[static_cast<std::size_t>(id)];
  encoding.is_refused = true;
  encoding.encode = [](const ColumnView&, const Parameters&, Encoded&) { return false; };
}

}  // namespace floe::trees
