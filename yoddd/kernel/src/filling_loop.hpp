// The loops over the boards of `FilledBoards`, in a namespace of loops_compiled.hpp.
//
// Each cell begins with its own number as its label, and sweeps over the board, down, up and down,
// give it the largest label of its like-coloured neighbours, on all boards at once. Few groups are
// then still in parts. Labels are a forest: each leads to a cell with a larger label, or to one with
// its own number. The parts are joined board by board: more sweeps would take all boards as long as
// the slowest one.

#if defined(__AVX2__)
constexpr int strip_bytes = 32;  // the width of vectors
#else
constexpr int strip_bytes = 16;
#endif

template <class T>
struct Strips {
    using Row = Lanes<T, strip_bytes>;
    typedef T YODDD_MAY_ALIAS Number;
    static constexpr int lanes = strip_bytes / static_cast<int>(sizeof(T));
    static constexpr i64 stride = fill_lanes * static_cast<int>(sizeof(T));
    static constexpr int words_of_strip = strip_bytes / static_cast<int>(sizeof(u64));

    static YODDD_INLINE Row load(const u8* from) {
        Row row;
        std::memcpy(&row, from, sizeof row);
        return row;
    }
    static YODDD_INLINE void store(u8* to, const Row& row) { std::memcpy(to, &row, sizeof row); }
    // All bits of a number where both are the same, else none.
    static YODDD_INLINE Row same(const Row& one, const Row& other) {
        return (Row)((one ^ other) == T{0});
    }
    static YODDD_INLINE Row larger_than(const Row& row, T n) { return (Row)(row > n); }

    template <bool Hex, bool Down>
    static void sweep(const FilledBoards& f, i64 strip) {
        const u8* const colours = f.colours + strip;
        u8* const labels = f.labels + strip;
        for (int row = 0; row < f.rows; ++row) {
            const int begin = f.row_begins[Down ? f.rows - 1 - row : row];
            const int end = f.row_begins[Down ? f.rows - row : row + 1];
            Row last{}, last_colour{};  // of no cell: a label of 0 is never the larger one
            for (int i = begin; i < end; ++i) {
                const i64 cell = Down ? begin + end - 1 - i : i;
                const auto& near = Down ? f.above[cell] : f.below[cell];
                const Row colour = load(colours + cell * stride);
                Row most = load(labels + cell * stride);
                for (int n = 0; n <= Hex; ++n)
                    most = larger(most, load(labels + near.cell[n] * stride) &
                                            same(load(colours + near.cell[n] * stride), colour));
                most = larger(most, last & same(last_colour, colour));
                store(labels + cell * stride, most);
                last = most;
                last_colour = colour;
            }
            // And back along the row, so that like neighbours in it have one label.
            for (int i = end - 2; i >= begin; --i) {
                const i64 cell = Down ? begin + end - 1 - i : i;
                const Row colour = load(colours + cell * stride);
                last = larger(load(labels + cell * stride), last & same(last_colour, colour));
                store(labels + cell * stride, last);
                last_colour = colour;
            }
        }
    }

    template <bool Hex>
    static void label(const FilledBoards& f, int used) {
        for (i64 cell = 0; cell < f.cells; ++cell) {
            auto* const labels = reinterpret_cast<Number*>(f.labels + cell * stride);
            for (int lane = 0; lane < fill_lanes; ++lane) labels[lane] = static_cast<T>(cell);
        }
        for (i64 strip = 0; strip < used * static_cast<int>(sizeof(T)); strip += strip_bytes) {
            sweep<Hex, true>(f, strip);
            sweep<Hex, false>(f, strip);
            sweep<Hex, true>(f, strip);
        }
    }

    // One of the boards, and the sizes of groups at the cells that labels lead to.
    struct Forest {
        Number* labels;
        Number* sizes;

        Number& label(T cell) const { return labels[cell * fill_lanes]; }
        void move(T from, T to) const {
            label(from) = to;
            sizes[to * fill_lanes] =
                static_cast<T>(sizes[to * fill_lanes] + sizes[from * fill_lanes]);
            sizes[from * fill_lanes] = 0;
        }
        T root(T cell) const {
            T top = cell;
            while (label(top) != top) top = label(top);
            if (top != cell) move(cell, top);
            return top;
        }
        void join(T a, T b) const {
            a = root(a);
            b = root(b);
            if (a != b) move(a < b ? a : b, a < b ? b : a);
        }
    };

    // Join neighbours of one colour with different labels on so many boards. Within rows there are
    // none.
    template <bool Hex>
    static void join(const FilledBoards& f, int used) {
        u8 in_use[stride] = {};
        std::memset(in_use, ~0, static_cast<std::size_t>(used) * sizeof(T));
        const auto* const below = f.below;
        for (i64 strip = 0; strip < used * static_cast<int>(sizeof(T)); strip += strip_bytes) {
            const u8* const labels = f.labels + strip;
            const u8* const colours = f.colours + strip;
            const Row mask = load(in_use + strip);
            for (i64 cell = f.row_begins[1]; cell < f.cells; ++cell) {
                const Row colour = load(colours + cell * stride);
                const Row label = load(labels + cell * stride);
                Row apart{};
                for (int i = 0; i <= Hex; ++i) {
                    const i64 near = below[cell].cell[i] * stride;
                    apart = apart |
                            (same(load(colours + near), colour) & (load(labels + near) ^ label));
                }
                apart = apart & mask;
                u64 words[words_of_strip], any = 0;
                std::memcpy(words, &apart, sizeof words);
                for (const u64 word : words) any |= word;
                if (any) [[unlikely]]
                    join_below<Hex>(f, cell, strip, words);
            }
        }
    }

    // On the boards of a strip whose numbers in the words are not 0.
    template <bool Hex>
    static void join_below(const FilledBoards& f, i64 cell, i64 strip, const u64* words) {
        constexpr int bits = 8 * static_cast<int>(sizeof(T));
        for (int i = 0; i < words_of_strip; ++i)
            for (u64 left = words[i]; left;) {
                const int n = std::countr_zero(left) / bits;
                left &= ~(u64{static_cast<T>(~T{0})} << n * bits);
                const i64 lane = strip / static_cast<int>(sizeof(T)) + 64 / bits * i + n;
                const auto* const colours = reinterpret_cast<const Number*>(f.colours) + lane;
                const Forest forest{reinterpret_cast<Number*>(f.labels) + lane,
                                    reinterpret_cast<Number*>(f.sizes) + lane};
                for (int one = 0; one <= Hex; ++one)
                    if (const u16 near = f.below[cell].cell[one];
                        colours[near * fill_lanes] == colours[cell * fill_lanes])
                        forest.join(forest.label(static_cast<T>(cell)),
                                    forest.label(static_cast<T>(near)));
            }
    }

    static void measure(const FilledBoards& f, int used) {
        // On many boards it is faster to compare all cells with each label.
        constexpr int pace = 5;
        if (f.cells * pace < used * lanes) return count_labels(f);
        std::memset(f.sizes, 0, static_cast<std::size_t>(f.cells * stride));
        auto* const sizes = reinterpret_cast<Number*>(f.sizes);
        for (i64 cell = 0; cell < f.cells; ++cell) {
            const auto* const labels = reinterpret_cast<const Number*>(f.labels + cell * stride);
            for (int four = 0; four < used; four += 4)
                for (int lane = four; lane < four + 4; ++lane)
                    ++sizes[labels[lane] * fill_lanes + lane];
        }
    }

    // By four labels at once. No cell has the label of one before it.
    static void count_labels(const FilledBoards& f) {
        constexpr int four = 4;
        for (i64 strip = 0; strip < stride; strip += strip_bytes)
            for (i64 label = 0; label < f.cells; label += four) {
                const i64 first = std::min<i64>(label, f.cells - four);
                Row sizes[four]{};
                for (i64 cell = 0; cell < first + four; ++cell) {
                    const Row row = load(f.labels + cell * stride + strip);
                    for (int n = 0; n < four; ++n)
                        sizes[n] = sizes[n] - (Row)(row == static_cast<T>(first + n));
                }
                for (int n = 0; n < four; ++n)
                    store(f.sizes + (first + n) * stride + strip, sizes[n]);
            }
    }

    // Every group has the size 1.
    static void mark(const FilledBoards& f) {
        for (i64 cell = 0; cell < f.cells; ++cell)
            for (i64 at = cell * stride; at < (cell + 1) * stride; at += strip_bytes) {
                const Row row = load(f.labels + at);
                store(f.sizes + at, (Row)(row == static_cast<T>(cell)) & static_cast<T>(1));
            }
    }

    template <bool Hex>
    static void find_groups(const FilledBoards& f, bool sizes, int used) {
        label<Hex>(f, used);
        sizes ? measure(f, used) : mark(f);
        join<Hex>(f, used);
    }

    static void find_groups(const FilledBoards& f, bool sizes, int used) {
        f.hex ? find_groups<true>(f, sizes, used) : find_groups<false>(f, sizes, used);
    }

    static void write(u16* to, const Row& row) {
        T numbers[lanes];
        std::memcpy(numbers, &row, sizeof numbers);
        for (int lane = 0; lane < lanes; ++lane) to[lane] = numbers[lane];
    }

    static void count_groups(const FilledBoards& f, int larger_than_n, FillCounts& counts) {
        constexpr int most = static_cast<T>(~T{0});
        const T n = static_cast<T>(larger_than_n < most ? larger_than_n : most);
        for (int first = 0; first < fill_lanes; first += lanes) {
            const i64 strip = first * static_cast<int>(sizeof(T));
            Row all{}, whites{};
            for (i64 cell = 0; cell < f.cells; ++cell) {
                const Row counted =
                    larger_than(load(f.sizes + cell * stride + strip), n) & static_cast<T>(1);
                all = all + counted;
                whites = whites + (counted & load(f.colours + cell * stride + strip));
            }
            write(counts.of[black] + first, all - whites);
            write(counts.of[white] + first, whites);
        }
    }

    static void find_largest(const FilledBoards& f, FillLargest& largest) {
        for (int first = 0; first < fill_lanes; first += lanes) {
            const i64 strip = first * static_cast<int>(sizeof(T));
            Row one[2]{}, two[2]{}, stones[2]{};
            for (i64 cell = 0; cell < f.cells; ++cell) {
                const Row is_black = same(load(f.colours + cell * stride + strip), Row{});
                const Row size = load(f.sizes + cell * stride + strip);
                for (int colour = black; colour <= white; ++colour) {
                    const Row own = size & (colour == black ? is_black : ~is_black);
                    const Row rest = one[colour] + own - larger(one[colour], own);
                    one[colour] = larger(one[colour], own);
                    two[colour] = larger(two[colour], rest);
                    stones[colour] = stones[colour] + own;
                }
            }
            for (int colour = black; colour <= white; ++colour) {
                write(largest.first[colour] + first, one[colour]);
                write(largest.second[colour] + first, two[colour]);
                write(largest.stones[colour] + first, stones[colour]);
            }
        }
    }

    // Boards go by four: their colours in a cell are a number, which says where the sum over those that
    // White holds has been written.
    static void add_whites(const FilledBoards& f, const u16* cells, int count, const float* values,
                           StoneSum* sums, int used) {
        constexpr int four = 4, all = fill_lanes / four;
        float sum_of[all][1 << four];
        const int fours = (used + four - 1) / four;
        for (int lane = 0; lane < four * fours; ++lane) {
            float* const known = sum_of[lane / four];
            const int bit = 1 << lane % four;
            if (bit == 1) known[0] = 0;
            for (int rest = 0; rest < bit; ++rest) known[bit + rest] = known[rest] + values[lane];
        }
        const u32 in_use = ~u32{0} >> (fill_lanes - used);
        for (int i = 0; i < count; ++i) {
            u32 colours = colours_of(f.colours + cells[i] * stride, used) & in_use;
            sums[i] = {static_cast<float>(std::popcount(colours)), 0};
            for (int n = 0; n < fours; ++n, colours >>= four)
                sums[i].value += sum_of[n][colours % (1 << four)];
        }
    }

    // The colours of so many boards in a cell, and of some more, as the bits of a number, the first
    // board's the lowest.
    static YODDD_INLINE u32 colours_of(const u8* row, int used) {
        u32 bits = 0;
        if constexpr (sizeof(T) == 1) {
            constexpr u64 gather = 0x0102040810204080;  // from eight bytes to the highest one
            for (int lane = 0; lane < used; lane += 8) {
                u64 eight;
                std::memcpy(&eight, row + lane, sizeof eight);
                bits |= static_cast<u32>(eight * gather >> 56) << lane;
            }
        } else {
            for (int lane = 0; lane < used; ++lane) bits |= u32{row[sizeof(T) * lane]} << lane;
        }
        return bits;
    }
};

void find_groups(const FilledBoards& f, bool sizes, int used) {
    f.wide ? Strips<u16>::find_groups(f, sizes, used) : Strips<u8>::find_groups(f, sizes, used);
}

void count_groups(const FilledBoards& f, int larger_than, FillCounts& counts) {
    f.wide ? Strips<u16>::count_groups(f, larger_than, counts)
           : Strips<u8>::count_groups(f, larger_than, counts);
}

void find_largest(const FilledBoards& f, FillLargest& largest) {
    f.wide ? Strips<u16>::find_largest(f, largest) : Strips<u8>::find_largest(f, largest);
}

void add_whites(const FilledBoards& f, const u16* cells, int count, const float* values,
                StoneSum* sums, int used) {
    f.wide ? Strips<u16>::add_whites(f, cells, count, values, sums, used)
           : Strips<u8>::add_whites(f, cells, count, values, sums, used);
}
