//! Compares texts with a short text, using words in place of a call for each row.

/// The result of a test of texts.
pub(super) trait Run {
    type Output;

    fn run(self, holds: impl Fn(&[u8]) -> bool) -> Self::Output;
}

/// Runs `run` with the test whether a text is equal to `wanted`, or begins with it if `prefix`. `wanted` has at most 16
/// bytes.
pub(super) fn by_size<R: Run>(wanted: &[u8], prefix: bool, run: R) -> R::Output {
    match wanted.len() {
        0 => run.run(|text| prefix || text.is_empty()),
        1 => run.run(matches::<1>(wanted, prefix)),
        2..4 => run.run(matches::<2>(wanted, prefix)),
        4..8 => run.run(matches::<4>(wanted, prefix)),
        _ => run.run(matches::<8>(wanted, prefix)),
    }
}

/// Returns whether a text is equal to `wanted`, or begins with it if `prefix`. `wanted` has `N` to `2 * N` bytes, so
/// that its first and its last `N` bytes are all its bytes.
fn matches<const N: usize>(wanted: &[u8], prefix: bool) -> impl Fn(&[u8]) -> bool {
    let size = wanted.len();
    let part = |part: Option<&[u8; N]>| part.copied().unwrap_or([0; N]);
    let (head, tail) = (part(wanted.first_chunk()), part(wanted.last_chunk()));
    move |text: &[u8]| {
        let text = if prefix { text.get(..size).unwrap_or_default() } else { text };
        match (text.first_chunk::<N>(), text.last_chunk::<N>()) {
            (Some(first), Some(last)) if text.len() == size => (*first == head) & (*last == tail),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Check<'a>(&'a [u8], bool);

    impl Run for Check<'_> {
        type Output = ();

        fn run(self, holds: impl Fn(&[u8]) -> bool) {
            let Check(wanted, prefix) = self;
            let expected = |text: &[u8]| if prefix { text.starts_with(wanted) } else { text == wanted };
            for len in 0..=20 {
                let mut text: Vec<u8> = (0..len).collect();
                assert_eq!(holds(&text), expected(&text), "{wanted:?} {text:?} {prefix}");
                for at in 0..text.len() {
                    text[at] ^= 0x80;
                    assert_eq!(holds(&text), expected(&text), "{wanted:?} {text:?} {prefix}");
                    text[at] ^= 0x80;
                }
            }
        }
    }

    #[test]
    fn every_size_and_every_difference_is_seen() {
        let wanted: Vec<u8> = (0..16).collect();
        for size in 0..=16 {
            for prefix in [false, true] {
                by_size(&wanted[..size], prefix, Check(&wanted[..size], prefix));
            }
        }
    }
}
