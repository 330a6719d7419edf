// The loops of a `Chooser`, in a namespace of loops_compiled.hpp.

// What is lent to a row of children, of which only the first may hold what is no stone. Each sum is
// loaded as one word, and the words of two children are parted by vectors.
template <bool First>
YODDD_INLINE void lend(const Children& c, u32 row, float* playouts, float* value) {
    using Words = Lanes<u64, 32>;
    constexpr u64 low = 0xffffffff;
    const auto sum = [&](u32 k) {
        const u32 id = c.ids[row + k];
        u64 word;
        std::memcpy(&word, c.lent + (First && id > c.stones ? c.stones : id), sizeof word);
        return word;
    };
    const Words even{sum(0), sum(2), sum(4), sum(6)}, odd{sum(1), sum(3), sum(5), sum(7)};
    const Words lower = (even & low) | (odd << 32), upper = (even >> 32) | (odd & ~low);
    std::memcpy(playouts + row, &lower, sizeof lower);
    std::memcpy(value + row, &upper, sizeof upper);
}

template <bool White, bool Guided>
void promise_all(const Children& c, float* out) {
    constexpr float little = 1e-6F;
    constexpr float least = -10.0F;  // a logarithm counts no further down
    // Copies: `out` might be thought to lie over the fields of `c`.
    const u32 end = static_cast<u32>(whole_rows(c.count));
    const float bias = c.bias, mean = little * c.mean, fade = c.fade, scale = c.weight * fade;
    const u32* const visits = c.visits;
    const float *const value = c.value, *const policy = c.policy;
    float lent_playouts[most_children], lent_value[most_children];
    lend<true>(c, 0, lent_playouts, lent_value);
    for (u32 row = abreast; row < end; row += abreast)
        lend<false>(c, row, lent_playouts, lent_value);
    YODDD_INDEPENDENT
    for (u32 i = 0; i < end; ++i) {
        const auto n = static_cast<float>(static_cast<i32>(visits[i]));
        const float m = lent_playouts[i], w = White ? m - lent_value[i] : lent_value[i];
        const float sum = value[i] * (1 + bias * m) + w + mean;
        float found = (sum > 0.0F ? sum : 0.0F) / (m + n + bias * m * n + little);
        if (Guided) {
            const float log = policy[i] > least ? policy[i] : least;
            found = found + 1 + scale * log / (fade + n);
            found = found > little ? found : little;
        }
        out[i] = found;
    }
    for (u32 i = c.count; i < end; ++i) out[i] = 0;
}

void promise(const Children& c, float* out) {
    if (c.policy)
        (c.white ? promise_all<true, true> : promise_all<false, true>)(c, out);
    else
        (c.white ? promise_all<true, false> : promise_all<false, false>)(c, out);
}

// As bit patterns numbers that are not negative are ordered like integers, whose maximum compilers
// find with vector instructions.
i32 bits_of(float value) { return std::bit_cast<i32>(value); }

// The first place of a value in a range, or its end.
u32 find(const float* values, u32 begin, u32 end, i32 wanted) {
    for (; begin + abreast <= end; begin += abreast) {
        Lanes<i32, 32> row;
        std::memcpy(&row, values + begin, sizeof row);
        row = row == wanted;
        u64 hits[4];
        std::memcpy(hits, &row, sizeof hits);
        if (hits[0] | hits[1] | hits[2] | hits[3]) break;
    }
    while (begin < end && bits_of(values[begin]) != wanted) ++begin;
    return begin;
}

u32 best(const float* values, u32 count, u32 start) {
    const u32 end = static_cast<u32>(whole_rows(count));
    i32 wanted = 0;
    for (u32 i = 0; i < end; ++i) wanted = std::max(wanted, bits_of(values[i]));
    const u32 found = find(values, start, count, wanted);
    if (found < count) return found;
    const u32 wrapped = find(values, 0, start, wanted);
    return wrapped < start ? wrapped : start;
}

void spread(const signed char* cells, std::size_t count, float value, StoneSum* sums) {
    const auto word = std::bit_cast<u64>(StoneSum{1, value});
    auto* words = reinterpret_cast<u64 YODDD_MAY_ALIAS*>(sums);
    for (const int colour : {black, white}) {
        // Without branches, so that compilers turn it into vector instructions.
        YODDD_INDEPENDENT
        for (std::size_t cell = 0; cell < count; ++cell)
            words[cell] = -static_cast<u64>(cells[cell] == colour) & word;
        words += count;
    }
}

void gather(StoneSum* sums, const StoneSum* more, std::size_t count) {
    YODDD_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) sums[i] = sums[i] + more[i];
}
