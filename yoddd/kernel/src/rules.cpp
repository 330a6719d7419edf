#include "rules.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace yoddd {
namespace {

// The place and the least and the greatest value of each number.
struct Field {
    const char* key;
    int least, greatest;
};

constexpr int largest_k = 999;
constexpr int tie_bits = 3;
constexpr Field fields[] = {{"pie", 0, 1},
                            {"turn.first", 1, 2},
                            {"turn.first_colour", 0, 1},
                            {"turn.stones", 1, 2},
                            {"turn.stones", 1, 2},
                            {"turn.colour", 0, 1},
                            {"turn.groups", 0, 2},
                            {"turn.pass", 0, 2},
                            {"turn.full_ends", 0, 1},
                            {"score.count", 0, 4},
                            {"score.value", 0, 5},
                            {"score.k", 0, largest_k},
                            {"score.lone", 0, 1},
                            {"score.wins", 0, 3},
                            {"score.ties", 0, (1 << tie_bits * most_ties) - 1}};

int product_of_two(const Rules& rules, const Sizes& sizes) {
    int first = 0, second = 0;
    for (int i = 0; i < sizes.count; ++i) {
        second = std::max(second, std::min<int>(sizes.of[i], first));
        first = std::max<int>(first, sizes.of[i]);
    }
    return std::max<int>(first, rules.lone) * std::max<int>(second, rules.lone);
}

int value_of(const Rules& rules, int size) {
    switch (rules.value) {
        case Value::size:
            return size;
        case Value::less:
            return size - rules.k;
        case Value::square:
            return size * size;
        case Value::odd:
            return size % 2 ? 1 : 2;
        case Value::large:
            return size >= rules.k;
        default:
            return 1;
    }
}

void sort(Sizes& sizes) { std::sort(sizes.of, sizes.of + sizes.count); }

int stones(const Sizes& sizes) { return std::accumulate(sizes.of, sizes.of + sizes.count, 0); }

int odd_ones(const Sizes& sizes) {
    return static_cast<int>(
        std::count_if(sizes.of, sizes.of + sizes.count, [](u16 size) { return size % 2; }));
}

// Both sorted. Up to the first size that differs as many groups are larger than any n.
int lead_by_size(const Sizes& ours, const Sizes& theirs) {
    if (ours.count != theirs.count) return theirs.count - ours.count;
    const auto [mine, other] = std::mismatch(ours.of, ours.of + ours.count, theirs.of);
    if (mine == ours.of + ours.count) return 0;
    const u16 n = std::min(*mine, *other);
    const auto up_to_n = [n](const Sizes& sizes) {
        return static_cast<int>(std::upper_bound(sizes.of, sizes.of + sizes.count, n) - sizes.of);
    };
    return up_to_n(ours) - up_to_n(theirs);
}

// Both sorted.
int lead_ascending(const Sizes& ours, const Sizes& theirs) {
    for (int i = 0; i < std::max(ours.count, theirs.count); ++i) {
        const int mine = i < ours.count ? ours.of[i] : 0;
        const int other = i < theirs.count ? theirs.of[i] : 0;
        if (mine != other) return mine - other;
    }
    return 0;
}

// By how much Black leads.
int lead(Tie tie, Sizes& blacks, Sizes& whites) {
    const int fewer = stones(whites) - stones(blacks);
    switch (tie) {
        case Tie::size:
        case Tie::ascending:
            sort(blacks);
            sort(whites);
            return (tie == Tie::size ? lead_by_size : lead_ascending)(blacks, whites);
        case Tie::stones:
            return fewer;
        case Tie::odd:
            return odd_ones(whites) - odd_ones(blacks);
        case Tie::black:
            return std::max(1, std::abs(fewer));
        case Tie::white:
            return -std::max(1, std::abs(fewer));
        default:
            return 0;
    }
}

}  // namespace

bool Rules::is_fair() const {
    const auto is_colour = [](Tie tie) { return tie == Tie::black || tie == Tie::white; };
    return !by_parity() && std::none_of(std::begin(ties), std::end(ties), is_colour);
}

const char* read_rules(const std::vector<int>& numbers, Rules& rules) {
    if (numbers.size() != std::size(fields)) return "the facts";
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (numbers[i] < fields[i].least || numbers[i] > fields[i].greatest) return fields[i].key;
    const int* next = numbers.data();
    rules.pie = *next++;
    rules.first = static_cast<u8>(*next++);
    rules.first_own = *next++;
    rules.least = static_cast<u8>(*next++);
    rules.most = static_cast<u8>(*next++);
    rules.own = *next++;
    const int groups = *next++;
    rules.parity = static_cast<signed char>(groups ? groups % 2 : none);
    rules.pass = static_cast<Pass>(*next++);
    rules.full_ends = *next++;
    rules.count = static_cast<Count>(*next++);
    rules.value = static_cast<Value>(*next++);
    rules.k = static_cast<u16>(*next++);
    rules.lone = static_cast<u8>(*next++);
    rules.wins = static_cast<Wins>(*next++);
    int rest = *next++;
    for (Tie& tie : rules.ties) {
        const int number = rest % (1 << tie_bits);
        if (number > static_cast<int>(Tie::white)) return "score.ties";
        tie = static_cast<Tie>(number);
        rest >>= tie_bits;
    }
    if (rules.least > rules.most) return "turn.stones";
    if (rules.has_pass() == (rules.parity == none)) return "turn.pass";
    return nullptr;
}

int counted(const Rules& rules, const Sizes& sizes) {
    int sum = 0, least = rules.lone, greatest = sizes.count ? 0 : rules.lone;
    switch (rules.count) {
        case Count::points:
            for (int i = 0; i < sizes.count; ++i) sum += value_of(rules, sizes.of[i]);
            return sum;
        case Count::product:
            return product_of_two(rules, sizes);
        default:
            break;
    }
    for (int i = 0; i < sizes.count; ++i) {
        least = i ? std::min<int>(least, sizes.of[i]) : sizes.of[i];
        greatest = std::max<int>(greatest, sizes.of[i]);
    }
    if (rules.count == Count::area) return greatest * sizes.count;
    return rules.count == Count::largest ? greatest : least;
}

Outcome break_tie(const Rules& rules, Sizes (&sizes)[2]) {
    Outcome outcome;
    for (const Tie tie : rules.ties)
        if (outcome.winner == none) outcome = led_by(lead(tie, sizes[black], sizes[white]));
    return outcome;
}

Outcome judge(const Rules& rules, Sizes (&sizes)[2]) {
    const Outcome outcome =
        compare(rules, counted(rules, sizes[black]), counted(rules, sizes[white]));
    return outcome.winner == none ? break_tie(rules, sizes) : outcome;
}

}  // namespace yoddd
