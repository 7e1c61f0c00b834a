// Cell formats, as the container has them, for those who read and print cells.
#pragma once

#include "container/cell_format.hpp"
#include "container/segment.hpp"

namespace floe::rows {

using container::CellFormat;
using container::CellKind;
using container::ColumnEntry;
using container::FloatFormat;
using container::FloatStyle;
using container::has_numbers;
using container::max_decimals;
using container::max_float_digits;
using container::max_listed_exceptions;
using container::no_exception;
using container::range_of;
using container::RangeKind;
using container::stream_count;
using container::StreamEntry;
using container::TableDescription;
using container::TimeFormat;
using container::TimeLayout;
using container::unlisted_exception;
using container::ValueRange;

}  // namespace floe::rows
