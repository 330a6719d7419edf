#include "games.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>

#include "legality.hpp"

namespace yoddd {
namespace {

enum Plane {
    on_board,
    stones_of_black,
    stones_of_white,
    pending_stone,
    black_moves,
    passed,
    planes
};

const Board& first_of(const std::vector<Board>& starts) {
    if (starts.empty()) throw std::invalid_argument("at least one start is needed");
    return starts.front();
}

// Of n legal actions that one whose place is n times the draw; 0 if there are none.
std::int64_t nth_legal(const std::int8_t* mask, int actions, double draw) {
    const int legal = std::accumulate(mask, mask + actions, 0);
    auto before = static_cast<int>(draw * legal);
    int at = 0;
    for (u64 word = 0; at + 8 <= actions; at += 8) {
        std::memcpy(&word, mask + at, sizeof word);
        if (std::popcount(word) > before) break;
        before -= std::popcount(word);
    }
    while (legal && (!mask[at] || before-- > 0)) ++at;
    return legal ? at : 0;
}

constexpr std::int8_t terminal = -4;  // the player on turn of a game that has ended
constexpr std::int64_t stay = -1;     // the action that leaves a game as it is

}  // namespace

Games::Games(std::vector<Board> starts, int count, std::vector<int> places, int side, int threads,
             bool restarts)
    : starts_(std::move(starts)),
      places_(std::move(places)),
      side_(side),
      actions_(2 * first_of(starts_).geometry().cells + 2 + starts_.front().rules().pie),
      restarts_(restarts),
      crew_(threads) {
    if (count < 1) throw std::invalid_argument("at least one game is needed");
    if (threads < 1) throw std::invalid_argument("at least one thread is needed");
    const auto fits = [side](int place) { return 0 <= place && place < side * side; };
    if (static_cast<int>(places_.size()) != starts_.front().geometry().cells ||
        !std::all_of(places_.begin(), places_.end(), fits))
        throw std::invalid_argument("the places do not fit the board");
    games_.assign(static_cast<std::size_t>(count), Seat{starts_.front(), false, false, false});
    masks_.resize(games_.size() * static_cast<std::size_t>(actions_));
    reset(nullptr);
}

Games::Games(const Games& other, const std::lock_guard<std::mutex>&)
    : starts_(other.starts_),
      places_(other.places_),
      side_(other.side_),
      actions_(other.actions_),
      restarts_(other.restarts_),
      games_(other.games_),
      masks_(other.masks_),
      crew_(other.crew_.threads()) {}

// Calls work(index) for every game, on all threads.
template <class Work>
void Games::for_each(Work work) {
    crew_.share(count(), [&](int begin, int end) {
        for (int index = begin; index < end; ++index) work(index);
    });
}

void Games::reset(const std::uint8_t* which) {
    const std::lock_guard lock(busy_);
    for_each([&](int index) {
        if (which == nullptr || which[index]) begin(index);
    });
}

void Games::begin(int index) {
    Seat& seat = games_[index];
    seat.board = starts_[index % starts_.size()];
    seat.swapped = seat.over = false;
    seat.passed = seat.board.state().passes == 1;
    mark(index);
}

void Games::mark(int index) {
    if (games_[index].over)
        std::fill_n(mask(index), actions_, std::int8_t{0});
    else
        mark_legal(games_[index].board, mask(index));
}

Move Games::move_of(int action) const {
    const Geometry& g = starts_.front().geometry();
    if (action >= 2 * g.cells) return {static_cast<Step>(action - 2 * g.cells + 1), {}};
    return {Step::stone, {g.index[action % g.cells], static_cast<u16>(action / g.cells)}};
}

// True if the game has ended.
bool Games::apply(Seat& seat, int action) const {
    const Move move = move_of(action);
    const bool only_one = !seat.board.may_drop_two();
    seat.board.play(move);
    if (seat.board.is_pending() && only_one) seat.board.play({Step::end, {}});
    seat.swapped |= move.step == Step::swap;
    if (!seat.board.is_pending()) seat.passed = seat.board.state().passes == 1;
    return seat.board.is_over();
}

void Games::step(const std::int64_t* actions, float* rewards, std::uint8_t* done) {
    const std::lock_guard lock(busy_);
    const auto refused = [&](int i) {
        const std::int64_t action = actions[i];
        const bool legal = 0 <= action && action < actions_ && mask(i)[action];
        return !legal && action != stay && !games_[i].over;
    };
    for (int i = 0; i < count(); ++i)
        if (refused(i))
            throw std::invalid_argument("action " + std::to_string(actions[i]) +
                                        " is not legal in game " + std::to_string(i));
    for_each([&](int i) {
        Seat& seat = games_[i];
        rewards[2 * i] = rewards[2 * i + 1] = 0;
        done[i] = seat.over;
        if (seat.over || actions[i] == stay) return;
        if (!apply(seat, static_cast<int>(actions[i]))) {
            mark_legal(seat.board, mask(i));
            return;
        }
        done[i] = 1;
        const int winner = seat.board.score().winner ^ static_cast<int>(seat.swapped);
        rewards[2 * i + winner] = 1;
        rewards[2 * i + 1 - winner] = -1;
        if (restarts_) {
            begin(i);
            return;
        }
        seat.over = true;
        mark(i);
    });
}

void Games::masks(std::int8_t* out) {
    const std::lock_guard lock(busy_);
    std::copy(masks_.begin(), masks_.end(), out);
}

void Games::choose(const double* draws, std::int64_t* out) {
    const std::lock_guard lock(busy_);
    for (int i = 0; i < count(); ++i)
        if (!(draws[i] >= 0 && draws[i] < 1))
            throw std::invalid_argument("draw " + std::to_string(i) + " is not in [0, 1)");
    for_each([&](int i) { out[i] = nth_legal(mask(i), actions_, draws[i]); });
}

void Games::players(std::int8_t* out) {
    const std::lock_guard lock(busy_);
    for (int i = 0; i < count(); ++i)
        out[i] = games_[i].over ? terminal
                                : static_cast<std::int8_t>(games_[i].board.player() ^
                                                           static_cast<int>(games_[i].swapped));
}

void Games::observe(std::int8_t* out) {
    const std::lock_guard lock(busy_);
    for_each([&](int i) { observe(games_[i], out + i64{i} * planes * side_ * side_); });
}

void Games::observe(const Seat& seat, std::int8_t* out) const {
    const Geometry& g = starts_.front().geometry();
    const Board& board = seat.board;
    const int area = side_ * side_;
    std::fill_n(out, planes * area, std::int8_t{0});
    for (int cell = 0; cell < g.cells; ++cell) {
        const int place = places_[cell];
        out[on_board * area + place] = 1;
        const int colour = board.colour_at(g.index[cell]);
        if (colour != none) out[(stones_of_black + colour) * area + place] = 1;
    }
    if (board.is_pending()) out[pending_stone * area + places_[g.cell[board.pending().at]]] = 1;
    if (board.player() == black) std::fill_n(out + black_moves * area, area, std::int8_t{1});
    if (seat.passed) std::fill_n(out + passed * area, area, std::int8_t{1});
}

std::vector<Games::Saved> Games::save() const {
    const std::lock_guard lock(busy_);
    std::vector<Saved> saved;
    for (const Seat& seat : games_) {
        const Board& board = seat.board;
        const Geometry& g = board.geometry();
        Saved game{{}, board.player(), board.state().passes, board.state().number,
                   -1, seat.swapped,   seat.passed};
        for (int cell = 0; cell < g.cells; ++cell)
            game.cells.push_back(board.colour_at(g.index[cell]));
        if (board.is_pending()) {
            const int cell = g.cell[board.pending().at];
            game.cells[cell] = none;
            game.first = board.pending().colour * g.cells + cell;
        }
        saved.push_back(std::move(game));
    }
    return saved;
}

Games::Seat Games::seat_of(const Saved& saved) const {
    const auto colour = [](int value) { return none <= value && value <= white; };
    const int stones = 2 * starts_.front().geometry().cells;
    if (!std::all_of(saved.cells.begin(), saved.cells.end(), colour) ||
        (saved.player != black && saved.player != white) || saved.passes < 0 || saved.passes > 2 ||
        saved.first < -1 || saved.first >= stones)
        throw std::invalid_argument("a saved game is malformed");
    Seat seat{starts_.front(), saved.swapped, saved.passed, false};
    seat.board.set_up(saved.cells, saved.player, saved.passes, saved.number);
    seat.over = seat.board.is_over();
    if (saved.first < 0) return seat;
    const Move move = move_of(saved.first);
    if (!seat.board.is_empty(move.stone.at))
        throw std::invalid_argument("the first stone of a saved game is on another one");
    seat.board.play(move);
    return seat;
}

void Games::load(const std::vector<Saved>& saved) {
    const std::lock_guard lock(busy_);
    if (saved.size() != games_.size())
        throw std::invalid_argument("more or fewer saved games than games");
    std::vector<Seat> seats;
    for (const Saved& game : saved) seats.push_back(seat_of(game));
    games_ = std::move(seats);
    for_each([&](int index) { mark(index); });
}

}  // namespace yoddd
