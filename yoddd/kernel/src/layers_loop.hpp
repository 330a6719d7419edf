// The arithmetic of layers on vectors of four words, in a namespace of loops_compiled.hpp.
//
// The position of an index bit counts the bits of a vector: fillings that differ in it lie 1 << at
// bits apart. So a byte's own three bits are positions 0 to 2, those of fillings begin at `shift`.

using Vec = Lanes<u64, 32>;

// Those of eight words with even places, and with odd ones: 0, 4, 2, 6 and 1, 5, 3, 7, for which
// processors have single instructions; `in_order` sorts them.
YODDD_INLINE Vec even_words(Vec a, Vec b) { return YODDD_WORDS(a, b, 0, 4, 2, 6); }
YODDD_INLINE Vec odd_words(Vec a, Vec b) { return YODDD_WORDS(a, b, 1, 5, 3, 7); }
YODDD_INLINE Vec in_order(Vec a) { return YODDD_WORDS(a, a, 0, 2, 1, 3); }
YODDD_INLINE Vec lower_halves(Vec a, Vec b) { return YODDD_WORDS(a, b, 0, 1, 4, 5); }
YODDD_INLINE Vec upper_halves(Vec a, Vec b) { return YODDD_WORDS(a, b, 2, 3, 6, 7); }
// Each word changes places with its neighbour, or each pair with the other.
YODDD_INLINE Vec neighbours_swapped(Vec a) { return YODDD_WORDS(a, a, 1, 0, 3, 2); }
YODDD_INLINE Vec halves_swapped(Vec a) { return YODDD_WORDS(a, a, 2, 3, 0, 1); }

// Whether a filling is won is a bit.
struct Bits {
    static constexpr int shift = 0;
    static YODDD_INLINE Vec join(Vec a, Vec b) { return a | b; }
    static YODDD_INLINE Vec before(Vec a) { return ~a; }
    static YODDD_INLINE Vec ended(Vec won) { return won; }
    static YODDD_INLINE Vec spread(Vec bits, u64) { return bits; }
};

// A filling's value is a byte: see `TurnValue` in layers.cpp.
struct Bytes {
    static constexpr int shift = 3;
    using U8 = Lanes<u8, 32>;
    static YODDD_INLINE Vec join(Vec a, Vec b) {
        return std::bit_cast<Vec>(larger(std::bit_cast<U8>(a), std::bit_cast<U8>(b)));
    }
    static YODDD_INLINE Vec before(Vec a) {
        const auto others = std::bit_cast<U8>(~a);
        const auto small = std::bit_cast<U8>(std::bit_cast<Lanes<signed char, 32>>(others) > -1);
        return std::bit_cast<Vec>(others - 1 - (small + small));
    }
    static YODDD_INLINE Vec has_none(Vec a) {
        return std::bit_cast<Vec>(std::bit_cast<U8>(a) == 0);
    }
    // 254, a win now, or 1, a loss, by a mask of bytes.
    static YODDD_INLINE Vec ended(Vec won) {
        constexpr u64 lost = 0x0101010101010101;
        return won ^ Vec{lost, lost, lost, lost};
    }
    // 32 of the 256 bits, the `part`-th, as bytes of all ones or none.
    static YODDD_INLINE Vec spread(Vec bits, u64 part) {
        u64 words[4];
        std::memcpy(words, &bits, sizeof words);
        const u64 wanted = words[part / 2] >> part % 2 * 32;
        Vec made{bytes_of(wanted), bytes_of(wanted >> 8), bytes_of(wanted >> 16),
                 bytes_of(wanted >> 24)};
        return ~has_none(made);
    }

private:
    static constexpr u64 high = 0x8080808080808080;
    // Each of eight bits in a byte of its own.
    static YODDD_INLINE u64 bytes_of(u64 bits) {
        return (bits & 0xff) * 0x0101010101010101 & 0x8040201008040201;
    }
};

constexpr u64 zero_at[6] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                            0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};

YODDD_INLINE Vec all_of(u64 word) { return Vec{word, word, word, word}; }

// -- taking an index bit out ---------------------------------------------------------------------

// Of the fillings that differ in the bit taken out: the better, the one without it, or with it.
enum class Take { both, zero, one };

template <class A, Take take>
YODDD_INLINE Vec chosen(Vec zero, Vec one) {
    if constexpr (take == Take::both) return A::join(zero, one);
    return take == Take::zero ? zero : one;
}

// The fillings of two words: those of the first where the bit is 0, those of the second where it
// is 1; so that the bit now tells the words apart.
template <class A, Take take, int at>
YODDD_INLINE Vec low(Vec first, Vec second) {
    constexpr int s = 1 << at;
    const Vec zero = all_of(zero_at[at]);
    return (chosen<A, take>(first, first >> s) & zero) |
           (chosen<A, take>(second << s, second) & ~zero);
}

template <int at>
YODDD_INLINE Vec swap_with_next(Vec y) {
    constexpr int s = 1 << at;
    const Vec t = (y ^ (y >> s)) & all_of(~zero_at[at] & zero_at[at + 1]);
    return y ^ t ^ (t << s);
}

YODDD_INLINE u64 vectors_of(int bits) { return plane_words(bits) / 4; }

YODDD_INLINE Vec load(const u64* from, u64 i) {
    Vec vec;
    std::memcpy(&vec, from + 4 * i, sizeof vec);
    return vec;
}
YODDD_INLINE void store(u64* to, u64 i, Vec vec) { std::memcpy(to + 4 * i, &vec, sizeof vec); }

// Places in the records with one stone more from which a vector's fillings are collected.
template <int planes>
struct Reader {
    const LayerSources& sources;
    u64 vectors;  // of one plane there
    u64 j;

    YODDD_INLINE Vec at(u32 source, int plane, u64 i) const {
        return load(sources.record[source] + 4 * planes * i, static_cast<u64>(plane));
    }
    YODDD_INLINE Vec first(u32 source, int plane) const { return at(source, plane, 2 * j); }
    YODDD_INLINE Vec second(u32 source, int plane) const {
        return vectors > 1 ? at(source, plane, 2 * j + 1) : Vec{};
    }
};

// What kinds of stones the planes of a record collect: the first half of them and the second.
template <int count, Take earlier, Take later>
struct Collected {
    static constexpr int planes = count;
    static constexpr Take take(int plane) { return 2 * plane < count ? earlier : later; }
};

template <class F, std::size_t... I>
YODDD_INLINE void each_of(std::index_sequence<I...>, const F& work) {
    (work(std::integral_constant<int, static_cast<int>(I)>{}), ...);
}
template <int count, class F>
YODDD_INLINE void each_plane(const F& work) {
    each_of(std::make_index_sequence<count>{}, work);
}

template <class A, class P, int at>
YODDD_INLINE u32 collect_low(const Reader<P::planes>& from, u32 i, Vec (&y)[P::planes]) {
    const LayerSources& sources = from.sources;
    for (; i < sources.count && sources.at[i] == at; ++i)
        each_plane<P::planes>([&](auto n) {
            const Vec a = from.first(i, n), b = from.second(i, n);
            y[n] = A::join(y[n], low<A, P::take(n), at>(even_words(a, b), odd_words(a, b)));
        });
    if constexpr (at < 5) {
        if (i) each_plane<P::planes>([&](auto n) { y[n] = swap_with_next<at>(y[n]); });
        return collect_low<A, P, at + 1>(from, i, y);
    }
    return i;
}

// Vector `j` of each plane, from all sources.
template <class A, class P>
YODDD_INLINE void collect(const LayerSources& sources, u64 vectors, u64 j, Vec* out) {
    const Reader<P::planes> from{sources, vectors, j};
    u32 i = 0;
    if (sources.count && sources.at[0] <= 6) {
        Vec y[P::planes] = {};
        i = collect_low<A, P, A::shift>(from, 0, y);
        for (; i < sources.count && sources.at[i] == 6; ++i)
            each_plane<P::planes>([&](auto n) {
                const Vec a = from.first(i, n), b = from.second(i, n);
                y[n] = A::join(y[n], chosen<A, P::take(n)>(even_words(a, b), odd_words(a, b)));
            });
        each_plane<P::planes>([&](auto n) { out[n] = A::join(out[n], in_order(y[n])); });
    }
    for (; i < sources.count && sources.at[i] == 7; ++i)
        each_plane<P::planes>([&](auto n) {
            const Vec a = from.first(i, n), b = from.second(i, n);
            out[n] = A::join(out[n], chosen<A, P::take(n)>(lower_halves(a, b), upper_halves(a, b)));
        });
    for (; i < sources.count; ++i) {
        const u64 step = u64{1} << (sources.at[i] - 8);
        const u64 k = j + (j & ~(step - 1));
        each_plane<P::planes>([&](auto n) {
            out[n] =
                A::join(out[n], chosen<A, P::take(n)>(from.at(i, n, k), from.at(i, n, k + step)));
        });
    }
}

// What several records with one stone more bring, by itself.
template <class A, class P>
YODDD_INLINE void gather_only(const LayerSources& sources, int bits, u64* out) {
    const u64 vectors = vectors_of(bits);
    for (u64 j = 0; j < vectors; ++j) {
        Vec y[P::planes] = {};
        collect<A, P>(sources, vectors_of(bits + 1), j, y);
        each_plane<P::planes>([&](auto n) { store(out + 4 * P::planes * j, n, y[n]); });
    }
}

// A plane without an index bit: the half where it is 0, or 1.
template <Take take>
void halve_by(const u64* from, u64* to, int bits, u8 at) {
    using P = Collected<1, take, take>;
    // A loop of its own for each position within vectors.
    each_plane<8>([&](auto position) {
        if (at == position) gather_only<Bits, P>({1, {from}, {position}}, bits - 1, to);
    });
    if (at >= 8) gather_only<Bits, P>({1, {from}, {at}}, bits - 1, to);
}

void halve(const u64* from, u64* to, int bits, int at, bool one) {
    (one ? halve_by<Take::one> : halve_by<Take::zero>)(from, to, bits, static_cast<u8>(at));
}

// -- index bits exchanged ------------------------------------------------------------------------

// Exchange fillings that differ in one bit.
YODDD_INLINE Vec flip(Vec y, int at) {
    if (at == 6) return neighbours_swapped(y);
    if (at == 7) return halves_swapped(y);
    const Vec zero = all_of(zero_at[at]);
    return ((y >> (1 << at)) & zero) | ((y & zero) << (1 << at));
}

// The fillings of a vector with all colours exchanged: bits from `shift` on, below `bits`.
template <class A>
YODDD_INLINE Vec reversed(Vec y, int bits) {
    if (bits >= 8) {
        for (int at = A::shift; at < 8; ++at) y = flip(y, at);
    } else {
        for (int at = A::shift; at < bits; ++at) y = flip(y, at);
    }
    return y;
}

// Where in a vector a bit of a position within it is 0.
YODDD_INLINE Vec mask_of(int at) {
    constexpr u64 all = ~u64{0};
    if (at == 6) return Vec{all, 0, all, 0};
    if (at == 7) return Vec{all, all, 0, 0};
    return all_of(zero_at[at]);
}

// Exchange two index bits of a plane, `i` below `k`.
void exchange_bits(u64* array, u64 planes, int bits, int i, int k) {
    const u64 vectors = vectors_of(bits);
    if (k < 8) {
        const Vec both = mask_of(i) & mask_of(k), neither = ~mask_of(i) & ~mask_of(k);
        for (u64 n = 0; n < vectors; ++n) {
            const Vec y = load(array, planes * n);
            store(array, planes * n,
                  (y & (both | neither)) | (flip(flip(y, i), k) & ~(both | neither)));
        }
        return;
    }
    const u64 upper = u64{1} << (k - 8);
    for (u64 n = 0; n < vectors; ++n) {
        if (n & upper) continue;
        if (i < 8) {
            const Vec zero = mask_of(i);
            const Vec a = load(array, planes * n), b = load(array, planes * (n | upper));
            store(array, planes * n, (a & zero) | (flip(b, i) & ~zero));
            store(array, planes * (n | upper), (flip(a, i) & zero) | (b & ~zero));
        } else if (n >> (i - 8) & 1) {
            const u64 other = n ^ upper ^ u64{1} << (i - 8);
            const Vec a = load(array, planes * n), b = load(array, planes * other);
            store(array, planes * n, b);
            store(array, planes * other, a);
        }
    }
}

// Bit j of the new index is bit from[j] of the old one, counted from `shift` on.
void permute(u64* array, u64 planes, int bits, int shift, const u8* from) {
    u8 place[32], lies[32];  // by old bit: where it lies now; and the other way round
    const int count = bits - shift;
    for (int j = 0; j < count; ++j) place[j] = lies[j] = static_cast<u8>(j);
    for (int j = 0; j < count; ++j) {
        const int at = place[from[j]];
        if (at == j) continue;
        for (u64 plane = 0; plane < planes; ++plane)
            exchange_bits(array + 4 * plane, planes, bits, shift + j, shift + at);
        place[lies[j]] = static_cast<u8>(at);
        lies[at] = lies[j];
    }
}

// -- groups --------------------------------------------------------------------------------------

struct Counted {
    Vec odd, fewer;  // an odd number of groups; Black has fewer
};

YODDD_INLINE Counted counted_groups(const LayerGroups& g, u64 blacks) {
    const u64 whites = blacks | g.outside;
    Vec fewer{}, odd{};
    for (int plane = 0; plane < g.planes; ++plane) {
        const Vec b = load(g.black + plane * g.stride, blacks);
        const Vec w = load(g.white + plane * g.stride, whites);
        const Vec differ = b ^ w;
        if (plane == 0) odd = differ;
        fewer = (w & differ) | (fewer & ~differ);
    }
    const Vec valid = load(g.valid, 0);
    return {odd & valid, fewer};
}

// -- games ---------------------------------------------------------------------------------------

// Yodd and Xodd. The planes of a colour: what a turn is worth that ends there, and one that ends
// there or with one stone more.
template <class A>
struct Passing {
    static constexpr int planes = 2;
    static constexpr bool own = false;
    // The better of dropping stones and of passing.
    static YODDD_INLINE Vec either(const Vec* of, Vec pass) { return A::join(of[1], pass); }
    static YODDD_INLINE void finish(Vec* of, Vec landing, Vec) {
        of[1] = A::join(landing, of[0]);
        of[0] = landing;
    }
};

// With `own_colour`: passing only where there is nothing to drop, which bytes of 0 tell.
struct OwnBytes : Passing<Bytes> {
    static constexpr bool own = true;
    static YODDD_INLINE Vec either(const Vec* of, Vec pass) {
        return of[1] | (pass & Bytes::has_none(of[1]));
    }
};

// In bits two planes more: whether a turn may end there, and there or with one stone more.
struct OwnBits : Passing<Bits> {
    static constexpr int planes = 4;
    static constexpr bool own = true;
    static YODDD_INLINE Vec either(const Vec* of, Vec pass) { return of[1] | (pass & ~of[3]); }
    static YODDD_INLINE void finish(Vec* of, Vec landing, Vec odd) {
        Passing<Bits>::finish(of, landing, odd);
        of[3] = odd | of[2];
        of[2] = odd;
    }
};

template <class A, class G, int colours>
struct PassingLoop {
    static constexpr int count = G::planes * colours;
    static constexpr Take black_takes = G::own ? Take::one : Take::both;
    static constexpr Take white_takes = G::own && colours == 2 ? Take::zero : black_takes;
    using P = Collected<count, black_takes, white_takes>;

    struct Ends {
        Vec legal, black, white;
    };

    static YODDD_INLINE void gather(const LayerJob& job, u64 j, Vec* out) {
        each_plane<count>(
            [&](auto n) { out[n] = job.extra ? load(job.extra + 4 * count * j, n) : Vec{}; });
        collect<A, P>(job.sources, vectors_of(job.bits + 1), j, out);
    }

    static YODDD_INLINE Vec landing(const Vec* mine, const Vec* theirs, Vec end, Vec legal,
                                    const LayerJob& job) {
        if (job.ends) return legal & end;
        return legal & A::before(G::either(theirs, A::before(G::either(mine, end))));
    }

    static YODDD_INLINE void put(u64* out, u64 j, const Vec* planes, int first) {
        each_plane<G::planes>(
            [&](auto n) { store(out + 4 * count * j, static_cast<u64>(first + n), planes[n]); });
    }

    // With one colour White's values are Black's with the colours exchanged: those of the vector
    // opposite.
    static YODDD_INLINE void fill(const LayerJob& job, u64 vectors, u64 j, const Ends& e) {
        const u64 opposite = vectors - 1 - j;
        Vec mine[2 * G::planes], there[count];
        Vec* const theirs = mine + G::planes;
        gather(job, j, mine);
        if constexpr (colours == 1) {
            if (opposite == j)
                each_plane<count>([&](auto n) { there[n] = mine[n]; });
            else
                gather(job, opposite, there);
            each_plane<count>([&](auto n) { theirs[n] = reversed<A>(there[n], job.bits); });
        }
        const Vec of_black = landing(mine, theirs, e.black, e.legal, job);
        const Vec of_white = landing(theirs, mine, e.white, e.legal, job);
        G::finish(mine, of_black, e.legal);
        put(job.out, j, mine, 0);
        if constexpr (colours == 2) {
            G::finish(theirs, of_white, e.legal);
            put(job.out, j, theirs, G::planes);
        } else if (opposite != j) {
            G::finish(there, reversed<A>(of_white, job.bits), reversed<A>(e.legal, job.bits));
            put(job.out, opposite, there, 0);
        }
    }

    static void settle(const LayerJob& job) {
        const u64 vectors = vectors_of(job.bits);
        const u64 counted = vectors_of(job.bits - A::shift);
        const u64 parts = std::min<u64>(vectors, 1 << A::shift);
        const u64 wanted = colours == 1 ? (vectors + 1) / 2 : vectors;
        u64 blacks = 0;
        for (u64 i = 0; i < counted && i * parts < wanted; ++i) {
            const Counted groups = counted_groups(job.groups, blacks);
            blacks = (blacks - job.groups.inside) & job.groups.inside;
            for (u64 part = 0; part < parts && i * parts + part < wanted; ++part) {
                const Vec won = A::spread(groups.fewer, part);
                const Ends ends{A::spread(groups.odd, part), A::ended(won), A::ended(~won)};
                fill(job, vectors, i * parts + part, ends);
            }
        }
    }
};

// Odd, Yoin and Product in bits: whether who has dropped the last stone wins or, in the middle of a
// turn, can.
template <Take take>
struct FillingLoop {
    static constexpr int count = 1;
    using P = Collected<1, take, take>;

    static void settle(const LayerJob& job) {
        const u64 vectors = vectors_of(job.bits);
        const Vec valid = load(job.groups.valid, 0);
        const Vec turned = all_of(job.ends ? ~u64{0} : 0);  // a turn ends here
        for (u64 j = 0; j < vectors; ++j) {
            Vec y[1] = {job.extra ? load(job.extra, j) : Vec{}};
            collect<Bits, P>(job.sources, vectors_of(job.bits + 1), j, y);
            store(job.out, j, (y[0] ^ turned) & valid);
        }
    }
};

// Join an array into another.
template <class A>
void join_into(u64* to, const u64* from, u64 vectors) {
    for (u64 j = 0; j < vectors; ++j) store(to, j, A::join(load(to, j), load(from, j)));
}

template <class A, class L>
constexpr LayerGame game_of(int colours) {
    return {L::count, colours, A::shift, &L::settle, &gather_only<A, typename L::P>, &join_into<A>};
}

template <int colours>
LayerGame passing_game(bool own, bool bytes) {
    if (own)
        return bytes ? game_of<Bytes, PassingLoop<Bytes, OwnBytes, colours>>(colours)
                     : game_of<Bits, PassingLoop<Bits, OwnBits, colours>>(colours);
    return bytes ? game_of<Bytes, PassingLoop<Bytes, Passing<Bytes>, colours>>(colours)
                 : game_of<Bits, PassingLoop<Bits, Passing<Bits>, colours>>(colours);
}

LayerGame game(LayerKind kind, bool bytes, int colours) {
    switch (kind) {
        case LayerKind::any:
            return game_of<Bits, FillingLoop<Take::both>>(1);
        case LayerKind::black:
            return game_of<Bits, FillingLoop<Take::one>>(1);
        case LayerKind::white:
            return game_of<Bits, FillingLoop<Take::zero>>(1);
        default:
            break;
    }
    const bool own = kind == LayerKind::own_passing;
    return colours == 1 ? passing_game<1>(own, bytes) : passing_game<2>(own, bytes);
}
