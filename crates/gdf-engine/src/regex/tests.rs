//! Tests of errors, limits, ASCII classes, and the tables for kernels, which are compared with the engines of the
//! CPU.

use regex_automata::util::captures::Captures;
use regex_automata::{Anchored, Input, Span};

use super::dfa::{Dfa, STARTS};
use super::fast_dfa::FastDfa;
use super::tagged_dfa::{TaggedDfa, Tags, moves_of};
use super::*;

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern, RegexFlags::new()).unwrap()
}

fn refused(pattern: &str) -> String {
    Regex::new(pattern, RegexFlags::new()).unwrap_err().to_string()
}

#[test]
fn errors_say_where_the_fault_begins() {
    assert_eq!(refused("ab("), "invalid pattern `ab(` at byte 2: unclosed group");
    assert_eq!(refused("é[a"), "invalid pattern `é[a` at byte 2: unclosed character class");
    assert_eq!(refused(r"(a)\1"), r"invalid pattern `(a)\1` at byte 3: backreferences are not supported");
    assert!(refused("(?=a)").starts_with("invalid pattern `(?=a)` at byte 0: look-around"));
    assert!(refused(r"a\Zb\q").starts_with(r"invalid pattern `a\Zb\q` at byte 4: unrecognized escape"));
    let error = Regex::new(r"\p{Nothing}", RegexFlags::new().ascii()).unwrap_err();
    assert!(matches!(error, Error::InvalidPattern { offset: Some(0), .. }), "{error}");
}

#[test]
fn what_is_too_large_is_refused() {
    for pattern in [r"\w{500}{20}", "a{20000}", "(?:(a)(b)(c)(d)(e)(f)(g)(h)){700}"] {
        let begin = format!("invalid pattern `{pattern}`: the compiled pattern exceeds 10 MiB, 16,384 states or 1 MiB");
        assert!(refused(pattern).starts_with(&begin));
    }
    assert_eq!(regex("(?:a{100}){100}").groups(), 0);
}

#[test]
fn ascii_alone() {
    let flags = RegexFlags::new().ascii();
    let matches = |pattern: &str, text: &str| {
        let (ascii, unicode) = (Regex::new(pattern, flags).unwrap(), regex(pattern));
        [ascii, unicode].map(|regex| regex.0.host.is_match(text))
    };
    assert_eq!(matches(r"^\w\Z", "é"), [false, true]);
    assert_eq!(matches(r"^\W$", "é"), [true, false]);
    assert_eq!(matches(r"^[\d\-x]+$", "x-٣"), [false, true]);
    assert_eq!(matches(r"^[^\S]$", "\u{a0}"), [false, true]);
    assert_eq!(matches(r"a\b", "aé"), [true, false]);
    assert_eq!(matches(r"a\B", "aé"), [false, true]);
    assert_eq!(matches("^.$", "é"), [true, true]);
    assert_eq!(matches(r"(?x) ^ a \s b $", "a b"), [true, true]);
    assert_eq!(matches(r"(?x) ^ [\S] $", " "), [false, false]);
    assert_eq!(matches(r"(?i)^\w$", "\u{17f}"), [false, true]);
    assert_eq!(matches(r"(?i)^\W$", "\u{212a}"), [true, false]);
    assert_eq!(matches(r"(?i)^[\w]$", "\u{17f}"), [true, true]);
    assert_eq!(matches(r"(?i)^[a-z]$", "\u{212a}"), [true, true]);
    assert_eq!(matches(r"a\b{end}", "aé"), [true, false]);
    assert_eq!(matches(r"\<b", "éb"), [true, false]);
}

impl Dfa {
    fn class(&self, byte: u8) -> usize {
        self.classes[usize::from(byte)].into()
    }

    fn last_match(&self, start: usize, classes: impl Iterator<Item = usize>) -> Option<Option<usize>> {
        let (mut state, mut last) = (self.starts[start], None);
        for (at, class) in classes.enumerate() {
            state = self.next[usize::from(state) * self.stride + class];
            if state >= self.first_match {
                last = Some(at);
            }
        }
        (state != 1).then_some(last)
    }

    /// Finds the end of the leftmost match by the algorithm of the kernels.
    fn end(&self, text: &[u8], anchored: bool) -> Option<Option<usize>> {
        let classes = text.iter().map(|byte| self.class(*byte)).chain([self.stride - 1]);
        self.last_match(usize::from(anchored) * STARTS + 256, classes)
    }

    /// Finds the beginning of the match that ends at `end`.
    fn begin(&self, text: &[u8], end: usize) -> Option<Option<usize>> {
        let after = text.get(end).map_or(256, |byte| usize::from(*byte));
        let classes = text[..end].iter().rev().map(|byte| self.class(*byte)).chain([self.stride - 1]);
        Some(self.last_match(after, classes)?.map(|back| end - back))
    }
}

/// Makes a pattern of parts that pseudorandom numbers choose.
fn pattern(numbers: &mut u32, depth: u32) -> String {
    const PARTS: [&str; 16] =
        ["a", "b", "[ab]", "[^a]", ".", "é", "日", "^", "$", r"(?-u:\b)", r"\B", "(?m:$)", "", "x", "[é-日]", r"\d"];
    const REPEATS: [&str; 8] = ["*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}"];
    *numbers = numbers.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    let number = (*numbers >> 16) as usize;
    match number % 8 {
        _ if depth > 3 => PARTS[number / 8 % 16].to_owned(),
        0..3 => PARTS[number / 8 % 16].to_owned(),
        3..5 => pattern(numbers, depth + 1) + &pattern(numbers, depth + 1),
        5 => format!("({}|{})", pattern(numbers, depth + 1), pattern(numbers, depth + 1)),
        _ => format!("(?:{}){}", pattern(numbers, depth + 1), REPEATS[number / 8 % 8]),
    }
}

#[test]
fn tables_find_what_the_automata_of_the_cpu_find() {
    let texts = ["", "a", "ab", "xaabb", "é", "aé日b", "b\na", "12a\n", "日é日é", "aabab x", "a-b_c"];
    let (mut numbers, mut found) = (7, 0);
    for _ in 0..150 {
        let regex = regex(&(pattern(&mut numbers, 0) + &pattern(&mut numbers, 0)));
        let tables = regex.0.tables();
        let Some([forward, reverse]) = tables.dfas() else { continue };
        for text in texts {
            for anchored in [Anchored::No, Anchored::Yes] {
                let expected = regex.0.host.find(Input::new(text).anchored(anchored));
                let Some(end) = forward.end(text.as_bytes(), anchored == Anchored::Yes) else { continue };
                if end.is_some_and(|end| !text.is_char_boundary(end)) {
                    continue; // for an empty match within a character, kernels continue the search
                }
                assert_eq!(end, expected.map(|found| found.end()), "{regex:?} in {text:?}");
                if let (Some(expected), Anchored::No) = (expected, anchored) {
                    let begin = reverse.begin(text.as_bytes(), expected.end());
                    assert!(matches!(begin, None | Some(Some(_))), "{regex:?} in {text:?}");
                    if expected.end() > 0 {
                        assert_eq!(begin.flatten(), Some(expected.start()), "{regex:?} in {text:?}");
                        found += 1;
                    }
                }
            }
        }
    }
    assert!(found > 300, "{found}");
}

#[test]
fn short_rows_have_the_matches_of_long_ones() {
    let texts = ["", "a", "ab", "xaabb", "é", "aé日b", "b\na", "12a\n", "日é日é", "aabab x", "a-b_c"];
    let (mut numbers, mut found, mut with_groups) = (11, 0, 0);
    let ends = |span: Option<Span>| [span.map(|span| span.start), span.map(|span| span.end)];
    for _ in 0..150 {
        let regex = regex(&(pattern(&mut numbers, 0) + &pattern(&mut numbers, 0)));
        let Some(dfa) = FastDfa::new(&regex.0.meaning) else { continue };
        for text in texts {
            let mut matches = Vec::new();
            regex.0.searcher(Some(&dfa)).for_each(text.as_bytes(), 0, |found, slots| {
                matches.push((slots[0].unwrap().get(), slots[1].unwrap().get()));
                matches.last() == Some(&found)
            });
            let expected: Vec<_> = regex.0.host.find_iter(text).map(|found| (found.start(), found.end())).collect();
            assert_eq!(matches, expected, "{regex:?} in {text:?}");
            found += matches.len();
            let mut groups = Vec::new();
            regex.0.searcher(Some(&dfa)).for_each(text.as_bytes(), regex.groups(), |_, slots| {
                groups.push(slots.iter().map(|slot| slot.map(|at| at.get())).collect::<Vec<_>>());
                true
            });
            let slots =
                |found: Captures| (0..regex.groups() + 1).flat_map(|group| ends(found.get_group(group))).collect();
            let expected: Vec<Vec<_>> = regex.0.host.captures_iter(text).map(slots).collect();
            assert_eq!(groups, expected, "{regex:?} in {text:?}");
            with_groups += groups.len() * usize::from(regex.groups() > 0 && regex.0.one_pass().is_some());
            for anchored in [Anchored::No, Anchored::Yes] {
                let expected = regex.0.host.find(Input::new(text).anchored(anchored)).is_some();
                let known = dfa.is_match(text.as_bytes(), anchored);
                assert_eq!(known.unwrap_or(expected), expected, "{regex:?} in {text:?}");
            }
        }
    }
    assert!(found > 300 && with_groups > 30, "{found}, {with_groups}");
    assert!(FastDfa::new(&regex(r"\w").0.meaning).is_none());
    assert!(regex("[a-z]+").0.fast(4000, 1 << 16).is_some() && regex("[a-z]+").0.fast(100, 1 << 16).is_none());
    assert!(regex("special").0.fast(4000, 1 << 16).is_none());
}

#[test]
fn empty_matches_within_characters_hide_no_others() {
    let ascii = Regex::new(r"xéz|\b{start-half}\b{end-half}", RegexFlags::new().ascii()).unwrap();
    for tags in [Tags::Test, Tags::Nothing] {
        assert!(TaggedDfa::new(&ascii.0.meaning, tags).is_none());
    }
    for dfa in [None, FastDfa::new(&ascii.0.meaning)] {
        assert!(ascii.0.searcher(dfa.as_ref()).is_match("xéz".as_bytes(), Anchored::No));
    }
    let texts = ["", "a", "xéz", "é", "aé日b", "b\na", "12a\n", "日é日é", "a日a"];
    let mut numbers = 17;
    for _ in 0..150 {
        let shape = pattern(&mut numbers, 0) + &pattern(&mut numbers, 0);
        let shape = shape.replace(r"(?-u:\b)", r"(?-u:\b{start-half})").replace(r"\B", r"(?-u:\b{end-half})");
        let regex = regex(&shape);
        for text in texts {
            for anchored in [Anchored::No, Anchored::Yes] {
                let expected = regex.0.host.find(Input::new(text).anchored(anchored)).is_some();
                let found = regex.0.searcher(None).is_match(text.as_bytes(), anchored);
                assert_eq!(found, expected, "{regex:?} in {text:?}");
            }
        }
    }
}

impl TaggedDfa {
    /// Finds the end of the match and the positions of the tags, like `regex_for_each` of kernels.
    fn find(&self, text: &[u8], from: usize) -> Option<Option<(usize, [u32; 32])>> {
        const POSITION: u32 = 0xff;
        let class = |byte: u8| usize::from(bytemuck::cast_slice::<u32, u8>(&self.words)[usize::from(byte)]);
        let before = if from == 0 { self.stride - 1 } else { class(text[from - 1]) };
        let (mut state, mut last, mut registers) = (self.words[64 + before] as usize, None, [u32::MAX; 32]);
        for at in from.. {
            let of = text.get(at).map_or(self.stride - 1, |byte| class(*byte));
            let entry = self.words[self.transitions + state + of];
            state = (entry & 0xf_ffff) as usize;
            if entry >> 20 & 1 == 1 {
                last = Some(at);
            }
            let mut moves = self.words[self.moves + (entry >> 21) as usize..].iter();
            for one in moves.by_ref().take_while(|_| entry >> 21 != 0) {
                registers[(one & POSITION) as usize] = match one >> 8 & POSITION {
                    255 => at as u32,
                    254 => last.unwrap() as u32,
                    253 => u32::MAX,
                    from => registers[from as usize],
                };
                if one >> 16 == 0 {
                    break;
                }
            }
            if state <= self.stride {
                return (state == 0).then(|| last.map(|last| (last, registers)));
            }
        }
        unreachable!()
    }
}

#[test]
fn tagged_tables_find_groups() {
    let texts = ["", "a", "ab", "xaabb", "é", "aé日b", "b\na", "12a\n", "日é日é", "aabab x", "a-b_c", "\r\nab\r"];
    let shapes = [
        "([a-z]+)([ -])([a-z]+)?",
        "(a)|(b)",
        "((a)|b)*",
        "(a*?)(b?)",
        r"\b(\w)",
        r"(?-u:\b)(a+)(?-u:\b)",
        "(?mR)^(.*?)$",
        "(a|ab)(b|)",
        "(x)?(a(a)?b)+",
    ];
    let (mut numbers, mut found, mut quits) = (13, 0, 0);
    let random: Vec<_> = (0..200).map(|_| pattern(&mut numbers, 0) + &pattern(&mut numbers, 0)).collect();
    for shape in shapes.iter().copied().chain(random.iter().map(String::as_str)) {
        let regex = regex(shape);
        for tags in Tags::ALL {
            let Some(table) = TaggedDfa::new(&regex.0.meaning, tags) else { continue };
            for text in texts {
                for from in (0..text.len() + 1).filter(|from| text.is_char_boundary(*from)) {
                    let Some(ours) = table.find(text.as_bytes(), from) else {
                        quits += 1;
                        continue;
                    };
                    if ours.is_some_and(|(end, _)| !text.is_char_boundary(end)) {
                        continue; // for an empty match within a character, kernels continue the search
                    }
                    let mut captures = regex.0.host.create_captures();
                    regex.0.host.search_captures(&Input::new(text).range(from..), &mut captures);
                    let expected = captures.get_match();
                    if tags == Tags::Test {
                        assert_eq!(ours.is_some(), expected.is_some(), "{regex:?} in {text:?}");
                        continue;
                    }
                    assert_eq!(ours.map(|(end, _)| end), expected.map(|one| one.end()), "{regex:?} in {text:?}");
                    let (Some((_, registers)), Some(expected)) = (ours, expected) else { continue };
                    if tags != Tags::Nothing {
                        assert_eq!(registers[0] as usize, expected.start(), "{regex:?} in {text:?}");
                    }
                    for group in (1..regex.groups() + 1).filter(|_| tags == Tags::Groups) {
                        let span = captures.get_group(group);
                        let ends = [2 * group - 1, 2 * group].map(|tag| registers[tag]);
                        let expected = span.map_or([u32::MAX; 2], |span| [span.start, span.end].map(|at| at as u32));
                        let is_unset = span.is_none() && ends[0] == u32::MAX;
                        assert!(ends == expected || is_unset, "{regex:?} in {text:?}, {group}: {ends:?}, {expected:?}");
                        found += 1;
                    }
                }
            }
        }
    }
    assert!(found > 1000 && quits > 10, "{found}, {quits}");
}

#[test]
fn registers_are_moved_at_once() {
    for number in 0..4_usize.pow(4) {
        let sources: Vec<u8> = (0..4).map(|at| (number >> (2 * at) & 3) as u8).collect();
        let mut registers: [u8; 32] = std::array::from_fn(|at| at as u8);
        for one in moves_of(&sources) {
            registers[one as usize & 0xff] = registers[one as usize >> 8 & 0xff];
        }
        assert_eq!(registers[..4], sources[..]);
    }
}

#[test]
fn equal_states_are_one() {
    let both = regex("(?:aa|ba|ca)*b");
    let [forward, _] = both.0.tables().dfas().unwrap();
    // There are at most eight states: dead, quit, and states before, within, at and after a match.
    assert!(forward.next.len() / forward.stride <= 8, "{}", forward.next.len() / forward.stride);
    assert!(!forward.quits && regex(r"\ba").0.tables().dfas().unwrap()[0].quits);
    assert!(regex("[ab]*a[ab]{14}").0.tables().dfas().is_none());
}
