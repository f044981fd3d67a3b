//! Random queries of further shapes: set operations, grouping sets, windows over groups, and lists that become rows.

use rand::Rng;

use super::{KEYS, Kind, Writer};
use Kind::*;

impl Writer {
    pub(super) fn set_operation(&mut self) -> String {
        let kinds: Vec<Kind> = (0..self.rng.random_range(1..4)).map(|_| self.one_of(&KEYS)).collect();
        let mut query = self.part(&kinds);
        for _ in 0..self.rng.random_range(1..4) {
            // DataFusion alone does not count the copies of INTERSECT ALL and EXCEPT ALL.
            let operation = self.one_of(&["UNION", "UNION ALL", "INTERSECT", "EXCEPT", "INTERSECT", "EXCEPT"]);
            query = format!("({query}) {operation} ({})", self.part(&kinds));
        }
        match self.rng.random_range(0..5) {
            0 => format!("SELECT c0, count(*) FROM ({query}) AS parts GROUP BY c0"),
            1 => format!(
                "SELECT aid, c0 FROM a JOIN ({query}) AS parts ON c0 IS NOT DISTINCT FROM {}",
                self.column(kinds[0]).replace("\"b", "\"a")
            ),
            2 => {
                // All columns are keys, so rows with equal keys are equal rows.
                let keys: Vec<String> = (1..=kinds.len()).map(|at| at.to_string()).collect();
                let limit = self.one_of(&["", " LIMIT 6", " LIMIT 9 OFFSET 2"]);
                format!("SELECT * FROM ({query}) AS parts ORDER BY {}{limit}", keys.join(", "))
            }
            _ => query,
        }
    }

    /// Writes window functions over the rows of a group-by. The key of the groups is distinct, so the result is unique.
    pub(super) fn window_of_groups(&mut self) -> String {
        let source = self.source();
        let kind = self.one_of(&KEYS);
        let key = self.value(kind, 1);
        let total = self.one_of(&["sum(av)", "count(*)", "count(DISTINCT ak)", "max(av)", "sum(am)"]);
        let condition =
            if self.rng.random_bool(0.5) { format!(" WHERE {}", self.value(Boolean, 1)) } else { String::new() };
        if self.rng.random_bool(0.3) {
            return format!("SELECT {key} AS k0, rank() OVER (ORDER BY {total}) FROM {source}{condition} GROUP BY 1");
        }
        let having = self.one_of(&["", " HAVING count(*) > 1"]);
        let function = self.one_of(&["row_number()", "rank()", "sum(c0)", "max(c0)", "lag(c0)", "count(c0)"]);
        let over = self.one_of(&["ORDER BY k0", "ORDER BY c0 DESC, k0", "PARTITION BY c0 ORDER BY k0 NULLS FIRST"]);
        let groups = format!("SELECT {key} AS k0, {total} AS c0 FROM {source}{condition} GROUP BY 1{having}");
        format!("SELECT k0, c0, {function} OVER ({over}) AS w0 FROM ({groups}) AS g")
    }

    fn part(&mut self, kinds: &[Kind]) -> String {
        let source = self.source();
        let output = |(at, kind): (usize, &Kind)| {
            // The values of the other parts are decimals, so these integers become decimals.
            let kind = if *kind == Decimal && self.rng.random_ratio(1, 4) { Integer } else { *kind };
            format!("{} AS c{at}", self.value(kind, 1))
        };
        let outputs: Vec<String> = kinds.iter().enumerate().map(output).collect();
        let condition =
            if self.rng.random_bool(0.5) { format!(" WHERE {}", self.value(Boolean, 1)) } else { String::new() };
        let distinct = if self.rng.random_ratio(1, 4) { "DISTINCT " } else { "" };
        format!("SELECT {distinct}{} FROM {source}{condition}", outputs.join(", "))
    }

    pub(super) fn grouping_sets(&mut self) -> String {
        let source = self.source();
        let mut keys: Vec<String> = Vec::new();
        for _ in 0..self.rng.random_range(1..4) {
            let kind = self.one_of(&KEYS);
            let key = self.column(kind);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let all = keys.join(", ");
        let groups = match self.rng.random_range(0..4) {
            0 => format!("ROLLUP ({all})"),
            1 => format!("CUBE ({all})"),
            2 => format!("GROUPING SETS (({}), ())", keys[0]),
            _ => {
                let sets: Vec<String> = keys.iter().map(|key| format!("({key})")).collect();
                let further = if keys.len() > 1 { format!(", ({all})") } else { String::new() };
                format!("GROUPING SETS ({}{further})", sets.join(", "))
            }
        };
        let outputs: Vec<String> =
            (0..self.rng.random_range(1..3)).map(|at| format!("{} AS c{at}", self.aggregate())).collect();
        let condition = match self.rng.random_range(0..6) {
            0 => " WHERE aid < 0".to_owned(),
            1..3 => format!(" WHERE {}", self.value(Boolean, 1)),
            _ => String::new(),
        };
        format!(
            "SELECT {all}, grouping({}), {} FROM {source}{condition} GROUP BY {groups}",
            keys[0],
            outputs.join(", ")
        )
    }

    /// Writes a query over the table `n` of the tests of unnest.
    pub(super) fn unnest(&mut self) -> String {
        let names = ["numbers", "texts", "views", "large", "pairs", "nested", "points"];
        let name = self.one_of(&names);
        let (deep, is_scalar) = match name {
            "nested" if self.rng.random_bool(0.5) => ("unnest(unnest(nested))".to_owned(), true),
            name => (format!("unnest({name})"), !["nested", "points"].contains(&name)),
        };
        let second = match self.rng.random_range(0..4) {
            0 => format!(", unnest({}) AS y", self.one_of(&names)),
            1 => ", unnest(numbers) AS y, unnest(unnest(nested)) AS z".to_owned(),
            2 => ", unnest(point)".to_owned(),
            _ => String::new(),
        };
        let table = if self.rng.random_ratio(1, 12) { "no" } else { "n" };
        let condition = self.one_of(&["", " WHERE id % 3 = 1", " WHERE id > 7", " WHERE id < 0"]);
        let inner = format!("SELECT id, {deep} AS x{second} FROM {table}{condition}");
        let is_number = ["numbers", "pairs", "nested"].contains(&name) && is_scalar;
        match self.rng.random_range(0..6) {
            0 if is_scalar => format!("SELECT x, count(*), sum(id), max(id) FROM ({inner}) AS u GROUP BY x"),
            1 if is_scalar => {
                format!("SELECT id, x FROM ({inner}) AS u WHERE x IS NOT NULL ORDER BY x DESC, id LIMIT 9")
            }
            2 if is_number => format!("SELECT id, x, aid, aw FROM ({inner}) AS u LEFT JOIN a ON x = ak AND aid > id"),
            3 if is_number => format!("SELECT id, x + id FROM ({inner}) AS u WHERE x IN (SELECT bk FROM b) OR x > 4"),
            4 if is_number => format!("SELECT id, x, sum(x) OVER (PARTITION BY id) FROM ({inner}) AS u"),
            _ => inner,
        }
    }
}
