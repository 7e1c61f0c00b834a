// Columns of a table in arrays of Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "buffer.hpp"
#include "conversions.hpp"
#include "floe/floe.hpp"

namespace floe::python {

/// Keeps the columns in place and describes them for the library.
class ColumnBuffers {
 public:
  ColumnBuffers(const std::vector<std::string>& names, const std::vector<std::string>& types,
                const nanobind::list& values, std::uint64_t rows) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Column& column = schema_.emplace_back(Column{names[i], type_named(types[i])});
      const std::span<const std::byte> bytes = buffers_.emplace_back(values[i], false).bytes();
      if (bytes.size() != rows * size_of(column.type))
        throw nanobind::value_error("a column has another length");
      pointers_.push_back(bytes.data());
      total_bytes_ += bytes.size();
    }
  }
  [[nodiscard]] const Schema& schema() const { return schema_; }
  [[nodiscard]] std::span<const void* const> pointers() const { return pointers_; }
  [[nodiscard]] std::uint64_t total_bytes() const { return total_bytes_; }

 private:
  Schema schema_;
  std::deque<Buffer> buffers_;
  std::vector<const void*> pointers_;
  std::uint64_t total_bytes_ = 0;
};

}  // namespace floe::python
