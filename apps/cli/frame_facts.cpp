#include "frame_facts.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <span>

#include "text.hpp"

namespace floe::cli {
namespace {

std::span<const std::uint64_t> dimensions(const FrameInfo& info) {
  return std::span(info.extent.size).first(info.extent.rank);
}

}  // namespace

std::string shape_text(const FrameInfo& info) { return shape_text(dimensions(info)); }

std::string short_description(const FrameInfo& info) {
  return fmt::format("{} {}, {}", name_of(info.dtype), shape_text(info), info.codec.name);
}

double ratio_of(const FrameInfo& info) {
  return static_cast<double>(info.array_bytes() + info.prefix.size()) / static_cast<double>(info.frame_bytes);
}

Json facts_as_json(const std::string& file, const FrameInfo& info) {
  Json facts;
  facts["file"] = file;
  facts["format_version"] = info.format_version;
  facts["dtype"] = name_of(info.dtype);
  facts["shape"] = dimensions(info);
  facts["element_count"] = info.element_count;
  facts["array_bytes"] = info.array_bytes();
  facts["prefix_bytes"] = info.prefix.size();
  facts["stored_bytes"] = info.frame_bytes;
  facts["ratio"] = ratio_of(info);
  facts["codec"] = info.codec.name;
  facts["codec_id"] = info.codec.id;
  facts["word_bits"] = info.codec.word_bits;
  facts["dimensionality"] = info.dimensionality;
  facts["segment_bytes"] = info.segment_bytes;
  facts["segment_count"] = info.segment_count;
  facts["checksums"] = info.has_checksums;
  facts["digest"] = info.has_checksums ? Json(fmt::format("{:016x}", info.digest)) : Json(nullptr);
  return facts;
}

void print_json(const Json& array) {
  fmt::print("{}\n", array.dump(2, ' ', false, Json::error_handler_t::replace));
}

}  // namespace floe::cli
