//! The queries, as functions that use pipelines and operations. The functions in [`frames`](crate::frames) use frames.

pub(crate) mod frame;
mod q01;
mod q02;
mod q03;
mod q04;
mod q05;
mod q06;
mod q07;
mod q08;
mod q09;
mod q10;
mod q11;
mod q12;
mod q13;
mod q14;
mod q15;
mod q16;
mod q17;
mod q18;
mod q19;
mod q20;
mod q21;
mod q22;

use crate::query::Query;

pub(crate) const ALL: &[Query] = &[
    q01::QUERY,
    q02::QUERY,
    q03::QUERY,
    q04::QUERY,
    q05::QUERY,
    q06::QUERY,
    q07::QUERY,
    q08::QUERY,
    q09::QUERY,
    q10::QUERY,
    q11::QUERY,
    q12::QUERY,
    q13::QUERY,
    q14::QUERY,
    q15::QUERY,
    q16::QUERY,
    q17::QUERY,
    q18::QUERY,
    q19::QUERY,
    q20::QUERY,
    q21::QUERY,
    q22::QUERY,
];

pub(crate) fn find(number: u32) -> Option<&'static Query> {
    ALL.iter().find(|query| query.number == number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::TpchTable;
    use crate::query::reads_of;

    #[test]
    fn reads_are_united() {
        let twice = reads_of(&[&q06::QUERY, &q06::QUERY]);
        assert_eq!(twice, reads_of(&[&q06::QUERY]));
        assert_eq!(twice[&TpchTable::Lineitem].len(), 4);
        assert!(reads_of(&[]).is_empty());
    }

    #[test]
    fn every_query_is_there_once() {
        assert!(ALL.iter().map(|query| query.number).eq(1..=22));
    }
}
