//! The passes of a group-by. On the way down, a pass replaces keys or values that the devices do not aggregate. On the
//! way up, it restores the keys or the results.

mod decode;
mod first_rows;
mod overflow;
mod prepare_keys;
mod rank_values;

use gdf_core::{Column, Result, Table};

pub(crate) use self::decode::Decode;
pub(crate) use self::overflow::Overflow;
pub(crate) use self::prepare_keys::PrepareKeys;
pub(crate) use self::rank_values::RankValues;
use crate::Ctx;

/// The keys of the groups, and the results of each request.
pub(crate) type Groups = (Table, Vec<Vec<Column>>);

/// A prepared pass.
pub(crate) trait Pass {
    /// Returns the context for the work between preparation and finish.
    fn inner<'c>(&self, ctx: Ctx<'c>) -> Ctx<'c> {
        ctx
    }

    /// Restores the keys or the results.
    fn finish(&self, groups: Groups, ctx: Ctx<'_>) -> Result<Groups>;
}

/// A pass that is not needed changes nothing.
impl<P: Pass> Pass for Option<P> {
    fn inner<'c>(&self, ctx: Ctx<'c>) -> Ctx<'c> {
        self.as_ref().map_or(ctx, |pass| pass.inner(ctx))
    }

    fn finish(&self, groups: Groups, ctx: Ctx<'_>) -> Result<Groups> {
        match self {
            Some(pass) => pass.finish(groups, ctx),
            None => Ok(groups),
        }
    }
}

/// Returns the groups that `groups` computes, finished by the passes from the last one to the first one.
pub(crate) fn finished(
    passes: &[&dyn Pass],
    groups: impl FnOnce(Ctx<'_>) -> Result<Groups>,
    ctx: Ctx<'_>,
) -> Result<Groups> {
    let Some((pass, others)) = passes.split_first() else { return groups(ctx) };
    let groups = finished(others, groups, pass.inner(ctx))?;
    pass.finish(groups, ctx)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use gdf_engine::test_device::setup;

    use super::*;

    /// A pass that notes its finish.
    struct Noted<'n>(&'static str, &'n RefCell<Vec<&'static str>>);

    impl Pass for Noted<'_> {
        fn finish(&self, groups: Groups, _: Ctx<'_>) -> Result<Groups> {
            self.1.borrow_mut().push(self.0);
            Ok(groups)
        }
    }

    #[test]
    fn the_last_pass_is_finished_first() {
        let (stream, resource) = setup();
        let notes = RefCell::new(Vec::new());
        let groups = |_: Ctx<'_>| {
            notes.borrow_mut().push("groups");
            Ok((Table::try_with_rows(Vec::new(), 0)?, Vec::new()))
        };
        let passes: [&dyn Pass; 3] = [&Noted("first", &notes), &None::<Noted<'_>>, &Noted("last", &notes)];
        finished(&passes, groups, Ctx::new(&stream, &resource)).unwrap();
        assert_eq!(notes.into_inner(), ["groups", "last", "first"]);
    }
}
