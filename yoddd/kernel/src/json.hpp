// Numbers and lists of them as JSON, for the C interface.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace yoddd {

template <class Number>
    requires std::is_arithmetic_v<Number>
void append_json(std::string& text, Number number) {
    char digits[32];
    // Every double is written so that it is read as the same one.
    std::snprintf(digits, sizeof digits, "%.17g", static_cast<double>(number));
    text += digits;
}

template <class... Parts>
void append_json(std::string& text, const std::tuple<Parts...>& parts);
template <class A, class B>
void append_json(std::string& text, const std::pair<A, B>& pair) {
    append_json(text, std::tuple<A, B>(pair));
}

template <class Item>
void append_json(std::string& text, const std::vector<Item>& list) {
    text += '[';
    for (const Item& item : list) {
        if (&item != &list.front()) text += ',';
        append_json(text, item);
    }
    text += ']';
}

template <class... Parts>
void append_json(std::string& text, const std::tuple<Parts...>& parts) {
    const char* before = "[";
    std::apply(
        [&](const auto&... one) {
            ((text += std::exchange(before, ","), append_json(text, one)), ...);
        },
        parts);
    text += ']';
}

}  // namespace yoddd
