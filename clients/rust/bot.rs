//! Plays Yodd, Xodd, Odd, Yoin and Product, legally and at random. The standard library only.
//!
//!     rustc -O -o bot bot.rs

use std::io::{self, BufRead, Write};

const COMMANDS: &str = "boardsize clear_board game genmove list_commands name play \
                        protocol_version quit set_param version";

/// The text of a reply, or of a refusal.
type Answer = Result<String, String>;

/// A colour (`1` or `2`) on a cell.
type Stone = (u8, usize);

fn want(holds: bool, text: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(text.to_string()) }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "syntax error: expected a number".to_string())
}

#[derive(Default)]
struct Bot {
    random: u64, // the state of xorshift64, never 0
    game: String,
    is_hex: bool,
    own: bool,
    names: Vec<String>,
    beside: Vec<Vec<usize>>,
    stones: Vec<u8>, // 0 for an empty cell
    turns: usize,
}

impl Bot {
    fn below(&mut self, limit: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        ((self.random >> 33) as usize) % limit
    }

    fn set_up(&mut self, is_hex: bool, size: i32) -> Answer {
        want(size >= 2 && size <= if is_hex { 13 } else { 25 }, "unacceptable size")?;
        let low = if is_hex { 1 - size } else { 0 };
        let mut points = Vec::new();
        self.names.clear();
        for y in low..size {
            let row = (low..size).filter(|x| !is_hex || (x + y).abs() < size);
            for (x, number) in row.zip(1..) {
                points.push((x, y));
                self.names.push(format!("{}{number}", (b'a' + (y - low) as u8) as char));
            }
        }
        let are_beside = |(x, y): (i32, i32), (i, j): (i32, i32)| {
            let (x, y) = (x - i, y - j);
            x * x + y * y + if is_hex { x * y } else { 0 } == 1
        };
        let beside = |&here| (0..points.len()).filter(|&i| are_beside(here, points[i])).collect();
        self.beside = points.iter().map(beside).collect();
        self.is_hex = is_hex;
        self.clear()
    }

    fn clear(&mut self) -> Answer {
        self.stones = vec![0; self.names.len()];
        self.turns = 0;
        Ok(String::new())
    }

    fn start(&mut self, game: &str, options: &[String]) -> Answer {
        let usual = match game {
            "yodd" | "yoin" => "hex8",
            "xodd" => "square12",
            "odd" | "product" => "hex5",
            _ => return Err("syntax error: no such game".to_string()),
        };
        let chosen = options.first().filter(|word| !word.contains('='));
        let board = chosen.map_or(usual, String::as_str);
        let shape = board.trim_end_matches(|c: char| c == '-' || c.is_ascii_digit());
        want(shape == "hex" || shape == "square", "syntax error: no such board")?;
        let size = number(board[shape.len()..].trim_start_matches('-'))?;
        self.set_up(shape == "hex", size)?;
        self.game = game.to_string();
        self.own = game == "yoin" || options.iter().any(|word| word == "own_colour=on");
        Ok(String::new())
    }

    fn play(&mut self, colour: u8, turn: &str) -> Answer {
        let mut after = self.stones.clone();
        for stone in turn.split(',').filter(|_| !["pass", "swap", "resign"].contains(&turn)) {
            let name = stone.trim_start_matches(['1', '2']);
            let cell = self.names.iter().position(|one| one == name);
            match (cell, stone.len() - name.len()) {
                (Some(cell), 0) if after[cell] == 0 => after[cell] = colour,
                (Some(cell), 1) if after[cell] == 0 => after[cell] = stone.as_bytes()[0],
                _ => return Err(format!("syntax error: {stone}")),
            }
        }
        self.stones = after;
        self.turns += 1;
        Ok(String::new())
    }

    /// Whether the number of groups is odd with `stones` added.
    fn is_odd_with(&self, added: &[Stone]) -> bool {
        let mut stones = self.stones.clone();
        for &(colour, cell) in added {
            stones[cell] = colour;
        }
        let mut odd = false;
        for start in 0..stones.len() {
            let colour = stones[start];
            odd ^= colour != 0;
            let mut frontier = vec![start];
            while let Some(here) = frontier.pop() {
                if stones[here] == colour && colour != 0 {
                    stones[here] = 0; // counted
                    frontier.extend(&self.beside[here]);
                }
            }
        }
        odd
    }

    fn spell(&self, (colour, cell): Stone) -> String {
        let prefix = if self.game == "yoin" { "" } else { ["1", "2"][usize::from(colour == b'2')] };
        format!("{prefix}{}", self.names[cell])
    }

    /// A legal turn of `colour`, as a token.
    fn choose(&mut self, colour: u8) -> String {
        let empty = (0..self.stones.len()).filter(|&cell| self.stones[cell] == 0);
        let both = empty.flat_map(|cell| [(b'1', cell), (b'2', cell)]);
        let mut stones: Vec<Stone> = both.filter(|one| !self.own || one.0 == colour).collect();
        for i in (1..stones.len()).rev() {
            let other = self.below(i + 1);
            stones.swap(i, other);
        }
        let parity = self.game == "yodd" || self.game == "xodd";
        let has_second = self.turns > 0 && self.game != "odd" && self.game != "yoin";
        let may_pass = parity && self.is_odd_with(&[]);
        for &first in &stones {
            if may_pass && !self.own && self.below(10) == 0 {
                break;
            }
            if if parity { self.is_odd_with(&[first]) } else { !has_second } {
                return self.spell(first);
            }
            for &second in stones.iter().filter(|second| has_second && second.1 != first.1) {
                if !parity || self.is_odd_with(&[first, second]) {
                    return format!("{},{}", self.spell(first), self.spell(second));
                }
            }
            if !parity {
                return self.spell(first);
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
            ("list_commands", ..) => Ok(COMMANDS.replace(' ', "\n")),
            ("quit", ..) => Ok(String::new()),
            ("clear_board", ..) => self.clear(),
            ("game", [name, options @ ..], _) => self.start(name, options),
            ("boardsize", [size], _) => self.set_up(self.is_hex, number(size)?),
            ("set_param", [name, value], _) if name == "seed" => {
                let seed: u64 = number(value)?;
                self.random = seed.wrapping_mul(2654435769).wrapping_add(88172645463325252).max(1);
                Ok(String::new())
            }
            ("play", [_, turn], Some(colour)) => self.play(colour, turn),
            ("genmove", [_], Some(colour)) => {
                let turn = self.choose(colour);
                self.play(colour, &turn)?;
                Ok(turn)
            }
            _ if COMMANDS.split(' ').any(|one| one == command) => Err("syntax error".to_string()),
            _ => Err("unknown command".to_string()),
        }
    }
}

fn main() -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut bot = Bot { random: 88172645463325252, ..Bot::default() };
    bot.start("yodd", &[]).expect("Yodd has a board");
    let mut line = Vec::new();
    // An unfinished line is no request.
    while input.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
        let text = String::from_utf8_lossy(&line).replace('\t', " ").to_lowercase();
        let text: String = text.chars().take_while(|&c| c != '#').filter(|c| !c.is_control()).collect();
        line.clear();
        let mut words: Vec<String> = text.split_whitespace().map(String::from).collect();
        let is_id = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
        let id = if words.first().is_some_and(is_id) { words.remove(0) } else { String::new() };
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
