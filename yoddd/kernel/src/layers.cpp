#include "layers.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include "layers_share.hpp"
#include "loops.hpp"
#include "pages.hpp"

namespace yoddd {
namespace {

constexpr u8 win_now = 254;  // with the turn that is looked at
constexpr u8 loss_now = 1;
constexpr u8 won_before = 255;  // the game is over
constexpr u8 lost_before = 0;

// The value for the player before of what is worth `value` to the one on turn.
constexpr u8 before(u8 value) {
    return static_cast<u8>(!is_won(value) ? 254 - value : 256 - value);
}

constexpr u64 poll_words = u64{1} << 13;     // of records between two looks at the clock
constexpr u64 polled_copies = u64{1} << 11;  // records that are kept between two looks
constexpr int least_kept = 2;                // layers, for the values of the position itself
constexpr int prefix_cells = 8;              // of sets, to foresee how much is given back when

bool is_whole(const Board& board, int empty) { return empty == board.geometry().cells; }

// `own` says whether the next stone is of the colour of `last`, who drops it.
LayerGame game_for(const Board& board, int empty, bool distances, bool own = false,
                   int last = black) {
    const Rules& rules = board.rules();
    LayerKind kind = LayerKind::any;
    if (rules.has_pass())
        kind = rules.own ? LayerKind::own_passing : LayerKind::passing;
    else if (own)
        kind = last == black ? LayerKind::black : LayerKind::white;
    return loops().layers.game(kind, distances && rules.has_pass(), is_whole(board, empty) ? 1 : 2);
}

// Words of a plane that is kept.
u64 kept_words(int bits) { return bits <= 6 ? 1 : u64{1} << (bits - 6); }

// What a sweep needs, by size of sets.
struct Extent {
    int empty;
    LayerGame game;
    u64 symmetries;

    u64 record(int size) const {
        return static_cast<u64>(game.planes) * plane_words(size + game.shift);
    }
    u64 sets(int size) const {
        const u64 all = LayerSets::choose(empty, size);
        return symmetries == 1 ? all : all / symmetries + all / symmetries / 8 + 8;
    }
    u64 kept(int size) const {
        return sets(size) * static_cast<u64>(game.colours) * kept_words(size + game.shift);
    }
    // The words of two layers at a time. Sets of the upper one are given back when those of the
    // lower one that begin alike have been made.
    u64 most() const {
        const int prefix = std::min(prefix_cells, empty), rest = empty - prefix;
        u64 most = record(empty);
        for (int size = empty - 1; size > 0; --size) {
            u64 words = sets(size + 1) * record(size + 1);
            const auto part = [&](int of, u32 first) {
                const int left = of - std::popcount(first);
                if (left < 0 || left > rest) return u64{0};
                return LayerSets::choose(rest, left) * record(of) * sets(of) /
                       LayerSets::choose(empty, of);
            };
            for (u32 first = 0; first < u32{1} << prefix; ++first) {
                words += part(size, first);
                most = std::max(most, words);
                words -= std::min(words, part(size + 1, first));
            }
        }
        return most;
    }
    // Layers of so few stones that they take an eighth of the memory.
    int stones_kept() const {
        const u64 limit = std::max<u64>(most() / 8, u64{1} << 14);
        u64 words = 0;
        int size = 0;
        while (size < empty && (words += kept(size + 1)) <= limit) ++size;
        return std::max(size, std::min(empty, least_kept));
    }
};

Extent extent_of(const Board& board, int empty, bool distances) {
    return {empty, game_for(board, empty, distances),
            is_whole(board, empty) ? board.geometry().symmetries.size() : 1};
}

}  // namespace

bool Layers::can_sweep(const Rules& rules) {
    if (!rules.has_pass()) return rules.least == rules.most;
    const bool is_forced = rules.pass == Pass::forced;
    return rules.has_fewest_groups() && rules.parity == 1 && rules.least == 1 && rules.most == 2 &&
           rules.own == is_forced;
}

u64 Layers::memory(const Board& board, int empty, const LayerOptions& options) {
    if (empty == 0) return 0;
    const Extent extent = extent_of(board, empty, options.distances);
    u64 words = extent.most() + extent.most() / 16;
    for (int size = extent.stones_kept(); size > 0; --size) words += extent.kept(size);
    const auto threads = static_cast<u64>(options.threads);
    if (extent.symmetries > 1)
        words += LayerSets::choose(empty, empty / 2) * 2 + threads * 2 * extent.record(empty);
    u64 groups = LayerPlanes::memory(board.rules(), empty);
    if (board.rules().has_pass()) groups += threads * LayerGroupStack::memory(empty);
    return words * sizeof(u64) + groups;
}

Layers::Layers(const Board& board, const LayerOptions& options)
    : board_(board),
      options_(options),
      empty_(board.state().empty <= most_swept && can_sweep(board.rules())
                 ? board.state().empty
                 : throw std::invalid_argument(
                       "too many empty cells for a sweep, or no game for one")),
      game_(game_for(board, empty_, options.distances)),
      cells_(empty_cells(board)),
      bits_(static_cast<std::size_t>(board.geometry().span)),
      kept_(empty_ ? extent_of(board, empty_, options.distances).stones_kept() : 0),
      values_(static_cast<std::size_t>(kept_) + 1) {
    for (int i = 0; i < empty_; ++i) bits_[cells_[i]] = u32{1} << (empty_ - 1 - i);
}

// -- the sweep -----------------------------------------------------------------------------------

// A thread's memory.
struct Layers::Worker {
    explicit Worker(const LayerPlanes& planes) : stack(planes) {}

    LayerGroupStack stack;
    LayerJob job{};
    std::vector<u64> extra, image;  // planes that other images bring
    u64* record[most_swept];        // by bit of the cell that is added
    u32 symmetry[most_swept];
};

// Gives back what no later set needs of the layer above; shared by the threads.
struct Layers::Progress {
    LayerStore& store;
    const LayerSets& sets;
    const LayerStore::Layer& layer;
    LayerStore::Layer& above;
    int stones;
    std::vector<bool> done;  // by chunk
    Mutex lock{};
    u64 frontier = 0, given = 0;  // chunks, of the layer and of the one above

    // All that follow from the sets before the frontier are needed no more. The last one that needs
    // a set is the one without its lowest bit, or an image of it.
    void finish(u64 chunk) {
        const std::lock_guard held(lock);
        done[chunk] = true;
        while (frontier < done.size() && done[frontier]) ++frontier;
        const bool all = frontier == done.size();
        const u32 reached = all ? 0 : sets.set(stones, frontier << layer.shift);
        for (; given < above.chunks.size(); ++given) {
            const u64 end = std::min((given + 1) << above.shift, above.records);
            const u32 last = sets.set(stones + 1, end - 1);
            if (!all && (last & (last - 1)) >= reached) break;
            store.give(above.chunks[given]);
        }
    }
};

bool Layers::run(const std::function<bool()>& interrupted) {
    const Extent extent = extent_of(board_, empty_, options_.distances);
    if (empty_ == 0) return true;
    if (!planes_.make(board_, options_.threads, interrupted)) return false;
    sets_ =
        std::make_unique<LayerSets>(empty_, extent.symmetries > 1 ? &board_.geometry() : nullptr);
    store_.open(extent.record(empty_), extent.most());
    std::vector<Worker> workers;
    for (int i = 0; i < std::max(1, options_.threads); ++i) workers.emplace_back(planes_);
    for (int stones = empty_; stones > 0; --stones)
        if (!fill_layer(stones, workers, interrupted)) return false;
    above_ = {};
    store_.close();
    return true;
}

bool Layers::fill_layer(int stones, std::vector<Worker>& workers,
                        const std::function<bool()>& interrupted) {
    if (!sets_->open(stones, interrupted)) return false;
    const Extent extent = extent_of(board_, empty_, options_.distances);
    layer_ = store_.layer(sets_->count(stones), extent.record(stones));
    const bool own = stones < rest_of_turn() ? board_.only_own() : board_.rules().own;
    game_ = game_for(board_, empty_, options_.distances, own, player_after(stones));
    Progress progress{store_, *sets_, layer_, above_, stones, {}};
    progress.done.resize(layer_.chunks.size());
    const auto fill = [&](u64 chunk, int thread, const auto& ended) {
        Worker& worker = workers[static_cast<std::size_t>(thread)];
        fill_chunk(stones, chunk, worker, [&] { return ended(thread); });
        progress.finish(chunk);
    };
    if (!share(options_.threads, layer_.chunks.size(), interrupted, fill)) return false;
    if (stones < empty_ && stones + 1 > kept_) sets_->close(stones + 1);
    above_ = std::move(layer_);
    return stones > kept_ || keep(stones, interrupted);
}

template <class Ended>
void Layers::fill_chunk(int stones, u64 chunk, Worker& worker, const Ended& ended) {
    layer_.chunks[chunk] = store_.take();
    const u64 begin = chunk << layer_.shift;
    const u64 end = std::min((chunk + 1) << layer_.shift, layer_.records);
    u64 words = 0;
    u32 set = 0;
    for (u64 rank = begin; rank < end; ++rank) {
        set = rank == begin || sets_->has_images() ? sets_->set(stones, rank)
                                                   : LayerSets::following(set);
        u64* const record = layer_.record(rank);
        fill_record(stones, set, record, worker);
        words += layer_.words * static_cast<u64>(empty_ - stones + 1);
        if (words < poll_words) continue;
        words = 0;
        if (ended()) return;
    }
}

void Layers::fill_record(int stones, u32 set, u64* out, Worker& worker) {
    LayerJob& job = worker.job;
    job.bits = stones + game_.shift;
    job.out = out;
    job.extra = nullptr;
    job.sources.count = 0;
    const bool full = stones == empty_;
    const Rules& rules = board_.rules();
    job.groups = rules.has_pass() ? worker.stack.groups(set) : worker.stack.fillings(stones);
    job.ends = rules.has_pass() ? full && rules.full_ends : ends_turn(stones);
    if (full && !rules.has_pass()) {
        // As if a turn of two stones were over, what has been collected is turned.
        job.ends = player_after(empty_) == black;
        job.extra = planes_.words.data();
    }
    if (!full) find_sources(stones, set, worker);
    game_.settle(job);
}

// The records with one stone more.
void Layers::find_sources(int stones, u32 set, Worker& worker) {
    u64 below[most_swept + 1] = {}, from[most_swept + 1] = {};
    int bit[most_swept];
    int size = 0;
    for (u32 rest = set; rest; rest &= rest - 1) bit[size++] = std::countr_zero(rest);
    for (int i = 0; i < size; ++i) below[i + 1] = below[i] + LayerSets::choose(bit[i], i + 1);
    for (int i = size; i-- > 0;) from[i] = from[i + 1] + LayerSets::choose(bit[i], i + 2);
    LayerSources& sources = worker.job.sources;
    bool turned = false;
    int position = 0;  // cells of the set before
    for (int i = empty_ - 1; i >= 0; --i) {
        if (set >> i & 1) {
            ++position;
            continue;
        }
        const int lower = size - position;
        const u64 rank = below[lower] + LayerSets::choose(i, lower + 1) + from[lower];
        const LayerSets::Place place = sets_->place(stones + 1, rank);
        worker.symmetry[i] = place.symmetry;
        worker.record[i] = above_.record(place.rank);
        turned |= place.symmetry != 0;
        if (place.symmetry) continue;
        sources.record[sources.count] = worker.record[i];
        sources.at[sources.count++] = static_cast<u8>(position + game_.shift);
    }
    if (turned) add_images(set, stones, worker);
}

// Those that are stored as images: collected as they lie there, and turned together.
void Layers::add_images(u32 set, int stones, Worker& worker) {
    const int bits = stones + game_.shift;
    const u64 words = plane_words(bits), all = words * static_cast<u64>(game_.planes);
    worker.extra.assign(all, 0);
    worker.image.resize(all);
    for (u32 symmetry = 1; symmetry < sets_->symmetries(); ++symmetry) {
        LayerSources sources;
        const u32 image = sets_->image(set, symmetry);
        const u64* by_image[most_swept] = {};
        u8 from[most_swept];
        int j = 0;
        for (int i = empty_ - 1; i >= 0; --i) {
            const u32 cell = sets_->image(u32{1} << i, symmetry);
            if (set >> i & 1)
                from[j++] = static_cast<u8>(std::popcount(image & ~(2 * cell - 1)));
            else if (worker.symmetry[i] == symmetry)
                by_image[std::countr_zero(cell)] = worker.record[i];
        }
        for (int i = empty_ - 1; i >= 0; --i)
            if (by_image[i]) {
                sources.record[sources.count] = by_image[i];
                sources.at[sources.count++] =
                    static_cast<u8>(std::popcount(image >> i) + game_.shift);
            }
        if (!sources.count) continue;
        game_.gather(sources, bits, worker.image.data());
        loops().layers.permute(worker.image.data(), static_cast<u64>(game_.planes), bits,
                               game_.shift, from);
        game_.join(worker.extra.data(), worker.image.data(), all / 4);
    }
    worker.job.extra = worker.extra.data();
}

// Copy the first plane of each colour.
bool Layers::keep(int stones, const std::function<bool()>& interrupted) {
    const u64 words = kept_words(stones + game_.shift);
    const auto planes = static_cast<u64>(game_.planes), colours = static_cast<u64>(game_.colours);
    auto& values = values_[stones];
    reserve_large(values, above_.records * colours * words);
    for (u64 rank = 0; rank < above_.records; ++rank) {
        if (rank % polled_copies == 0 && interrupted && interrupted()) return false;
        for (u64 colour = 0; colour < colours; ++colour) {
            const u64* const from = above_.record(rank) + 4 * (colour * planes / colours);
            for (u64 i = 0; i < words; ++i) values.push_back(from[4 * planes * (i / 4) + i % 4]);
        }
    }
    return true;
}

const u64* Layers::values(int stones, u64 rank, int player) const {
    const auto colours = static_cast<u64>(game_.colours);
    const u64 column = rank * colours + (colours == 2 ? static_cast<u64>(player) : 0);
    return values_[stones].data() + column * kept_words(stones + game_.shift);
}

// -- values ----------------------------------------------------------------------------------------

u8 Layers::read(const u64* plane, u64 index) const {
    if (game_.shift) return static_cast<u8>(plane[index / 8] >> index % 8 * 8);
    return plane[index / 64] >> index % 64 & 1 ? win_now : loss_now;
}

bool Layers::wins() const { return is_won(value_of(board_)); }

// The stones that are left of the turn in progress, or of the first one.
int Layers::rest_of_turn() const { return (board_.must_drop_two() ? 2 : 1) - board_.is_pending(); }

bool Layers::ends_turn(int stones) const {
    const int later = stones - rest_of_turn();
    return later >= 0 && later % board_.rules().most == 0;
}

int Layers::player_after(int stones) const {
    const int later = stones - rest_of_turn();
    return board_.player() ^ (later < 0 ? 0 : (1 + later / board_.rules().most) & 1);
}

u32 Layers::cells_of(const Board& board, int colour) const {
    u32 set = 0;
    for (const u16 cell : cells_)
        if (board.colour_at(cell) == colour) set |= bits_[cell];
    return set;
}

bool Layers::begins_at(const Board& board) const {
    const Geometry& g = board_.geometry();
    const auto same = [&](u16 at) { return board.colour_at(at) == board_.colour_at(at); };
    return &board.geometry() == &g && board.rules() == board_.rules() &&
           board.player() == board_.player() && board.is_pending() == board_.is_pending() &&
           board.state().passes == board_.state().passes &&
           std::all_of(g.index.begin(), g.index.begin() + g.cells, same);
}

bool Layers::follows(const Board& board) const {
    const Geometry& g = board_.geometry();
    if (&board.geometry() != &g || board.is_pending()) return false;
    Rules rules = board.rules();
    rules.pie = board_.rules().pie;
    if (rules != board_.rules()) return false;
    for (int cell = 0; cell < g.cells; ++cell) {
        const int at = g.index[cell];
        if (!bits_[at] && board.colour_at(at) != board_.colour_at(at)) return false;
    }
    return rules.has_pass() || board.player() == player_after(empty_ - board.state().empty);
}

bool Layers::covers(const Board& board) const {
    const int later = empty_ - board.state().empty + (board.may_drop_two() ? 2 : 1);
    return (kept_ == empty_ || later <= kept_) && follows(board);
}

// What a turn of `player` is worth that ends with a filling.
u8 Layers::landing(u32 set, u32 blacks, int player) const {
    const LayerSets::Place place = sets_->place(set);
    if (game_.colours == 1 && board_.rules().has_pass() && player == white) blacks ^= set;
    return read(values(std::popcount(set), place.rank, player),
                sets_->index(set, blacks, place.symmetry));
}

// Of a position for the player on turn, also in the middle of a turn or at the end of the game.
u8 Layers::value_of(const Board& board) const {
    if (board.is_over()) return board.score().winner == board.player() ? won_before : lost_before;
    return best(board).second;
}

std::pair<Turn, u8> Layers::best(const Board& board) const {
    std::pair<Turn, u8> best{{}, u8{0}};
    for (const auto& found : values_of(board))
        if (found.second >= best.second) best = found;
    return best;
}

// Of a half turn without a stone, for the player who takes it.
u8 Layers::value_of_step(const Board& board, Step step) const {
    Board after = board;
    after.play({step, {}});
    return before(value_of(after));
}

std::vector<std::pair<Turn, u8>> Layers::values_of(const Board& board) const {
    std::vector<std::pair<Turn, u8>> list;
    const u32 blacks = cells_of(board, black), set = blacks | cells_of(board, white);
    const auto add = [&](const Turn& turn) {
        u32 bits[2] = {0, 0};
        for (int i = 0; i < turn.stones; ++i) bits[turn.stone[i].colour] |= bits_[turn.stone[i].at];
        list.emplace_back(
            turn, landing(set | bits[black] | bits[white], blacks | bits[black], board.player()));
    };
    const auto add_step = [&](Step step) {
        list.emplace_back(Turn{step, 0, {}}, value_of_step(board, step));
    };
    if (board.is_pending()) {
        for (const Move& move : legal_moves(board))
            move.step == Step::stone ? add({Step::stone, 1, {move.stone, {}}})
                                     : add_step(move.step);
        return list;
    }
    DropCursor drops(board);
    for (Turn turn; drops.next(turn);) add(turn);
    if (Drops(board).pass_legal()) add_step(Step::pass);
    return list;
}

std::vector<TurnValue> Layers::turns(const Board& board) const {
    const Rules& rules = board.rules();
    const int empty = board.state().empty;
    std::vector<TurnValue> list;
    for (const auto& [turn, value] : values_of(board)) {
        int distance = 1 + (empty - (board.must_drop_two() ? 2 : 1)) / rules.most;
        if (rules.has_pass()) distance = !game_.shift ? 0 : is_won(value) ? 255 - value : value;
        list.push_back({turn, is_won(value), distance});
    }
    return list;
}

}  // namespace yoddd
