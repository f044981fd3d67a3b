//! Compares two files of times.

use std::collections::BTreeMap;
use std::fmt;

use super::figures::Figures;

/// Two times count as different if their ratio differs from 1 by more than this number.
const EVEN: f64 = 0.01;

pub(super) struct Comparison {
    names: [String; 2],
    lines: Vec<Line>,
    /// For each file, the cases that have a time in this file only, and the reason.
    alone: [Vec<String>; 2],
}

struct Line {
    case: String,
    rows: usize,
    a: f64,
    b: f64,
}

impl Line {
    /// Returns how many times faster `a` is than `b`.
    fn ratio(&self) -> f64 {
        self.b / self.a
    }
}

impl Comparison {
    /// Pairs the cases of both files whose names contain `filter`.
    pub(super) fn new(a: Figures, b: Figures, filter: &str) -> Comparison {
        let mut lines = Vec::new();
        let mut alone = [Vec::new(), Vec::new()];
        let wanted = |(_, case): &&(usize, String)| case.contains(filter);
        for (key @ (rows, case), time) in a.times.iter().filter(|(key, _)| wanted(key)) {
            match (time, b.times.get(key)) {
                (Some(a), Some(Some(b))) => {
                    lines.push(Line { case: case.clone(), rows: *rows, a: a.median, b: b.median })
                }
                (Some(_), Some(None)) => alone[0].push(format!("{case} at {rows} (the other failed)")),
                (Some(_), None) => alone[0].push(format!("{case} at {rows}")),
                (None, _) => {}
            }
        }
        for (key @ (rows, case), _) in b.times.iter().filter(|(key, time)| wanted(key) && time.is_some()) {
            match a.times.get(key) {
                Some(Some(_)) => {}
                Some(None) => alone[1].push(format!("{case} at {rows} (the other failed)")),
                None => alone[1].push(format!("{case} at {rows}")),
            }
        }
        Comparison { names: distinct(a.library, b.library), lines, alone }
    }

    fn faster(&self, ratio: f64) -> &str {
        match ratio {
            ratio if ratio > 1.0 + EVEN => &self.names[0],
            ratio if ratio < 1.0 - EVEN => &self.names[1],
            _ => "even",
        }
    }

    fn means(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sizes: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for line in &self.lines {
            sizes.entry(line.rows).or_default().push(line.ratio());
        }
        let all: Vec<f64> = sizes.values().flatten().copied().collect();
        let sizes = sizes.into_iter().map(|(rows, ratios)| (format!("at {rows}"), ratios));
        for (which, ratios) in sizes.chain([("overall".to_owned(), all)]) {
            let Some(mean) = geometric_mean(&ratios) else { continue };
            let won = ratios.iter().filter(|ratio| self.faster(**ratio) == self.names[0]).count();
            let lost = ratios.iter().filter(|ratio| self.faster(**ratio) == self.names[1]).count();
            writeln!(
                out,
                "# geometric mean {which}: {mean:.3} ({} cases: {} faster in {won}, {} in {lost})",
                ratios.len(),
                self.names[0],
                self.names[1]
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = &self.names;
        writeln!(out, "case\trows\t{a}_ms\t{b}_ms\t{b}/{a}\tfaster")?;
        for line in &self.lines {
            let ratio = line.ratio();
            let Line { case, rows, a, b } = line;
            writeln!(out, "{case}\t{rows}\t{a:.4}\t{b:.4}\t{ratio:.3}\t{}", self.faster(ratio))?;
        }
        self.means(out)?;
        for (name, alone) in self.names.iter().zip(&self.alone).filter(|(_, alone)| !alone.is_empty()) {
            writeln!(out, "# only {name}: {}", alone.join(", "))?;
        }
        Ok(())
    }
}

fn distinct(a: String, b: String) -> [String; 2] {
    if a == b { [format!("{a}-A"), format!("{b}-B")] } else { [a, b] }
}

pub(super) fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let logs = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>();
    (!ratios.is_empty()).then(|| (logs / ratios.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "gdf case rows median_ms\n# a remark\nadd\t10\t1.0\nadd\t1000\t2.0\nsum\t10\t4.0\nsum\t1000\tERR no\n\
                     ours\t10\t1.0\nlt\t10\t1.0\n";
    const B: &str = "peer case rows median_ms\nadd\t10\t4.0\nadd\t1000\t1.0\nsum\t10\t4.0\nsum\t1000\t1.0\ntheirs\t10\t1.0\n\
                     lt\t10\tERR x\n";

    fn compared(a: &str, b: &str, filter: &str) -> String {
        Comparison::new(Figures::parse(a).unwrap(), Figures::parse(b).unwrap(), filter).to_string()
    }

    #[test]
    fn cases_are_joined_by_name_and_rows() {
        assert_eq!(
            compared(A, B, "").lines().collect::<Vec<_>>(),
            [
                "case\trows\tgdf_ms\tpeer_ms\tpeer/gdf\tfaster",
                "add\t10\t1.0000\t4.0000\t4.000\tgdf",
                "sum\t10\t4.0000\t4.0000\t1.000\teven",
                "add\t1000\t2.0000\t1.0000\t0.500\tpeer",
                "# geometric mean at 10: 2.000 (2 cases: gdf faster in 1, peer in 0)",
                "# geometric mean at 1000: 0.500 (1 cases: gdf faster in 0, peer in 1)",
                "# geometric mean overall: 1.260 (3 cases: gdf faster in 1, peer in 1)",
                "# only gdf: lt at 10 (the other failed), ours at 10",
                "# only peer: theirs at 10, sum at 1000 (the other failed)",
            ]
        );
    }

    #[test]
    fn a_filter_keeps_some() {
        let text = compared(A, B, "sum");
        assert!(text.contains("sum\t10") && !text.contains("add") && !text.contains("ours"), "{text}");
    }

    #[test]
    fn one_library_twice_is_distinguished() {
        let text = compared(A, A, "add");
        assert!(text.starts_with("case\trows\tgdf-A_ms\tgdf-B_ms\tgdf-B/gdf-A\tfaster\n"), "{text}");
        assert!(text.contains("overall: 1.000 (2 cases"), "{text}");
    }

    #[test]
    fn nothing_in_common_is_no_error() {
        let text = compared("x\na\t1\t1\n", "y\nb\t1\t1\n", "");
        assert!(!text.contains("geometric"), "{text}");
        assert_eq!(geometric_mean(&[]), None);
    }
}
