#include "report/html_page.hpp"

#include <fmt/core.h>

#include "base/text.hpp"

namespace floe::cli {
namespace {

constexpr const char* style = R"(
:root { color-scheme: light dark; --page: #f4f5f7; --card: #ffffff; --ink: #1c2128; --muted: #5c6672; --line: #dfe3e8; --accent: #2a6fdb;
  --soft: #e8f0fd; --leaf: #e7f5ee; --good: #1c8a5a; }
@media (prefers-color-scheme: dark) { :root { --page: #0f1318; --card: #181d24; --ink: #e5e9ee; --muted: #9aa5b1; --line: #2c343e;
  --accent: #74a9ff; --soft: #1c2c46; --leaf: #17332a; --good: #5fce9d; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 28px 20px 60px; }
h1 { font-size: 22px; margin: 0 0 2px; overflow-wrap: anywhere; } h2 { font-size: 17px; margin: 0; overflow-wrap: anywhere; }
h3 { font-size: 13px; font-weight: 600; color: var(--muted); margin: 20px 0 6px; }
p { margin: 2px 0; color: var(--muted); }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 18px 20px; margin-top: 16px; }
.tiles { display: flex; flex-wrap: wrap; gap: 28px; margin-top: 12px; }
.tiles b { display: block; font-size: 21px; font-variant-numeric: tabular-nums; } .tiles span { color: var(--muted); font-size: 13px; }
.head { display: flex; flex-wrap: wrap; gap: 4px 18px; align-items: baseline; justify-content: space-between; }
.head .ratio { font-weight: 600; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 500; color: var(--muted); } th, td { padding: 4px 14px 4px 0; border-bottom: 1px solid var(--line); }
tr:last-child td { border-bottom: 0; } .number { text-align: right; white-space: nowrap; } td.wide { width: 26%; min-width: 120px; }
code { font: 12.5px ui-monospace, monospace; overflow-wrap: anywhere; }
tr.chosen code { color: var(--good); font-weight: 700; } a { color: inherit; }
.meter { display: block; height: 7px; border-radius: 4px; background: var(--soft); overflow: hidden; }
.meter i { display: block; height: 100%; background: var(--accent); }
svg { display: block; } svg text { font: 12px system-ui, sans-serif; fill: var(--ink); }
svg.chart { max-height: 190px; } .grid { stroke: var(--line); } svg .tick { fill: var(--muted); font-size: 11px; text-anchor: end; }
svg .start { text-anchor: start; } .bar { fill: var(--accent); } .line { fill: none; stroke: var(--accent); stroke-width: 1.6; }
.edge { fill: none; stroke: var(--muted); stroke-opacity: .55; stroke-width: 1.3; } .node { fill: var(--soft); stroke: var(--line); }
.node.leaf { fill: var(--leaf); } .share { fill: var(--accent); } svg .name { font-weight: 600; }
svg .size, svg .role { fill: var(--muted); font-size: 11px; } svg .role { text-anchor: end; }
)";

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string html_page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\">"
      "<title>{}</title><style>{}</style></head><body><main>{}</main></body></html>\n",
      title, style, body);
}

}  // namespace floe::cli
