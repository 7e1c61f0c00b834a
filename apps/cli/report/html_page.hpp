// Pages of HTML that need nothing but themselves, in light and in dark.
#pragma once

#include <string>
#include <string_view>

namespace floe::cli {

/// Text as HTML and SVG want it.
std::string escaped(std::string_view text);

/// A page; `title` and `body` are HTML.
std::string html_page(std::string_view title, std::string_view body);

}  // namespace floe::cli
