#include "report/loss_facts.hpp"

#include <fmt/core.h>

#include "base/text.hpp"
#include "report/frame_facts.hpp"

namespace floe::cli {
namespace {

const char* name_of(Loss what) {
  switch (what) {
    case Loss::elements:
      return "elements";
    case Loss::rows:
      return "rows";
    case Loss::cells:
      return "cells";
    case Loss::lines:
      return "lines";
    case Loss::padding:
      return "padding";
  }
  return "";
}

const char* name_of(HeaderSource source) {
  switch (source) {
    case HeaderSource::intact:
      return "intact";
    case HeaderSource::mended:
      return "mended";
    case HeaderSource::similar:
      return "similar";
    case HeaderSource::guessed:
      return "guessed";
  }
  return "";
}

Json ranges_as_json(const FrameInfo& info, const std::vector<LostRange>& ranges) {
  Json all = Json::array();
  for (const LostRange& range : ranges) {
    Json one = Json::object({{"what", name_of(range.what)}, {"first", range.first}, {"count", range.count}});
    if (range.what == Loss::cells) {
      one.set("column", range.column);
      one.set("name", info.columns[range.column].name);
    }
    one.set("byte", range.cause.byte_offset);
    one.set("cause", range.cause.detail);
    all.push(std::move(one));
  }
  return all;
}

}  // namespace

std::string range_text(const FrameInfo& info, const LostRange& range) {
  const std::string where = range.count == 0 ? fmt::format("before row {}", range.first)
                            : range.count == 1
                                ? fmt::format("{}", range.first)
                                : fmt::format("{} to {}", range.first, range.first + range.count - 1);
  const std::string cause = fmt::format("{}, byte {}", range.cause.detail, range.cause.byte_offset);
  switch (range.what) {
    case Loss::elements:
    case Loss::rows:
      return fmt::format("{} {}: {}", name_of(range.what), where, cause);
    case Loss::cells:
      return fmt::format("column {} of rows {}: {}", printable(info.columns[range.column].name), where,
                         cause);
    case Loss::lines:
      return fmt::format("what is no row between rows {}: {}", where, cause);
    case Loss::padding:
      return fmt::format("padding of records {}: {}", where, cause);
  }
  return cause;
}

std::string header_source_text(HeaderSource source) {
  switch (source) {
    case HeaderSource::intact:
      break;
    case HeaderSource::mended:
      return "; a bit of the header was mended";
    case HeaderSource::similar:
      return "; the header is that of --like";
    case HeaderSource::guessed:
      return "; the header is lost: shape, prefix, and names and separator of columns are not known";
  }
  return "";
}

Json loss_as_json(const std::string& file, const Recovery& recovery, const RecoveryMap& map) {
  const FrameInfo& info = recovery.info();
  return Json::object({{"file", file},
                       {"complete", map.is_complete()},
                       {"header", name_of(recovery.header_source())},
                       {"description", short_description(info)},
                       {"elements", info.element_count},
                       {"length_known", map.is_length_known},
                       {"recovered", map.recovered},
                       {"checksums", map.has_checksums},
                       {"intact_segments", map.intact_segments},
                       {"damaged_segments", map.damaged_segments},
                       {"missing_segments", map.missing_segments},
                       {"unreadable_bytes", map.unreadable_bytes},
                       {"lost", ranges_as_json(info, map.lost)},
                       {"unproven", ranges_as_json(info, map.unproven)}});
}

}  // namespace floe::cli
