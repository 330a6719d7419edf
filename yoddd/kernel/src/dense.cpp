#include "dense.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <stdexcept>
#include <type_traits>

#include "endgame.hpp"
#include "pages.hpp"
#include "portable.hpp"

namespace yoddd {
namespace {

constexpr u8 win_now = 254;  // with the turn that is looked at
constexpr u8 loss_now = 1;
constexpr u8 least_win = 128;
constexpr int block_digits = 11;  // 177,147 fillings: a block's planes fit into a cache

// The value for the player before of what is worth `value` to the one on turn.
constexpr u8 before(u8 value) {
    const auto other = static_cast<u8>(255 - value);
    return static_cast<u8>(other + 1 - 2 * (other >> 7));
}

constexpr bool wins(u8 value) { return value >= least_win; }
constexpr int distance(u8 value) { return wins(value) ? 255 - value : value; }

// -- the sweep ---------------------------------------------------------------------------------

// The bytes of a filling lie together in a word: what a turn is worth that ends there, for Black and
// for White, and, where turns have two stones, the same with at most one stone more. Words are
// looked at in vectors of bytes, of which single words use the first lanes.
using Bytes = Lanes<u8>;
using SignedBytes = Lanes<signed char>;
using Pairs = Lanes<u16>;
using Words = Lanes<u32>;

// `before` for each byte.
inline Bytes before(Bytes values) {
    const Bytes others = ~values;
    const auto small = std::bit_cast<Bytes>(std::bit_cast<SignedBytes>(others) > -1);
    return others - 1 - (small + small);
}

// Black's and White's bytes exchanged.
inline Bytes exchanged(Bytes values) {
    const auto pairs = std::bit_cast<Pairs>(values);
    return std::bit_cast<Bytes>((pairs << 8) | (pairs >> 8));
}

inline Bytes filled(u32 word) { return std::bit_cast<Bytes>(Words{word, word, word, word}); }

static_assert(std::endian::native == std::endian::little, "words are read as bytes");

struct Tables {
    u8* words;
    const i16* groups[2];
    const u8* black_wins;
    u32 all;  // the set of all cells
    bool end_on_full;
};

// The sweep for a kind of turns: of up to two stones or one; of two exactly; of one's own colour
// only; with an odd number of groups and passing.
//
// Until a filling is reached its word collects the best of the fillings with a stone more. Its
// first half so collects what one stone is worth, its second half what one or two are.
template <bool pairs, bool must, bool own, bool passes>
class Filler {
public:
    explicit Filler(const Tables& tables) : t_(tables) {}

    // The fillings whose digits from `digits` on are those of `base`; these digits' stones, as
    // sets of cells, are `blacks` and `whites`.
    void block(int digits, u64 base, u32 blacks, u32 whites) const {
        switch (digits) {
            case 0:
                return small<0>(base, blacks, whites);
            case 1:
                return small<1>(base, blacks, whites);
            case 2:
                return small<2>(base, blacks, whites);
            case 3:
                return small<3>(base, blacks, whites);
            default:
                break;
        }
        const int digit = digits - 1;
        const u64 power = powers[digit];
        block(digit, base + 2 * power, blacks, whites | 1u << digit);
        block(digit, base + power, blacks | 1u << digit, whites);
        collect(base, digit, power);
        block(digit, base, blacks, whites);
    }

    // Collect from the fillings with a stone on the cell of `digit`, for `count` fillings.
    void collect(u64 base, int digit, u64 count) const {
        const u64 step = powers[digit] * sizeof(Word);
        u8* to = t_.words + base * sizeof(Word);
        const u8* const end = to + count * sizeof(Word);
        for (; to + sizeof(Bytes) <= end; to += sizeof(Bytes)) collect_at<Bytes>(to, step);
        for (; to < end; to += sizeof(Word)) collect_at<Word>(to, step);
    }

private:
    using Word = std::conditional_t<pairs, u32, u16>;

    template <class Unit>
    static YODDD_INLINE Bytes load(const u8* from) {
        Unit unit;
        std::memcpy(&unit, from, sizeof unit);
        if constexpr (std::is_same_v<Unit, Bytes>)
            return unit;
        else
            return std::bit_cast<Bytes>(Words{unit, 0, 0, 0});
    }

    template <class Unit>
    static YODDD_INLINE void store(u8* to, Bytes bytes) {
        if constexpr (std::is_same_v<Unit, Bytes>) {
            std::memcpy(to, &bytes, sizeof bytes);
        } else {
            const auto word = static_cast<Unit>(std::bit_cast<Words>(bytes)[0]);
            std::memcpy(to, &word, sizeof word);
        }
    }

    template <class Unit>
    static YODDD_INLINE void collect_at(u8* to, u64 step) {
        Bytes one = load<Unit>(to + step);
        Bytes two = load<Unit>(to + 2 * step);
        if constexpr (own) {
            one &= filled(0x00ff00ff);  // Black's bytes
            two &= filled(0xff00ff00);
        }
        store<Unit>(to, larger(load<Unit>(to), larger(one, two)));
    }

    template <int digits>
    YODDD_INLINE void small(u64 base, u32 blacks, u32 whites) const {
        if constexpr (digits == 0) {
            settle(base, blacks, whites);
        } else {
            constexpr int digit = digits - 1;
            constexpr u64 power = powers[digit];
            small<digit>(base + 2 * power, blacks, whites | 1u << digit);
            small<digit>(base + power, blacks | 1u << digit, whites);
            for (u64 i = 0; i < power; ++i)
                collect_at<Word>(t_.words + (base + i) * sizeof(Word), power * sizeof(Word));
            small<digit>(base, blacks, whites);
        }
    }

    // All successors of a filling have been collected: its own values.
    YODDD_INLINE void settle(u64 at, u32 blacks, u32 whites) const {
        u8* const word = t_.words + at * sizeof(Word);
        const Bytes single = load<Word>(word);
        const Bytes drop =
            pairs ? std::bit_cast<Bytes>(std::bit_cast<Words>(single) >> 16) : single;
        const bool full = (blacks | whites) == t_.all;
        Bytes landing;
        if constexpr (passes) {
            const int margin = t_.groups[white][whites] - t_.groups[black][blacks];
            const Bytes end = filled(win_for_white ^ static_cast<u32>(-margin >> 31));
            const Bytes legal = filled(first_pair & (0u - static_cast<u32>(margin & 1)));
            if (full && t_.end_on_full)
                landing = end & legal;
            else
                landing =
                    before(exchanged(unhindered(drop, before(exchanged(unhindered(drop, end)))))) &
                    legal;
        } else if (full) {
            landing = filled(win_for_white ^ (t_.black_wins[blacks] ? ~0u : 0u));
        } else {
            landing = before(exchanged(drop));
        }
        if constexpr (pairs) {
            const auto best = must ? single : larger(single, landing);
            const Words low = std::bit_cast<Words>(landing) & first_pair;
            store<Word>(word, std::bit_cast<Bytes>(std::bit_cast<Words>(best) << 16 | low));
        } else {
            store<Word>(word, landing);
        }
    }

    // The better of dropping and passing; one's own stones must be dropped where they can be.
    static YODDD_INLINE Bytes unhindered(Bytes drop, Bytes pass) {
        if constexpr (own) return drop | (pass & std::bit_cast<Bytes>(drop == 0));
        return larger(drop, pass);
    }

    // Black's byte and White's, each twice: the game ends and White has won.
    static constexpr u32 win_for_white = 0xfe01fe01;
    static constexpr u32 first_pair = 0x0000ffff;

    const Tables t_;
};

// The blocks by the number of stones that they have in their leading digits, most first. Those of
// as many do not depend on each other.
std::vector<std::vector<u64>> layers(int leading) {
    std::vector<std::vector<u64>> list(static_cast<std::size_t>(leading) + 1);
    for (u64 block = 0; block < powers[leading]; ++block) {
        int stones = 0;
        for (u64 rest = block; rest; rest /= 3) stones += rest % 3 != 0;
        list[static_cast<std::size_t>(leading - stones)].push_back(block);
    }
    return list;
}

template <bool pairs, bool must, bool own, bool passes>
bool fill(const Tables& tables, int cells, int threads, const std::function<bool()>& interrupted) {
    const Filler<pairs, must, own, passes> filler(tables);
    const int digits = std::min(block_digits, std::max(std::min(cells, 6), cells - 5));
    const int leading = cells - digits;
    for (const auto& layer : layers(leading)) {
        const auto task = [&](u64 i) {
            const u64 base = layer[i] * powers[digits];
            u32 stones[2] = {0, 0};
            u64 rest = layer[i];
            for (int digit = digits; digit < cells; ++digit, rest /= 3) {
                if (rest % 3)
                    stones[rest % 3 - 1] |= 1u << digit;
                else
                    filler.collect(base, digit, powers[digits]);
            }
            filler.block(digits, base, stones[black], stones[white]);
        };
        if (!share(threads, layer.size(), interrupted, task)) return false;
    }
    return true;
}

}  // namespace

// -- the tables --------------------------------------------------------------------------------

Sweep::Sweep(const Board& board) : board_(board), empty_(board.state().empty), fillings_(0) {
    if (board.is_pending()) throw std::invalid_argument("a turn is in progress");
    if (empty_ > most_empty) throw std::invalid_argument("too many empty cells for a sweep");
    fillings_ = powers[empty_];
    cells_ = empty_cells(board);
    weights_.resize(static_cast<std::size_t>(board.geometry().span));
    for (int i = 0; i < empty_; ++i) weights_[cells_[i]] = powers[i];
    width_ = board.rules().two_stones() ? sizeof(u32) : sizeof(u16);
    const u64 bytes = width_ * fillings_;
    words_.reset(static_cast<u8*>(std::calloc(bytes, 1)));
    if (!words_) throw std::bad_alloc();
    ask_for_huge_pages(words_.get(), bytes);
}

bool Sweep::run(int threads, const std::function<bool()>& interrupted) {
    const Rules& rules = board_.rules();
    const bool counted = rules.odd_total();
    const bool known = counted ? count_groups(board_, cells_, groups_, threads, interrupted)
                               : judge_full(board_, cells_, black_wins_, threads, interrupted);
    if (!known) return false;
    const Tables tables{words_.get(),
                        {groups_[black].data(), groups_[white].data()},
                        black_wins_.data(),
                        static_cast<u32>((u64{1} << empty_) - 1),
                        rules.end_on_full};
    const auto chosen =
        counted ? rules.own_colour ? fill<true, false, true, true> : fill<true, false, false, true>
        : rules.must_drop_two() ? fill<true, true, false, false>
        : rules.only_own()      ? fill<false, false, true, false>
                                : fill<false, false, false, false>;
    const bool done = chosen(tables, empty_, threads, interrupted);
    for (auto& table : groups_) table = {};
    black_wins_ = {};
    return done;
}

// -- values ------------------------------------------------------------------------------------

bool Sweep::covers(const Board& board) const {
    const Geometry& g = board_.geometry();
    if (&board.geometry() != &g || board.is_pending()) return false;
    const Rules& mine = board_.rules();
    const Rules& theirs = board.rules();
    if (mine.game != theirs.game || mine.end_on_full != theirs.end_on_full ||
        mine.own_colour != theirs.own_colour || mine.min_group != theirs.min_group ||
        mine.one_group != theirs.one_group || mine.tie != theirs.tie)
        return false;
    for (int cell = 0; cell < g.cells; ++cell) {
        const int at = g.index[cell];
        if (!weights_[at] && board.colour_at(at) != board_.colour_at(at)) return false;
    }
    return true;
}

u64 Sweep::filling(const Board& board) const {
    u64 at = 0;
    for (const u16 cell : cells_)
        at += weights_[cell] * static_cast<u64>(board.colour_at(cell) + 1);
    return at;
}

// The value of a pass for the player on turn.
u8 Sweep::value_of_pass(const Board& board) const {
    const int player = board.player();
    if (board.state().passes) return board.score().winner == player ? win_now : loss_now;
    Board after = board;
    after.play({Step::pass, {}});
    return before([&] {
        u8 most = 0;
        const u64 at = filling(after);
        DropCursor drops(after);
        for (Turn turn; drops.next(turn);) {
            u64 end = at;
            for (int i = 0; i < turn.stones; ++i)
                end += weights_[turn.stone[i].at] * (turn.stone[i].colour + 1u);
            most = std::max(most, landing(end, 1 - player));
        }
        const bool may_pass = !board.rules().own_colour || !most;
        return may_pass ? std::max(most, value_of_pass(after)) : most;
    }());
}

std::vector<TurnValue> Sweep::turns(const Board& board) const {
    std::vector<TurnValue> list;
    const int player = board.player();
    const u64 at = filling(board);
    DropCursor drops(board);
    for (Turn turn; drops.next(turn);) {
        u64 end = at;
        for (int i = 0; i < turn.stones; ++i)
            end += weights_[turn.stone[i].at] * (turn.stone[i].colour + 1u);
        const u8 value = landing(end, player);
        list.push_back({turn, wins(value), distance(value)});
    }
    if (Drops(board).pass_legal()) {
        const u8 value = value_of_pass(board);
        Turn pass;
        pass.kind = Step::pass;
        list.push_back({pass, wins(value), distance(value)});
    }
    return list;
}

TurnValue Sweep::best(const Board& board) const {
    const std::vector<TurnValue> list = turns(board);
    if (list.empty()) throw std::invalid_argument("no legal turn");
    // The fewest turns of those that win; the most of the others.
    return *std::max_element(list.begin(), list.end(), [](const TurnValue& a, const TurnValue& b) {
        const auto rank = [](const TurnValue& v) {
            return v.wins ? 1000 - v.distance : v.distance;
        };
        return rank(a) < rank(b);
    });
}

}  // namespace yoddd
