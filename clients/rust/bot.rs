//! Plays Yodd, Xodd, Odd, Yoin and Product, legally and at random. The standard library only.
//!
//!     rustc -O -o bot bot.rs

use std::collections::HashMap;
use std::io::{self, BufRead, Write};

const COMMANDS: [&str; 12] = [
    "boardsize",
    "clear_board",
    "game",
    "genmove",
    "known_command",
    "list_commands",
    "name",
    "play",
    "protocol_version",
    "quit",
    "set_param",
    "version",
];

/// The text of a reply, or of a refusal.
type Answer = Result<String, String>;

/// A colour (`1` or `2`) on a cell.
type Stone = (u8, usize);

fn refuse<T>(text: &str) -> Result<T, String> {
    Err(text.to_string())
}

/// xorshift64: small, seeded, good enough to vary the play.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) as usize) % limit
    }
}

struct Board {
    is_hex: bool,
    names: Vec<String>,
    cells: HashMap<String, usize>,
    beside: Vec<Vec<usize>>,
}

impl Board {
    fn new(is_hex: bool, size: i32) -> Result<Board, String> {
        if size < 2 || size > if is_hex { 13 } else { 25 } {
            return refuse("unacceptable size");
        }
        let mut steps = vec![(1, 0), (-1, 0), (0, 1), (0, -1)];
        if is_hex {
            steps.extend([(1, -1), (-1, 1)]);
        }
        let low = if is_hex { 1 - size } else { 0 };
        let mut points = Vec::new();
        for y in low..size {
            for x in low..size {
                if !is_hex || (x + y).abs() < size {
                    points.push((x, y));
                }
            }
        }
        let index: HashMap<_, _> = points.iter().enumerate().map(|(i, &p)| (p, i)).collect();
        let name = |&(x, y): &(i32, i32)| {
            let (row, number) =
                if is_hex { (size - 1 - y, x + size - (-y).max(0)) } else { (x, y + 1) };
            format!("{}{}", (b'a' + row as u8) as char, number)
        };
        let names: Vec<String> = points.iter().map(name).collect();
        let cells = names.iter().cloned().enumerate().map(|(i, name)| (name, i)).collect();
        let beside = points
            .iter()
            .map(|(x, y)| {
                steps.iter().filter_map(|(i, j)| index.get(&(x + i, y + j)).copied()).collect()
            })
            .collect();
        Ok(Board { is_hex, names, cells, beside })
    }

    fn named(text: &str) -> Result<Board, String> {
        let (is_hex, digits) = match (text.strip_prefix("hex"), text.strip_prefix("square")) {
            (Some(digits), _) => (true, digits),
            (_, Some(digits)) => (false, digits),
            _ => return refuse("syntax error: no such board"),
        };
        match digits.trim_start_matches('-').parse() {
            Ok(size) => Board::new(is_hex, size),
            Err(_) => refuse("unacceptable size"),
        }
    }
}

struct Bot {
    random: Random,
    game: String,
    board: Board,
    stones: Vec<u8>,
    own: bool,
    pie: bool,
    turns: usize,
}

impl Bot {
    fn new() -> Bot {
        let board = Board::new(true, 8).expect("hex8 is a board");
        let stones = vec![0; board.names.len()];
        let random = Random(88172645463325252);
        Bot { random, game: "yodd".to_string(), board, stones, own: false, pie: false, turns: 0 }
    }

    fn clear(&mut self) -> Answer {
        self.stones = vec![0; self.board.names.len()];
        self.turns = 0;
        Ok(String::new())
    }

    fn start(&mut self, args: &[String]) -> Answer {
        let boards = [
            ("yodd", "hex8"),
            ("xodd", "square12"),
            ("odd", "hex5"),
            ("yoin", "hex8"),
            ("product", "hex5"),
        ];
        let name = args.first().map_or("", String::as_str);
        let Some((_, usual)) = boards.iter().find(|(game, _)| *game == name) else {
            return refuse("syntax error: no such game");
        };
        let chosen = args.get(1).filter(|word| !word.contains('='));
        self.board = Board::named(chosen.map_or(*usual, String::as_str))?;
        self.game = name.to_string();
        self.own = name == "yoin" || args.iter().any(|word| word == "own_colour=on");
        self.pie = name == "yoin" && !args.iter().any(|word| word == "pie=off");
        self.clear()
    }

    fn boardsize(&mut self, size: &str) -> Answer {
        let size = size.parse().or(refuse("syntax error: expected a number"))?;
        self.board = Board::new(self.board.is_hex, size)?;
        self.clear()
    }

    fn play(&mut self, colour: u8, turn: &str) -> Answer {
        if !["pass", "swap", "resign"].contains(&turn) {
            let mut after = self.stones.clone();
            for stone in turn.split(',') {
                let (colour, label) = match stone.bytes().next() {
                    Some(digit @ (b'1' | b'2')) => (digit, &stone[1..]),
                    _ => (colour, stone),
                };
                match self.board.cells.get(label) {
                    Some(&cell) if after[cell] == 0 => after[cell] = colour,
                    _ => return Err(format!("syntax error: {stone}")),
                }
            }
            self.stones = after;
        }
        self.turns += 1;
        Ok(String::new())
    }

    /// Whether the number of groups is odd with `stones` added.
    fn is_odd_with(&mut self, stones: &[Stone]) -> bool {
        for &(colour, cell) in stones {
            self.stones[cell] = colour;
        }
        let mut seen = vec![false; self.stones.len()];
        let mut odd = false;
        for start in 0..self.stones.len() {
            if self.stones[start] == 0 || seen[start] {
                continue;
            }
            odd = !odd;
            seen[start] = true;
            let mut frontier = vec![start];
            while let Some(here) = frontier.pop() {
                for &there in &self.board.beside[here] {
                    if !seen[there] && self.stones[there] == self.stones[here] {
                        seen[there] = true;
                        frontier.push(there);
                    }
                }
            }
        }
        for &(_, cell) in stones {
            self.stones[cell] = 0;
        }
        odd
    }

    fn spell(&self, (colour, cell): Stone) -> String {
        let name = &self.board.names[cell];
        if self.game == "yoin" { name.clone() } else { format!("{}{}", colour as char, name) }
    }

    /// A legal turn of `colour`, as a token.
    fn choose(&mut self, colour: u8) -> String {
        let colours = if self.own { vec![colour] } else { vec![b'1', b'2'] };
        let mut stones: Vec<Stone> = Vec::new();
        for cell in (0..self.stones.len()).filter(|&cell| self.stones[cell] == 0) {
            stones.extend(colours.iter().map(|&colour| (colour, cell)));
        }
        for i in (1..stones.len()).rev() {
            let other = self.random.below(i + 1);
            stones.swap(i, other);
        }
        if self.game == "odd" || self.game == "yoin" {
            if self.pie && self.turns == 1 && self.random.below(2) == 0 {
                return "swap".to_string();
            }
            return stones.first().map_or("resign".to_string(), |&stone| self.spell(stone));
        }
        if self.game == "product" {
            let Some(&first) = stones.first() else {
                return "resign".to_string();
            };
            let second = stones.iter().find(|second| self.turns > 0 && second.1 != first.1);
            let dropped = [Some(first), second.copied()];
            let tokens: Vec<_> = dropped.iter().flatten().map(|&stone| self.spell(stone)).collect();
            return tokens.join(",");
        }
        let may_pass = self.is_odd_with(&[]);
        if may_pass && !self.own && self.random.below(10) == 0 {
            return "pass".to_string();
        }
        let seconds = if self.turns > 0 { stones.clone() } else { Vec::new() };
        for first in stones {
            if self.is_odd_with(&[first]) {
                return self.spell(first);
            }
            for &second in seconds.iter().filter(|second| second.1 != first.1) {
                if self.is_odd_with(&[first, second]) {
                    return format!("{},{}", self.spell(first), self.spell(second));
                }
            }
        }
        if may_pass { "pass" } else { "resign" }.to_string()
    }

    fn answer(&mut self, command: &str, args: &[String]) -> Answer {
        let colour = match args.first().map(String::as_str) {
            Some("b" | "black") => Some(b'1'),
            Some("w" | "white") => Some(b'2'),
            _ => None,
        };
        match (command, args, colour) {
            ("protocol_version", ..) => Ok("2".to_string()),
            ("name", ..) => Ok("Rust bot".to_string()),
            ("version", ..) => Ok("1.0".to_string()),
            ("list_commands", ..) => Ok(COMMANDS.join("\n")),
            ("known_command", [name], _) => Ok(COMMANDS.contains(&name.as_str()).to_string()),
            ("quit", ..) => Ok(String::new()),
            ("clear_board", ..) => self.clear(),
            ("game", ..) => self.start(args),
            ("boardsize", [size], _) => self.boardsize(size),
            ("set_param", [name, value], _) if name == "seed" => {
                let seed: u64 = value.parse().or(refuse("syntax error: expected a number"))?;
                let state = seed.wrapping_mul(2654435769).wrapping_add(88172645463325252);
                self.random = Random(state.max(1)); // xorshift never leaves the state zero
                Ok(String::new())
            }
            ("play", [_, turn], Some(colour)) => self.play(colour, turn),
            ("genmove", [_], Some(colour)) => {
                let turn = self.choose(colour);
                self.play(colour, &turn)?;
                Ok(turn)
            }
            _ if COMMANDS.contains(&command) => refuse("syntax error"),
            _ => refuse("unknown command"),
        }
    }
}

/// The words of a line in lower case, without control characters and comment.
fn words_of(line: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(line).replace('\t', " ");
    let text: String = text.chars().take_while(|&c| c != '#').filter(|c| !c.is_control()).collect();
    text.to_lowercase().split_whitespace().map(String::from).collect()
}

fn main() -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut bot = Bot::new();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
        let mut words = words_of(&line);
        line.clear();
        let mut id = String::new();
        if words.first().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit())) {
            id = words.remove(0);
        }
        if words.is_empty() && id.is_empty() {
            continue;
        }
        let command = if words.is_empty() { String::new() } else { words.remove(0) };
        let answer = bot.answer(&command, &words);
        let sign = if answer.is_ok() { '=' } else { '?' };
        write!(output, "{sign}{id} {}\n\n", answer.unwrap_or_else(|refusal| refusal))?;
        output.flush()?;
        if command == "quit" {
            break;
        }
    }
    Ok(())
}
