// floe without some encodings: FLOE_WITHOUT=linear,grid floe_without --goal ratio -c x_f32_721x1440.bin
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "encodings/encoding.hpp"

namespace {

using namespace floe::trees;

/// Of what others fall back to, nothing can be refused.
bool can_be_refused(EncodingId id) {
  return id != EncodingId::raw && id != EncodingId::constant && id != EncodingId::bitpack;
}

/// Before the program begins.
[[maybe_unused]] const bool are_refused = [] {
  const char* const given = std::getenv("FLOE_WITHOUT");
  std::string_view names = given == nullptr ? "" : given;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(','), names.size());
    const Encoding* const encoding = find_encoding(names.substr(0, end));
    if (encoding == nullptr || !can_be_refused(encoding->id)) {
      std::fprintf(stderr, "FLOE_WITHOUT: %s: no encoding that trees can do without\n", given);
      std::exit(2);
    }
    refuse(encoding->id);
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return true;
}();

}  // namespace
