#include "conversions.hpp"

namespace nb = nanobind;

namespace floe::python {

nb::dict dict_of(const FrameInfo& info) {
  nb::dict all;
  all["content"] = info.content == Content::array ? "array" : "table";
  if (info.content == Content::array) {
    nb::list shape;
    for (std::uint32_t i = 0; i < info.extent.rank; ++i) shape.append(info.extent.size[i]);
    all["dtype"] = std::string(name_of(info.dtype));
    all["shape"] = nb::tuple(shape);
    all["prefix"] = nb::bytes(info.prefix.data(), info.prefix.size());
  } else {
    nb::list columns;
    for (const Column& column : info.columns)
      columns.append(nb::make_tuple(column.name, std::string(name_of(column.type)), column.decimals));
    all["source"] = info.source == TableSource::csv       ? "csv"
                    : info.source == TableSource::records ? "records"
                                                          : "columns";
    all["columns"] = columns;
  }
  all["element_count"] = info.element_count;
  all["format_version"] = info.format_version;
  all["has_checksums"] = info.has_checksums;
  all["max_segment_length"] = info.max_segment_length;
  all["segment_count"] = info.segment_count;
  all["frame_bytes"] = info.frame_bytes;
  all["digest"] = info.digest;
  return all;
}

nb::dict dict_of(const StoredSegment& segment) {
  nb::list columns;
  for (const StoredColumn& stored : segment.columns) {
    nb::dict column;
    column["cell_format"] = stored.cell_format;
    column["trees"] = list_of(stored.trees);
    column["stored_bytes"] = stored.stored_bytes;
    column["exception_count"] = stored.exception_count;
    if (stored.bounds.is_known) {
      column["bounds"] = nb::make_tuple(stored.bounds.min, stored.bounds.max);
    } else {
      column["bounds"] = nb::none();
    }
    columns.append(column);
  }
  nb::dict all;
  all["first"] = segment.first;
  all["count"] = segment.count;
  all["offset"] = segment.offset;
  all["stored_bytes"] = segment.stored_bytes;
  all["columns"] = columns;
  return all;
}

}  // namespace floe::python
