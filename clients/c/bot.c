/* Plays Yodd, Xodd, Odd, Yoin and Product, legally and at random. C99, standard library only.
 *
 *     cc -O2 -o bot bot.c
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_LIMIT = 16384, MAX_WORDS = 16, MAX_CELLS = 625 };
enum game { YODD, XODD, ODD, YOIN, PRODUCT, GAMES_KNOWN };

static const char *const GAMES[] = {"yodd", "xodd", "odd", "yoin", "product"};
static const char *const BOARDS[] = {"hex8", "square12", "hex5", "hex8", "hex5"};
static const char *const SYNTAX = "? syntax error";

static enum game game = YODD;
static int is_hex = 1, own_colour, turns;
static int cells, beside[MAX_CELLS][6], sides[MAX_CELLS];
static char names[MAX_CELLS][4], stones[MAX_CELLS]; /* 0, '1' or '2' */

static int is(const char *word, const char *other) { return !strcmp(word, other); }

/* ---- the board ---------------------------------------------------------------------------- */

static void clear(void)
{
    memset(stones, 0, sizeof stones);
    turns = 0;
}

static const char *set_up(int hex, const char *digits)
{
    static int xs[MAX_CELLS], ys[MAX_CELLS];
    int size = atoi(digits), low = hex ? 1 - size : 0, x, y, a, b;
    if (size < 2 || size > (hex ? 13 : 25))
        return "? unacceptable size";
    is_hex = hex;
    cells = 0;
    for (y = low; y < size; y++) {
        int number = 0;
        for (x = low; x < size; x++)
            if (!hex || abs(x + y) < size) {
                sprintf(names[cells], "%c%d", 'a' + y - low, ++number);
                xs[cells] = x;
                ys[cells++] = y;
            }
    }
    for (a = 0; a < cells; a++)
        for (sides[a] = b = 0; b < cells; b++) {
            x = xs[a] - xs[b];
            y = ys[a] - ys[b];
            if (x * x + y * y + hex * x * y == 1)
                beside[a][sides[a]++] = b;
        }
    clear();
    return "=";
}

/* A stone is 2 * cell + (colour - '1'). */
static void drop(int stone) { stones[stone / 2] = (char)('1' + stone % 2); }

static int is_odd(void) /* the number of groups */
{
    int stack[MAX_CELLS], odd = 0, start, depth, i;
    char seen[MAX_CELLS] = {0};
    for (start = 0; start < cells; start++) {
        if (!stones[start] || seen[start])
            continue;
        odd = !odd;
        seen[start] = 1;
        stack[0] = start;
        for (depth = 1; depth > 0;) {
            int here = stack[--depth];
            for (i = 0; i < sides[here]; i++) {
                int there = beside[here][i];
                if (!seen[there] && stones[there] == stones[here]) {
                    seen[there] = 1;
                    stack[depth++] = there;
                }
            }
        }
    }
    return odd;
}

static int is_odd_with(int first, int second)
{
    int odd;
    drop(first);
    drop(second);
    odd = is_odd();
    stones[first / 2] = stones[second / 2] = 0;
    return odd;
}

/* ---- turns -------------------------------------------------------------------------------- */

static const char *play(char colour, const char *turn)
{
    char after[MAX_CELLS], rest[LINE_LIMIT + 1], *stone = NULL;
    memcpy(after, stones, sizeof after);
    strcpy(rest, turn);
    if (!is(turn, "pass") && !is(turn, "swap") && !is(turn, "resign"))
        stone = rest;
    while (stone) {
        char dropped = *stone == '1' || *stone == '2' ? *stone++ : colour, *end = strchr(stone, ',');
        int cell = 0;
        if (end)
            *end++ = 0;
        while (cell < cells && !is(names[cell], stone))
            cell++;
        if (cell == cells || after[cell])
            return SYNTAX;
        after[cell] = dropped;
        stone = end;
    }
    memcpy(stones, after, sizeof after);
    turns++;
    return "=";
}

static char *spell(char *out, int stone)
{
    return out + sprintf(out, "%s%s", game == YOIN ? "" : stone % 2 ? "2" : "1", names[stone / 2]);
}

/* Write a legal turn of a colour. */
static void choose(char colour, char *out)
{
    int list[2 * MAX_CELLS], count = 0, i, j;
    int parity = game == YODD || game == XODD, may_pass = parity && is_odd();
    int has_second = turns && game != ODD && game != YOIN;
    for (i = 0; i < 2 * cells; i++) /* insert each stone at a place of chance */
        if (!stones[i / 2] && (!own_colour || '1' + i % 2 == colour)) {
            j = rand() % (count + 1);
            list[count++] = list[j];
            list[j] = i;
        }
    for (i = 0; i < count && (!may_pass || own_colour || rand() % 10); i++) {
        int first = list[i], is_whole = parity ? is_odd_with(first, first) : !has_second;
        for (j = 0; has_second && !is_whole && j < count; j++)
            if (list[j] / 2 != first / 2 && (!parity || is_odd_with(first, list[j]))) {
                out = spell(out, list[j]);
                *out++ = ',';
                is_whole = 1;
            }
        if (is_whole || !parity) {
            spell(out, first);
            return;
        }
    }
    strcpy(out, may_pass ? "pass" : "resign");
}

/* ---- requests ----------------------------------------------------------------------------- */

static const char *set_game(char **words)
{
    int chosen = 0, hex;
    const char *board = *++words, *result;
    while (chosen < GAMES_KNOWN && !is(GAMES[chosen], words[-1]))
        chosen++;
    if (chosen == GAMES_KNOWN)
        return "? syntax error: no such game";
    if (!*board || strchr(board, '='))
        board = BOARDS[chosen];
    hex = !strncmp(board, "hex", 3);
    if (!hex && strncmp(board, "square", 6))
        return "? syntax error: no such board";
    board += hex ? 3 : 6;
    result = set_up(hex, board + (*board == '-'));
    if (*result == '=') {
        game = (enum game)chosen;
        for (own_colour = game == YOIN; **words; words++)
            own_colour |= is(*words, "own_colour=on");
    }
    return result;
}

/* The sign and the text of the reply; words that are missing are empty. */
static const char *answer(const char *command, char **words)
{
    static char turn[16] = "= ";
    char colour = is(*words, "b") || is(*words, "black")   ? '1'
                  : is(*words, "w") || is(*words, "white") ? '2'
                                                           : 0;
    if (is(command, "protocol_version"))
        return "= 2";
    if (is(command, "name"))
        return "= C bot";
    if (is(command, "version"))
        return "= 1.0";
    if (is(command, "list_commands"))
        return "= boardsize\nclear_board\ngame\ngenmove\nlist_commands\nname\nplay\n"
               "protocol_version\nquit\nset_param\nversion";
    if (is(command, "game"))
        return set_game(words);
    if (is(command, "boardsize"))
        return isdigit((unsigned char)**words) ? set_up(is_hex, *words) : SYNTAX;
    if (is(command, "play"))
        return colour ? play(colour, words[1]) : SYNTAX;
    if (is(command, "genmove") && colour) {
        choose(colour, turn + 2);
        play(colour, turn + 2);
        return turn;
    }
    if (is(command, "set_param") && is(*words, "seed"))
        srand((unsigned)strtoul(words[1], NULL, 10));
    else if (is(command, "genmove") || is(command, "set_param"))
        return SYNTAX;
    else if (is(command, "clear_board"))
        clear();
    else if (!is(command, "quit"))
        return "? unknown command";
    return "=";
}

/* Read a line without its LF, control characters and comment, in lower case; 0 at the end. */
static int read_line(char *line)
{
    int length = 0, c;
    while ((c = getchar()) != '\n' && c != EOF) {
        c = c == '\t' ? ' ' : tolower(c);
        if (length < LINE_LIMIT && c >= ' ' && c != 127)
            line[length++] = (char)c;
    }
    line[length] = 0;
    line[strcspn(line, "#")] = 0;
    return c == '\n';
}

int main(void)
{
    static char line[LINE_LIMIT + 1], none[1];
    char *words[MAX_WORDS + 1] = {none}, *word; /* the id, the command and its arguments */
    set_up(1, "8");
    do {
        int count = 1, i;
        if (!read_line(line))
            break; /* an unfinished line is no request */
        for (i = 0; i <= MAX_WORDS; i++)
            words[i] = none;
        for (word = strtok(line, " "); word; word = strtok(NULL, " "))
            if (count == 1 && !*words[0] && !word[strspn(word, "0123456789")])
                words[0] = word;
            else if (count < MAX_WORDS)
                words[count++] = word;
        if (*words[0] || count > 1) {
            const char *reply = answer(words[1], words + 2);
            printf("%c%s%s\n\n", *reply, words[0], reply[1] ? reply + 1 : " ");
            fflush(stdout);
        }
    } while (!is(words[1], "quit"));
    return 0;
}
