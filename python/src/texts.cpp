#include "texts.hpp"

#include <nanobind/stl/string.h>

#include <cstdint>
#include <span>
#include <string_view>

namespace nb = nanobind;

namespace floe::python {
namespace {

bool is_quoted(std::string_view cell) {
  return cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
}

/// Appends what stands between the quotes of a cell, or all of a cell without them.
void append_text(std::string& to, std::string_view cell) {
  if (!is_quoted(cell)) {
    to += cell;
    return;
  }
  cell = cell.substr(1, cell.size() - 2);
  for (std::size_t quote; (quote = cell.find("\"\"")) != std::string_view::npos;) {
    to += cell.substr(0, quote + 1);
    cell.remove_prefix(quote + 2);
  }
  to += cell;
}

nb::object str_of(std::string_view text) {
  PyObject* const made = PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
  if (made == nullptr) nb::raise_python_error();
  return nb::steal(made);
}

template <class Number>
nb::bytes bytes_of(const std::vector<Number>& numbers) {
  return nb::bytes(numbers.data(), numbers.size() * sizeof(Number));
}

}  // namespace

nb::list texts_of(const std::vector<std::string>& cells) {
  nb::list texts;
  std::string text;
  for (const std::string& cell : cells) {
    if (cell.empty()) {
      texts.append(nb::none());
      continue;
    }
    text.clear();
    append_text(text, cell);
    texts.append(str_of(text));
  }
  return texts;
}

nb::tuple text_column_of(const std::vector<std::string>& cells) {
  std::string all;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::uint8_t> valid((cells.size() + 7) / 8);
  std::size_t missing = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    append_text(all, cells[i]);
    offsets.push_back(static_cast<std::int64_t>(all.size()));
    missing += cells[i].empty();
    valid[i / 8] |= static_cast<std::uint8_t>(!cells[i].empty() << (i % 8));
  }
  (void)str_of(all);  // readers of Arrow believe that it is UTF-8
  nb::list buffers;
  buffers.append(missing == 0 ? nb::object(nb::none()) : nb::object(bytes_of(valid)));
  buffers.append(bytes_of(offsets));
  buffers.append(nb::bytes(all.data(), all.size()));
  return nb::make_tuple(missing, buffers);
}

}  // namespace floe::python
