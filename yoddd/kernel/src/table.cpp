#include "table.hpp"

#include <algorithm>
#include <stdexcept>

namespace yoddd {
namespace {

Board begun_by(const Board& empty, int player) {
    Board board = empty;
    board.set_up(std::vector<int>(static_cast<std::size_t>(empty.geometry().cells), none), player,
                 0, 2);
    return board;
}

}  // namespace

Table::Table(const Board& empty, int stones, bool distances, int threads)
    : board_(empty), stones_(stones) {
    if (empty.geometry().cells > most_swept)
        throw std::invalid_argument("a table holds boards of at most 25 cells");
    options_ = {distances, stones, threads, true};
    const bool both = empty.rules().game == Game::odd;
    for (const int player : {black, white})
        if (player == black || both)
            runs_.push_back(std::make_unique<Layers>(begun_by(empty, player), options_));
}

u64 Table::memory() const {
    // Of two sweeps, one after the other, the first one's values are kept meanwhile.
    const int cells = board_.geometry().cells;
    const u64 memory = Layers::memory(board_, cells, options_);
    u64 places = 0;  // and some more for the sets that a symmetry maps onto themselves
    for (int size = 1; size <= stones_; ++size) places += LayerSets::choose(cells, size) << size;
    places = places / board_.geometry().symmetries.size() * 9 / 8;
    // The sections as they are handed out: bits, and bytes of distances.
    const u64 sections = options_.distances ? places + places / 8 : places / 8;
    return planes() == 1 ? memory + 2 * sections : memory + memory / 4 + 2 * sections;
}

bool Table::sweep(const std::function<bool()>& interrupted) {
    return std::all_of(runs_.begin(), runs_.end(),
                       [&](const auto& run) { return run->run(interrupted); });
}

double Table::done() const {
    double sum = 0;
    for (const auto& run : runs_) sum += run->done();
    return sum / planes();
}

std::vector<u32> Table::sets() const {
    const LayerSets& sets = runs_[0]->sets();
    std::vector<u32> list;
    for (int size = 1; size <= stones_; ++size)
        for (u64 rank = 0; rank < sets.count(size); ++rank) list.push_back(sets.set(size, rank));
    return list;
}

// Call `visit` with the value of each place for the player on turn, as a byte, or 0 where no turn
// can end.
template <class Visit>
void Table::visit(int plane, const Visit& visit) const {
    const Rules& rules = board_.rules();
    for (int size = 1; size <= stones_; ++size) {
        // Of a sweep that Black begins it is White's turn after an odd number of stones in games
        // of one stone a turn; so the other one has the other player on turn.
        const Layers& first = *runs_[0];
        const bool whites = rules.odd_total() || first.player_after(size) == white;
        const bool fits = rules.game != Game::odd || whites == (plane == 0);
        const Layers& run = fits ? first : *runs_[1];
        const u64 turned = whites || rules.game == Game::odd ? 0 : (u64{1} << size) - 1;
        for (u64 rank = 0; rank < run.sets().count(size); ++rank)
            for (u64 index = 0; index < u64{1} << size; ++index)
                visit(run.value_for_next(size, rank, index ^ turned));
    }
}

// Where there is no position the value before is repeated, since runs compress well.
std::vector<u8> Table::won(int plane) const {
    std::vector<u8> bits;
    u64 at = 0;
    bool won = false;
    visit(plane, [&](u8 value) {
        if (value) won = is_won(value);
        if (at % 8 == 0) bits.push_back(0);
        bits.back() |= static_cast<u8>(won << at++ % 8);
    });
    return bits;
}

std::vector<u8> Table::turns(int plane) const {
    std::vector<u8> found;
    u8 turns = 0;
    visit(plane, [&](u8 value) {
        if (value) turns = is_won(value) ? static_cast<u8>(255 - value) : value;
        found.push_back(turns);
    });
    return found;
}

}  // namespace yoddd
