/* The kernel of yoddd for other languages: rules, playouts and the tree search of its engine.
 *
 * Cells are numbered as in docs/reference/notation.md, from the bottom row up and from left to
 * right. A colour is 0 for black and 1 for white, -1 stands for none. A move is half a turn:
 * colour * cells + cell for a stone, then one number each for the end of a turn (2 * cells), a pass
 * and a swap. A turn is written as its stones, one or two moves, or as a pass or a swap alone.
 *
 * What makes something returns NULL where it cannot, what returns int returns -1; yoddd_error then
 * tells why. Nothing here may be used by two threads at once. In WebAssembly nothing starts threads
 * and memory that runs out ends the program by a trap; see yoddd_search_new.
 */
#ifndef YODDD_H
#define YODDD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The reason of the last failure: one sentence, valid until the next call. */
const char* yoddd_error(void);

/* Memory for arguments, for hosts that have no other way to it. */
void* yoddd_allocate(size_t bytes);
void yoddd_release(void* memory);

/* -- boards ----------------------------------------------------------------------------------- */

typedef struct yoddd_board yoddd_board;

enum yoddd_shape { YODDD_HEX, YODDD_SQUARE };
enum yoddd_game { YODDD_YODD, YODDD_XODD, YODDD_ODD, YODDD_YOIN, YODDD_PRODUCT };
enum yoddd_tie { YODDD_TIE_STONES, YODDD_TIE_BLACK, YODDD_TIE_WHITE };

/* The options of a game; those that it does not have are not looked at. */
enum yoddd_option {
    YODDD_END_ON_FULL = 1,
    YODDD_OWN_COLOUR = 2,
    YODDD_PIE = 4,
    YODDD_ONE_GROUP = 8
};

/* An empty board, Black to play turn 1. `options` is a sum of yoddd_option. */
yoddd_board* yoddd_board_new(int shape, int size, int game, int options, int min_group, int tie);
void yoddd_board_free(yoddd_board* board);

/* Any content, a colour or -1 for each cell; whether a game can reach it is not checked. */
int yoddd_set_up(yoddd_board* board, const int8_t* cells, int player, int passes, uint32_t number);

int yoddd_cells(const yoddd_board* board);      /* how many */
int yoddd_player(const yoddd_board* board);     /* the colour on turn */
int yoddd_is_over(const yoddd_board* board);    /* 1 or 0 */
int yoddd_is_pending(const yoddd_board* board); /* 1 in the middle of a turn, else 0 */
uint64_t yoddd_hash(const yoddd_board* board);
/* Write the colour of each cell. */
void yoddd_contents(const yoddd_board* board, int8_t* cells);
/* Write for each cell the number of its group, -1 if it is empty; black groups come first, and each
 * colour's are ordered by their lowest cells. Returns how many there are, and how many are black. */
int yoddd_groups(const yoddd_board* board, int16_t* group_of, int32_t* black);
/* Who has won if the game ends here, and by how much. Returns the colour, or -1 for a tie. */
int yoddd_score(const yoddd_board* board, int32_t* score);

/* Play a legal half turn. Only the cell's being empty is checked. */
int yoddd_play(yoddd_board* board, int move);
/* Take half a turn back. */
int yoddd_undo(yoddd_board* board);

/* Write the legal half turns, at most `room`; returns how many there are. */
int yoddd_moves(const yoddd_board* board, int32_t* moves, int room);
/* Whether a turn of `count` moves is legal, between turns: 1 or 0. */
int yoddd_is_legal(const yoddd_board* board, const int32_t* moves, int count);
/* Whether some legal turn drops a stone, between turns: 1 or 0. */
int yoddd_is_completable(const yoddd_board* board, int move);
/* Legal turns, those that are no drops included. */
uint64_t yoddd_count_turns(const yoddd_board* board);
/* Sequences of `depth` legal turns. */
uint64_t yoddd_perft(const yoddd_board* board, int depth);

/* The legal drops, one after the other in canonical order: between turns. */
typedef struct yoddd_drops yoddd_drops;
yoddd_drops* yoddd_drops_new(const yoddd_board* board);
/* Write up to `turns` turns, two moves each, the second -1 in a turn of one stone; returns how many,
 * 0 at the end. */
int yoddd_drops_next(yoddd_drops* drops, int32_t* moves, int turns);
void yoddd_drops_free(yoddd_drops* drops);

/* -- what is learned and drawn ---------------------------------------------------------------- */

/* Write for each legal half turn the logarithm of its probability over that of the likeliest one.
 * `weights` are those of the board's learned value: (cells + 1) * 11 numbers. Returns how many half
 * turns there are; room for 2 * cells + 3 is enough. */
int yoddd_policy(const yoddd_board* board, const float* weights, size_t count, int32_t* moves,
                 float* logs);

typedef struct {
    uint64_t playouts;
    uint64_t black_wins;
    uint64_t stones; /* dropped in all of them */
} yoddd_playouts_result;

/* Random games from here to the end; the same numbers give the same games anywhere. */
int yoddd_playouts(const yoddd_board* board, uint64_t count, uint64_t seed, uint64_t first,
                   yoddd_playouts_result* result);

/* -- the tree search -------------------------------------------------------------------------- */

typedef struct yoddd_search yoddd_search;

typedef struct {
    uint64_t playouts; /* of the last run */
    uint64_t visits;   /* of the position, those from before its last turn included */
    uint64_t nodes;    /* in memory */
    double winrate;    /* 0 to 1 for the player */
    double margin;     /* expected, for the player */
    double spread;     /* standard deviation of the margin */
    int32_t proven;    /* the colour that wins for certain, or -1 */
} yoddd_stats;

typedef struct {
    int32_t move;
    int32_t proven; /* as above, after the move */
    uint64_t visits;
    double value; /* 0 to 1 for the player; so are the next ones */
    double margin;
    double spread;
    double lent; /* the value by the statistics of the move's stone alone */
} yoddd_report;

/* A tree at a position, between turns. With one thread the same seed makes the same tree.
 * `weights` may be NULL for none; `memory` is in bytes. */
yoddd_search* yoddd_search_new(const yoddd_board* board, const float* weights, size_t count,
                               uint64_t memory, int threads, uint64_t seed);
void yoddd_search_free(yoddd_search* search);

/* Of how many visits the next runs are going to be. */
void yoddd_expect(yoddd_search* search, uint64_t visits);
/* Search on until so many playouts of this run, visits of the position or seconds (0: no limit) or a
 * proof. Returns 1 if there is a proof, else 0. */
int yoddd_run(yoddd_search* search, uint64_t playouts, uint64_t visits, double seconds);
void yoddd_search_stats(const yoddd_search* search, yoddd_stats* stats);
/* Write the best turn so far with its end, two moves at most; returns how many. */
int yoddd_best_turn(const yoddd_search* search, int32_t* moves);
/* Write the most visited half turns after `count` moves of a turn, at most `room`; returns how many. */
int yoddd_report_moves(const yoddd_search* search, const int32_t* after, int count,
                       yoddd_report* reports, int room);
/* Write the line that begins with `count` moves, at most `room`; returns how many moves it has. */
int yoddd_line(const yoddd_search* search, const int32_t* after, int count, int32_t* moves,
               int room);
/* Write for each cell the mean colour at the end of playouts: 1 for black, -1 for white. */
void yoddd_ownership(const yoddd_search* search, double* cells);
/* A legal turn was played: move the tree along. With no moves it makes room in a full tree. */
int yoddd_advance(yoddd_search* search, const int32_t* moves, int count);

/* -- perfect play ----------------------------------------------------------------------------- */

typedef struct yoddd_sweep yoddd_sweep;

typedef struct {
    int32_t moves[2]; /* the second is -1 in a turn of one stone, a pass and a swap */
    int32_t wins;     /* 1 if the player who takes it wins by best play of both, else 0 */
    int32_t distance; /* turns to the end by best play, this one included; 0 if it is not known */
} yoddd_value;

/* The bytes that a sweep takes with so many empty cells at most; 0 if there are too many. */
uint64_t yoddd_sweep_memory(const yoddd_board* board, int empty, int distances);
/* Find out who wins every position that can follow, and with `distances` in how many turns. Takes
 * so many seconds at most (0: no limit); NULL if that was too short. */
yoddd_sweep* yoddd_sweep_new(const yoddd_board* board, int distances, int threads, double seconds);
void yoddd_sweep_free(yoddd_sweep* sweep);
/* Whether the player on turn wins by best play: 1 or 0. */
int yoddd_sweep_wins(const yoddd_sweep* sweep);
/* Whether a position can follow from that of the sweep: 1 or 0. */
int yoddd_sweep_follows(const yoddd_sweep* sweep, const yoddd_board* board);
/* Whether the values of its turns are kept, which are those of few stones more: 1 or 0. */
int yoddd_sweep_covers(const yoddd_sweep* sweep, const yoddd_board* board);
/* Write the values of the legal turns of a position that is covered, a swap's left out, at most
 * `room` of them; returns how many there are. */
int yoddd_sweep_turns(const yoddd_sweep* sweep, const yoddd_board* board, yoddd_value* values,
                      int room);

/* Search a proof of who wins, between turns, with limits of nodes (0: none), seconds (0: none) and
 * bytes. Returns the colour, or -1 if the limits were reached before; `moves` are two moves as of a
 * value: the first turn of best play. */
int yoddd_solve(const yoddd_board* board, uint64_t nodes, double seconds, uint64_t memory,
                int threads, int32_t* moves);

#ifdef __cplusplus
}
#endif

#endif
