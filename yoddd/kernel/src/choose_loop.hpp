// The loops of a `Chooser`, in a namespace of loops_compiled.hpp.

template <bool White>
void promise_stones(const Children& c, float* out) {
    constexpr float little = 1e-6F;
    const u32 count = c.stones;
    const float bias = c.bias, mean = little * c.mean;
    YODDD_INDEPENDENT
    for (u32 i = 0; i < count; ++i) {
        const u32 id = c.ids[i];
        const auto m = static_cast<float>(static_cast<i32>(c.lent_visits[id]));
        const float w = White ? m - c.lent_value[id] : c.lent_value[id];
        const auto n = static_cast<float>(static_cast<i32>(c.visits[i]));
        const float sum = c.value[i] * (1 + bias * m) + w + mean;
        out[i] = (sum > 0.0F ? sum : 0.0F) / (m + n + bias * m * n + little);
    }
}

void promise(const Children& c, float* out) {
    constexpr float little = 1e-6F;
    (c.white ? promise_stones<true> : promise_stones<false>)(c, out);
    const u32 count = c.count;
    const float mean = little * c.mean;
    YODDD_INDEPENDENT
    for (u32 i = c.stones; i < count; ++i) {
        const float sum = c.value[i] + mean;
        const auto n = static_cast<float>(static_cast<i32>(c.visits[i]));
        out[i] = (sum > 0.0F ? sum : 0.0F) / (n + little);
    }
}

void guide(const Guidance& g, float* promises) {
    constexpr float least = -10.0F, little = 1e-6F;  // a logarithm counts no further down
    // Copies: `promises` might be thought to lie over the fields of `g`.
    const u32 count = g.count;
    const float fade = g.fade, scale = g.weight * fade;
    YODDD_INDEPENDENT
    for (u32 i = 0; i < count; ++i) {
        const auto n = static_cast<float>(static_cast<i32>(g.visits[i]));
        const float policy = g.policy[i] > least ? g.policy[i] : least;
        const float value = promises[i] + 1 + scale * policy / (fade + n);
        promises[i] = value > little ? value : little;
    }
}

// As bit patterns numbers that are not negative are ordered like integers, whose maximum compilers
// find with vector instructions.
i32 bits_of(float value) { return std::bit_cast<i32>(value); }

// The first place of a value in a range, or its end.
u32 find(const float* values, u32 begin, u32 end, i32 wanted) {
    constexpr u32 block = 8;
    for (; begin + block <= end; begin += block) {
        u32 hits = 0;
        for (u32 i = 0; i < block; ++i) hits |= bits_of(values[begin + i]) == wanted;
        if (hits) break;
    }
    while (begin < end && bits_of(values[begin]) != wanted) ++begin;
    return begin;
}

u32 best(const float* values, u32 count, u32 start) {
    i32 most = 0;
    for (u32 i = 0; i < count; ++i) most = std::max(most, bits_of(values[i]));
    const u32 found = find(values, start, count, most);
    if (found < count) return found;
    const u32 wrapped = find(values, 0, start, most);
    return wrapped < start ? wrapped : start;
}

void gather(u32* visits, float* value, const u32* more_visits, const float* more_value,
            std::size_t count) {
    YODDD_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) visits[i] += more_visits[i];
    YODDD_INDEPENDENT
    for (std::size_t i = 0; i < count; ++i) value[i] += more_value[i];
}
