// The loops over the boards of `FilledBoards`, in a namespace of loops_compiled.hpp.
//
// Groups are found without a branch that depends on the stones: each cell begins with its own
// number as its label, and sweeps over the board, down and up in turn, give it the largest label of
// its like-coloured neighbours, until a sweep changes none on any of the boards.

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

    // True if a label of the strip has changed.
    template <bool Hex, bool Down>
    static bool sweep(const FilledBoards& f, i64 strip) {
        const u8* const colours = f.colours + strip;
        u8* const labels = f.labels + strip;
        Row changed{};
        for (int row = 0; row < f.rows; ++row) {
            const int begin = f.row_begins[Down ? f.rows - 1 - row : row];
            const int end = f.row_begins[Down ? f.rows - row : row + 1];
            Row last{}, last_colour{};  // of no cell: a label of 0 is never the larger one
            for (int i = begin; i < end; ++i) {
                const i64 cell = Down ? begin + end - 1 - i : i;
                const auto& near = Down ? f.above[cell] : f.below[cell];
                const Row colour = load(colours + cell * stride);
                const Row label = load(labels + cell * stride);
                Row most = larger(label, load(labels + near.cell[0] * stride) &
                                             same(load(colours + near.cell[0] * stride), colour));
                if constexpr (Hex)
                    most = larger(most, load(labels + near.cell[1] * stride) &
                                            same(load(colours + near.cell[1] * stride), colour));
                most = larger(most, last & same(last_colour, colour));
                store(labels + cell * stride, most);
                changed = changed | (most ^ label);
                last = most;
                last_colour = colour;
            }
            // And back along the row, which takes fewer sweeps in all.
            for (int i = end - 2; i >= begin; --i) {
                const i64 cell = Down ? begin + end - 1 - i : i;
                const Row colour = load(colours + cell * stride);
                const Row label = load(labels + cell * stride);
                last = larger(label, last & same(last_colour, colour));
                store(labels + cell * stride, last);
                changed = changed | (last ^ label);
                last_colour = colour;
            }
        }
        u64 words[strip_bytes / sizeof(u64)], any = 0;
        std::memcpy(words, &changed, sizeof words);
        for (const u64 word : words) any |= word;
        return any != 0;
    }

    template <bool Hex>
    static void label(const FilledBoards& f) {
        for (i64 cell = 0; cell < f.cells; ++cell) {
            auto* const labels = reinterpret_cast<Number*>(f.labels + cell * stride);
            for (int lane = 0; lane < fill_lanes; ++lane) labels[lane] = static_cast<T>(cell);
        }
        for (i64 strip = 0; strip < stride; strip += strip_bytes)
            while (sweep<Hex, true>(f, strip) && sweep<Hex, false>(f, strip)) {}
    }

    static void measure(const FilledBoards& f, int used) {
        std::memset(f.sizes, 0, static_cast<std::size_t>(f.cells * stride));
        auto* const sizes = reinterpret_cast<Number*>(f.sizes);
        for (i64 cell = 0; cell < f.cells; ++cell) {
            const auto* const labels = reinterpret_cast<const Number*>(f.labels + cell * stride);
            for (int four = 0; four < used; four += 4)
                for (int lane = four; lane < four + 4; ++lane)
                    ++sizes[labels[lane] * fill_lanes + lane];
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

    static void find_groups(const FilledBoards& f, bool sizes, int used) {
        if (f.hex)
            label<true>(f);
        else
            label<false>(f);
        if (sizes)
            measure(f, used);
        else
            mark(f);
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
    static void add_whites(const FilledBoards& f, const u16* cells, int count, const FillValues& of,
                           FillValue* sums, int used) {
        constexpr int four = 4, all = fill_lanes / four;
        FillValue sum_of[all][1 << four];
        const int fours = (used + four - 1) / four;
        for (int lane = 0; lane < four * fours; ++lane) {
            FillValue* const known = sum_of[lane / four];
            const int bit = 1 << lane % four;
            if (bit == 1) known[0] = {};
            for (int rest = 0; rest < bit; ++rest)
                known[bit + rest] = {known[rest].value + of.value[lane],
                                     known[rest].boards + of.boards[lane]};
        }
        for (int i = 0; i < count; ++i) {
            u32 colours = colours_of(f.colours + cells[i] * stride);
            sums[i] = {};
            for (int n = 0; n < fours; ++n, colours >>= four) {
                const FillValue& sum = sum_of[n][colours % (1 << four)];
                sums[i].value += sum.value;
                sums[i].boards += sum.boards;
            }
        }
    }

    // The colours of all boards in a cell as the bits of a number, the first board's the lowest.
    static YODDD_INLINE u32 colours_of(const u8* row) {
        u32 bits = 0;
        if constexpr (sizeof(T) == 1) {
            constexpr u64 gather = 0x0102040810204080;  // from eight bytes to the highest one
            for (int n = 0; n < fill_lanes / 8; ++n) {
                u64 eight;
                std::memcpy(&eight, row + 8 * n, sizeof eight);
                bits |= static_cast<u32>(eight * gather >> 56) << 8 * n;
            }
        } else {
            for (int n = 0; n < fill_lanes; ++n) bits |= u32{row[sizeof(T) * n]} << n;
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

void add_whites(const FilledBoards& f, const u16* cells, int count, const FillValues& of,
                FillValue* sums, int used) {
    f.wide ? Strips<u16>::add_whites(f, cells, count, of, sums, used)
           : Strips<u8>::add_whites(f, cells, count, of, sums, used);
}
