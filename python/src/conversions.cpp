#include "conversions.hpp"

namespace nb = nanobind;

namespace floe::python {

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
