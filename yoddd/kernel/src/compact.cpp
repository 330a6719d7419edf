#include "compact.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <new>
#include <stdexcept>

#include "pages.hpp"
#include "portable.hpp"

namespace yoddd {
namespace {

constexpr int most_low = 3;
constexpr u64 task_words = 4096;
constexpr int most_planes = 7;

constexpr u64 both = 0x100000001;  // a word for Black in the lower half, one for White
constexpr u64 lower = 0x00000000ffffffff;

// -- the fillings of the low cells -----------------------------------------------------------------

// Bit f of a word belongs to filling f of the low cells: digit i of f is 0 empty, 1 black, 2 white.
struct LowCells {
    u32 level[most_low + 1] = {};                    // the fillings with so many stones
    u32 vacant[most_low] = {};                       // those that leave a cell empty
    u32 filled[2][std::size_t{1} << most_low] = {};  // those where a colour fills just these cells
};

constexpr LowCells low_cells(int low) {
    LowCells cells;
    for (u32 f = 0; f < powers[static_cast<std::size_t>(low)]; ++f) {
        u32 stones = 0, sets[2] = {0, 0}, rest = f;
        for (int i = 0; i < low; ++i, rest /= 3) {
            if (rest % 3 == 0) cells.vacant[i] |= 1u << f;
            if (rest % 3) sets[rest % 3 - 1] |= 1u << i;
            stones += rest % 3 != 0;
        }
        cells.level[stones] |= 1u << f;
        for (const int colour : {black, white}) cells.filled[colour][sets[colour]] |= 1u << f;
    }
    return cells;
}

template <int low>
constexpr LowCells tables = low_cells(low);

constexpr u64 pair(u32 word) { return word * both; }
constexpr u64 exchanged(u64 word) { return word << 32 | word >> 32; }

// For each filling of a word, what those with one stone more among the low cells have.
template <int low, class Word>
YODDD_INLINE Word spread(Word word) {
    Word all = 0;
    for (int i = 0; i < low; ++i) {
        const auto step = static_cast<int>(powers[static_cast<std::size_t>(i)]);
        const u32 vacant = tables<low>.vacant[i];
        const Word mask = sizeof(Word) == sizeof(u64) ? static_cast<Word>(pair(vacant)) : vacant;
        all |= (word >> step | word >> 2 * step) & mask;
    }
    return all;
}

// The same where Black's half counts black stones only, White's half white ones.
template <int low>
YODDD_INLINE u64 spread_own(u64 word) {
    u64 all = 0;
    for (int i = 0; i < low; ++i) {
        const auto step = static_cast<int>(powers[static_cast<std::size_t>(i)]);
        const u64 vacant = tables<low>.vacant[i];
        all |= (word >> step & vacant) | (word >> 2 * step & vacant << 32);
    }
    return all;
}

// The same of stones of one colour.
template <int low>
YODDD_INLINE u32 spread_colour(u32 word, int colour) {
    u32 all = 0;
    for (int i = 0; i < low; ++i) {
        const auto step = (colour + 1) * static_cast<int>(powers[static_cast<std::size_t>(i)]);
        all |= word >> step & tables<low>.vacant[i];
    }
    return all;
}

// -- the games -------------------------------------------------------------------------------------

// What is known of a word besides its successors.
struct WordPlace {
    int stones;  // in both halves
    bool full;   // no cell of the halves is empty
    u32 blacks;  // their sets of cells
    u32 whites;
};

// The number of groups of both colours, for 27 fillings at once.
struct Slices {
    const u32* words[2];
    int planes;

    struct Bits {
        u32 legal;       // an odd number
        u32 black_wins;  // Black has fewer
    };
    YODDD_INLINE Bits at(const WordPlace& place) const {
        const auto stride = static_cast<std::size_t>(planes) + 1;
        const u32* const b = words[black] + place.blacks * stride;
        const u32* const w = words[white] + place.whites * stride;
        u32 fewer = 0;
        for (int plane = 1; plane <= planes; ++plane)
            fewer = (w[plane] & ~b[plane]) | (~(w[plane] ^ b[plane]) & fewer);
        return {b[0] ^ w[0], fewer};
    }
};

}  // namespace

// Yodd and Xodd. A turn that ends with a filling wins (`land`) if it is legal, the other player
// does not win by a stone, and the player wins by a stone or by passing in turn, that is if the game
// ended now. `best` is to end there or with one stone more.
template <int low>
struct CompactSweep::PassingGame {
    struct Word {
        u64 land, best;
    };
    Slices slices;

    static YODDD_INLINE void collect(Word& word, const Word& one, const Word& two,
                                     const WordPlace&) {
        word.land |= one.land | two.land;
        word.best |= one.best | two.best;
    }

    YODDD_INLINE Word settle(const Word& after, const WordPlace& place, RootValues* root) const {
        const Slices::Bits bits = slices.at(place);
        const u64 legal = pair(bits.legal);
        const u64 end = u64{~bits.black_wins} << 32 | bits.black_wins;
        Word word{0, 0};
        Word seen = after;
        for (int level = low; level >= 0; --level) {
            if (level < low) {
                seen.land |= spread<low>(word.land);
                seen.best |= spread<low>(word.best);
            }
            const u64 mask = pair(tables<low>.level[level]);
            const u64 land = legal & ~exchanged(seen.best) & (seen.best | end) & mask;
            word.land |= land;
            word.best |= land | (seen.land & mask);
        }
        if (root)
            for (const int p : {black, white}) {
                root->drop[p] = seen.best >> 32 * p & 1;
                root->single[p] = seen.land >> 32 * p & 1;
                root->best[p] = word.best >> 32 * p & 1;
                root->end[p] = end >> 32 * p & 1;
                root->legal = bits.legal & 1;
            }
        return word;
    }
};

// With stones of one's own colour only, and passing only where there is none to drop: `legal` says
// where a turn may end, `reach` whether it may there or with one stone more.
template <int low>
struct CompactSweep::OwnPassingGame {
    struct Word {
        u64 land, best, legal, reach;
    };
    Slices slices;

    static YODDD_INLINE void collect(Word& word, const Word& one, const Word& two,
                                     const WordPlace&) {
        word.land |= (one.land & lower) | (two.land & ~lower);
        word.best |= (one.best & lower) | (two.best & ~lower);
        word.legal |= (one.legal & lower) | (two.legal & ~lower);
        word.reach |= (one.reach & lower) | (two.reach & ~lower);
    }

    YODDD_INLINE Word settle(const Word& after, const WordPlace& place, RootValues* root) const {
        const Slices::Bits bits = slices.at(place);
        const u64 end = u64{~bits.black_wins} << 32 | bits.black_wins;
        Word word{0, 0, pair(bits.legal), 0};
        Word seen = after;
        seen.legal |= spread_own<low>(word.legal);
        for (int level = low; level >= 0; --level) {
            if (level < low) {
                seen.land |= spread_own<low>(word.land);
                seen.best |= spread_own<low>(word.best);
                seen.reach |= spread_own<low>(word.reach);
            }
            const u64 mask = pair(tables<low>.level[level]);
            const u64 passed = (seen.reach & seen.best) | (~seen.reach & end);
            const u64 able = exchanged(seen.reach);
            const u64 land =
                word.legal & ((able & ~exchanged(seen.best)) | (~able & passed)) & mask;
            word.land |= land;
            word.best |= land | (seen.land & mask);
            word.reach |= (word.legal | seen.legal) & mask;
        }
        if (root)
            for (const int p : {black, white}) {
                root->drop[p] = seen.best >> 32 * p & 1;
                root->single[p] = seen.land >> 32 * p & 1;
                root->able[p] = seen.reach >> 32 * p & 1;
                root->best[p] = word.best >> 32 * p & 1;
                root->end[p] = end >> 32 * p & 1;
                root->legal = bits.legal & 1;
            }
        return word;
    }
};

// Odd, Yoin and Product. Who is on turn follows from the number of stones, so that one bit is
// enough: whether the player who has dropped the last stone wins or, in the middle of a turn, can.
template <Dropped dropped, int low>
struct CompactSweep::FillingGame {
    using Word = u32;
    const u8* black_wins;
    int empty;
    int player;       // on turn at the beginning
    int last_player;  // who drops the last stone

    // The fillings with an even number of stones, those of the halves included.
    static YODDD_INLINE u32 even(const WordPlace& place) {
        u32 mask = 0;
        for (int level = 0; level <= low; level += 2) mask |= tables<low>.level[level];
        return place.stones % 2 ? ~mask : mask;
    }

    YODDD_INLINE void collect(Word& word, Word one, Word two, const WordPlace& place) const {
        if constexpr (dropped == Dropped::own) {
            const u32 by_black = even(place) ^ (player == black ? 0 : ~u32{0});
            word |= (one & by_black) | (two & ~by_black);
        } else {
            word |= one | two;
        }
    }

    YODDD_INLINE Word settle(Word after, const WordPlace& place, RootValues* root) const {
        Word word = 0;
        Word seen = after;
        for (int level = low; level >= 0; --level) {
            const u32 mask = tables<low>.level[level];
            if (level < low) {
                // Of this level, all are by the same player.
                if constexpr (dropped == Dropped::own)
                    seen |= spread_colour<low>(word, player ^ ((place.stones + level) & 1)) & mask;
                else
                    seen |= spread<low>(word);
            } else if (place.full) {
                word = ended(place);
                continue;
            }
            const bool between = dropped != Dropped::two || (empty - place.stones - level) % 2 == 0;
            word |= (between ? ~seen : seen) & mask;
        }
        if (root) root->drop[player] = seen & 1;
        return word;
    }

    // Of full boards, those that the player of the last stone has won.
    YODDD_INLINE u32 ended(const WordPlace& place) const {
        u32 won = 0;
        for (u32 set = 0; set < 1u << low; ++set)
            if (black_wins[place.blacks << low | set]) won |= tables<low>.filled[black][set];
        return (last_player == black ? won : ~won) & tables<low>.level[low];
    }
};

namespace {

u64 choose(int n, int k) {
    u64 result = 1;
    for (int i = 1; i <= k; ++i)
        result = result * static_cast<u64>(n - k + i) / static_cast<u64>(i);
    return result;
}

// Words of a layer.
u64 layer_words(int digits, int stones) {
    return stones > digits ? 0 : choose(digits, stones) << stones;
}

u64 width_of(const Rules& rules) {
    if (!rules.odd_total()) return sizeof(u32);
    return (rules.own_colour ? 4 : 2) * sizeof(u64);
}

int low_of(int empty) { return std::min(empty, most_low); }

}  // namespace

// -- memory ----------------------------------------------------------------------------------------

CompactSweep::Half::Half(int count) : digits(count) {
    rank.resize(powers[static_cast<std::size_t>(digits)]);
    codes.resize(static_cast<std::size_t>(digits) + 1);
    std::vector<u8> stones(rank.size());
    for (u32 code = 0; code < rank.size(); ++code) {
        if (code) stones[code] = static_cast<u8>(stones[code / 3] + (code % 3 != 0));
        rank[code] = static_cast<u32>(codes[stones[code]].size());
        codes[stones[code]].push_back(code);
    }
    if (digits > most_near) return;
    nears.resize(codes.size());
    for (std::size_t i = 0; i < nears.size(); ++i)
        for (const u32 code : codes[i]) nears[i].push_back(near(code));
}

CompactSweep::Near CompactSweep::Half::near(u32 code) const {
    Near found{};
    u32 rest = code;
    for (int digit = 0, k = 0; digit < digits; ++digit, rest /= 3) {
        const auto step = static_cast<u32>(powers[static_cast<std::size_t>(digit)]);
        if (rest % 3) {
            (rest % 3 == 1 ? found.blacks : found.whites) |= static_cast<u16>(1u << digit);
            continue;
        }
        found.next[k][black] = static_cast<u16>(rank[code + step]);
        found.next[k++][white] = static_cast<u16>(rank[code + 2 * step]);
    }
    return found;
}

// Made at first use and kept: searches make many small sweeps.
const CompactSweep::Half& CompactSweep::half(int digits) {
    constexpr auto count = static_cast<std::size_t>(most_swept - most_low - most_near + 1);
    static std::array<std::once_flag, count> made;
    static std::array<std::unique_ptr<const Half>, count> halves;
    const auto i = static_cast<std::size_t>(digits);
    std::call_once(made[i], [&] { halves[i] = std::make_unique<const Half>(digits); });
    return *halves[i];
}

u64 CompactSweep::memory(const Rules& rules, int empty, bool kept) {
    const int low = low_of(empty), digits = empty - low, far = digits - std::min(digits, most_near);
    u64 words = powers[static_cast<std::size_t>(digits)];
    if (!kept) {
        u64 most = 0;
        for (int stones = 0; stones <= digits; ++stones)
            most = std::max(most, layer_words(digits, stones) + layer_words(digits, stones + 1));
        words = std::min(words, most);
    }
    const u64 groups = rules.odd_total() ? (2 * sizeof(i16) << empty) +
                                               (2 * (most_planes + 1) * sizeof(u32) << digits)
                                         : u64{1} << empty;
    return words * width_of(rules) + groups +
           2 * sizeof(u32) * powers[static_cast<std::size_t>(far)];
}

CompactSweep::CompactSweep(const Board& board, bool kept, const EndgameGroups* groups)
    : board_(board),
      kept_(kept),
      empty_(board.state().empty <= most_swept
                 ? board.state().empty
                 : throw std::invalid_argument("too many empty cells for a sweep")),
      low_(low_of(empty_)),
      width_(width_of(board.rules())),
      cells_(empty_cells(board)),
      weights_(static_cast<std::size_t>(board.geometry().span)),
      near_(half(std::min(empty_ - low_, most_near))),
      far_(half(empty_ - low_ - near_.digits)),
      groups_(groups),
      chunks_(static_cast<std::size_t>((far_.digits + 1) * (near_.digits + 1))) {
    for (int i = 0; i < empty_; ++i)
        weights_[cells_[static_cast<std::size_t>(i)]] = powers[static_cast<std::size_t>(i)];
}

// The words of one far code and all near codes with so many stones.
const u8* CompactSweep::row(int far_stones, u64 far_rank, int near_stones) const {
    const auto chunk = static_cast<std::size_t>(far_stones * (near_.digits + 1) + near_stones);
    return chunks_[chunk].get() + far_rank * near_.count(near_stones) * width_;
}

void CompactSweep::allocate(int stones) {
    for (int far = std::max(0, stones - near_.digits); far <= std::min(stones, far_.digits);
         ++far) {
        const int near = stones - far;
        const u64 bytes = far_.count(far) * near_.count(near) * width_;
        Chunk chunk(static_cast<u8*>(std::malloc(bytes)));
        if (!chunk) throw std::bad_alloc();
        ask_for_huge_pages(chunk.get(), bytes);
        chunks_[static_cast<std::size_t>(far * (near_.digits + 1) + near)] = std::move(chunk);
    }
}

void CompactSweep::release(int stones) {
    for (int far = std::max(0, stones - near_.digits); far <= std::min(stones, far_.digits); ++far)
        chunks_[static_cast<std::size_t>(far * (near_.digits + 1) + stones - far)].reset();
}

// -- the sweep -------------------------------------------------------------------------------------

// Group counts in binary. Who has fewer is all that matters, so Black's are held to just beyond
// those that White can have.
bool CompactSweep::slice_groups(int threads, const std::function<bool()>& interrupted) {
    std::vector<i16> groups[2];
    if (groups_)
        for (const int colour : {black, white}) groups_->pick(board_, colour, groups[colour]);
    else if (!count_groups(board_, cells_, groups, threads, interrupted))
        return false;
    const auto [least, most] = std::minmax_element(groups[white].begin(), groups[white].end());
    const int first = *least - 1, last = *most + 1;
    planes_ = std::bit_width(static_cast<unsigned>(last - first));
    const LowCells cells = low_cells(low_);
    const std::size_t stride = static_cast<std::size_t>(planes_) + 1;
    const u64 sets = u64{1} << (empty_ - low_);
    for (const int colour : {black, white}) {
        slices_[colour].assign(sets * stride, 0);
        for (u64 set = 0; set < sets; ++set)
            for (u64 part = 0; part < u64{1} << low_; ++part) {
                const int count = groups[colour][set << low_ | part];
                const int held = std::clamp(count, first, last) - first;
                const u32 mask = cells.filled[colour][part];
                u32* const slice = &slices_[colour][set * stride];
                if (count & 1) slice[0] |= mask;
                for (int plane = 0; plane < planes_; ++plane)
                    if (held >> plane & 1) slice[plane + 1] |= mask;
            }
    }
    return true;
}

// The words of one far code and all near codes with so many stones.
template <class Kernel>
void CompactSweep::fill_row(const Kernel& kernel, int far_stones, u64 far_rank, int near_stones) {
    using Word = typename Kernel::Word;
    const auto words = [&](int far, u64 rank, int near) {
        return reinterpret_cast<const Word*>(row(far, rank, near));
    };
    const u32 code = far_.codes[static_cast<std::size_t>(far_stones)][far_rank];
    const Word* far_rows[most_swept][2];
    const int far_vacant = far_.digits - far_stones;
    u32 sets[2] = {0, 0};
    u32 rest = code;
    for (int digit = 0, k = 0; digit < far_.digits; ++digit, rest /= 3) {
        if (rest % 3) {
            sets[rest % 3 - 1] |= 1u << (near_.digits + digit);
            continue;
        }
        const auto step = static_cast<u32>(powers[static_cast<std::size_t>(digit)]);
        for (const int colour : {black, white}) {
            const u32 rank = far_.rank[code + static_cast<u32>(colour + 1) * step];
            far_rows[k][colour] = words(far_stones + 1, rank, near_stones);
        }
        ++k;
    }
    const int near_vacant = near_.digits - near_stones;
    const Word* const next = near_vacant ? words(far_stones, far_rank, near_stones + 1) : nullptr;
    auto* const out = const_cast<Word*>(words(far_stones, far_rank, near_stones));
    const int stones = far_stones + near_stones;
    RootValues* const root = stones ? nullptr : &root_;
    const auto& nears = near_.nears[static_cast<std::size_t>(near_stones)];
    for (std::size_t i = 0; i < nears.size(); ++i) {
        const Near& near = nears[i];
        const WordPlace place{stones, !far_vacant && !near_vacant, sets[black] | near.blacks,
                              sets[white] | near.whites};
        Word after{};
        for (int k = 0; k < far_vacant; ++k)
            kernel.collect(after, far_rows[k][black][i], far_rows[k][white][i], place);
        for (int k = 0; k < near_vacant; ++k)
            kernel.collect(after, next[near.next[k][black]], next[near.next[k][white]], place);
        out[i] = kernel.settle(after, place, root);
    }
}

template <class Kernel>
bool CompactSweep::fill(const Kernel& kernel, int threads,
                        const std::function<bool()>& interrupted) {
    struct Task {
        int far_stones;
        u64 begin, end;
    };
    for (int stones = far_.digits + near_.digits; stones >= 0; --stones) {
        allocate(stones);
        std::vector<Task> tasks;
        for (int far = std::max(0, stones - near_.digits); far <= std::min(stones, far_.digits);
             ++far) {
            const u64 batch = std::max<u64>(1, task_words / near_.count(stones - far));
            for (u64 begin = 0; begin < far_.count(far); begin += batch)
                tasks.push_back({far, begin, std::min(begin + batch, far_.count(far))});
        }
        const auto task = [&](u64 i) {
            for (u64 rank = tasks[i].begin; rank < tasks[i].end; ++rank)
                fill_row(kernel, tasks[i].far_stones, rank, stones - tasks[i].far_stones);
        };
        if (!share(threads, tasks.size(), interrupted, task)) return false;
        if (!kept_) release(stones + 1);
    }
    return true;
}

template <int low>
bool CompactSweep::fill_by_rules(int threads, const std::function<bool()>& interrupted) {
    const Rules& rules = board_.rules();
    if (rules.odd_total()) {
        const Slices slices{{slices_[black].data(), slices_[white].data()}, planes_};
        return rules.own_colour ? fill(OwnPassingGame<low>{slices}, threads, interrupted)
                                : fill(PassingGame<low>{slices}, threads, interrupted);
    }
    const u8* const full = black_wins_.data();
    const int player = board_.player(), last = 1 - player_after(empty_);
    if (rules.must_drop_two())
        return fill(FillingGame<Dropped::two, low>{full, empty_, player, last}, threads,
                    interrupted);
    if (rules.only_own())
        return fill(FillingGame<Dropped::own, low>{full, empty_, player, last}, threads,
                    interrupted);
    return fill(FillingGame<Dropped::any, low>{full, empty_, player, last}, threads, interrupted);
}

bool CompactSweep::run(int threads, const std::function<bool()>& interrupted) {
    if (board_.rules().odd_total()) {
        if (!slice_groups(threads, interrupted)) return false;
    } else if (groups_) {
        groups_->pick(board_, black_wins_);
    } else if (!judge_full(board_, cells_, black_wins_, threads, interrupted)) {
        return false;
    }
    constexpr decltype(&CompactSweep::fill_by_rules<0>) fills[] = {
        &CompactSweep::fill_by_rules<0>, &CompactSweep::fill_by_rules<1>,
        &CompactSweep::fill_by_rules<2>, &CompactSweep::fill_by_rules<3>};
    const bool done = (this->*fills[low_])(threads, interrupted);
    for (auto& slices : slices_) slices = {};
    black_wins_ = {};
    if (!kept_) release(0);
    return done;
}

// -- values ----------------------------------------------------------------------------------------

bool CompactSweep::wins() const {
    const int player = board_.player();
    if (!board_.rules().odd_total()) return root_.drop[player];
    if (board_.is_pending()) return root_.best[player];
    if (board_.state().number == 1) return root_.single[player];
    const auto may_pass = [this](int by) { return root_.legal && !root_.able[by]; };
    if (root_.drop[player] || !may_pass(player)) return root_.drop[player];
    if (board_.state().passes) return root_.end[player];
    const int other = 1 - player;
    return !root_.drop[other] && !(may_pass(other) && root_.end[other]);
}

// Who is on turn when so many stones have been dropped, where turns have a fixed number of them.
int CompactSweep::player_after(int stones) const {
    const int turns = board_.rules().must_drop_two() ? (stones + empty_ % 2) / 2 : stones;
    return board_.player() ^ (turns & 1);
}

bool CompactSweep::covers(const Board& board) const {
    const Geometry& g = board_.geometry();
    if (!kept_ || &board.geometry() != &g || board.is_pending()) return false;
    const Rules& mine = board_.rules();
    const Rules& theirs = board.rules();
    if (mine.game != theirs.game || mine.end_on_full != theirs.end_on_full ||
        mine.own_colour != theirs.own_colour || mine.min_group != theirs.min_group)
        return false;
    for (int cell = 0; cell < g.cells; ++cell) {
        const int at = g.index[cell];
        if (!weights_[at] && board.colour_at(at) != board_.colour_at(at)) return false;
    }
    return mine.odd_total() || board.player() == player_after(empty_ - board.state().empty);
}

u64 CompactSweep::filling(const Board& board) const {
    u64 at = 0;
    for (const u16 cell : cells_)
        at += weights_[cell] * static_cast<u64>(board.colour_at(cell) + 1);
    return at;
}

// Whether a turn of `player` that ends with a filling wins.
bool CompactSweep::landing(u64 at, int player) const {
    const u64 low = powers[static_cast<std::size_t>(low_)];
    const u64 near = powers[static_cast<std::size_t>(near_.digits)];
    const u64 far_code = at / low / near, near_code = at / low % near;
    const auto stones = [](u64 code) {
        int count = 0;
        for (; code; code /= 3) count += code % 3 != 0;
        return count;
    };
    const int near_stones = stones(near_code);
    const u8* const word =
        row(stones(far_code), far_.rank[far_code], near_stones) + near_.rank[near_code] * width_;
    const int bit = static_cast<int>(at % low);
    u64 bits = 0;  // a word of one bit a filling, or the first part of one: `land`
    std::memcpy(&bits, word, std::min<u64>(width_, sizeof bits));
    return bits >> (board_.rules().odd_total() ? 32 * player + bit : bit) & 1;
}

// The value of a pass for the player on turn.
bool CompactSweep::value_of_pass(const Board& board) const {
    const int player = board.player();
    if (board.state().passes) return board.score().winner == player;
    Board after = board;
    after.play({Step::pass, {}});
    const std::vector<TurnOutcome> replies = turns(after);
    return std::none_of(replies.begin(), replies.end(),
                        [](const TurnOutcome& reply) { return reply.wins; });
}

std::vector<TurnOutcome> CompactSweep::turns(const Board& board) const {
    std::vector<TurnOutcome> list;
    const u64 at = filling(board);
    DropCursor drops(board);
    for (Turn turn; drops.next(turn);) {
        u64 end = at;
        for (int i = 0; i < turn.stones; ++i)
            end += weights_[turn.stone[i].at] * (turn.stone[i].colour + 1u);
        list.push_back({turn, landing(end, board.player())});
    }
    if (Drops(board).pass_legal()) {
        Turn pass;
        pass.kind = Step::pass;
        list.push_back({pass, value_of_pass(board)});
    }
    return list;
}

}  // namespace yoddd
