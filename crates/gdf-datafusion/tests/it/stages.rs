//! Tests the rule without the planner, in plans with several partitions, as in distributed engines.

use std::sync::Arc;

use datafusion::execution::SessionStateBuilder;
use datafusion::physical_plan::collect;
use datafusion::prelude::{SessionConfig, SessionContext};
use gdf_datafusion::{GdfExec, GdfIslands, explain};

use crate::kit::{assert_rows, islands, strict};
use crate::small::{batch, session};

fn partitioned() -> (SessionContext, gdf_datafusion::GdfOptions) {
    partitioned_with(|config| config)
}

/// Returns a session that plans for four partitions. `settings` changes further settings.
fn partitioned_with(
    settings: impl FnOnce(SessionConfig) -> SessionConfig,
) -> (SessionContext, gdf_datafusion::GdfOptions) {
    let options = strict();
    let plain = session(false);
    let mut state = plain.state();
    *state.config_mut() = settings(state.config().clone().with_target_partitions(4).with_batch_size(8));
    let state = SessionStateBuilder::new_from_existing(state)
        .with_physical_optimizer_rule(Arc::new(GdfIslands::new(options.clone())))
        .build();
    (SessionContext::new_with_state(state), options)
}

#[tokio::test]
async fn stages_with_one_partition_become_islands() {
    let (ctx, options) = partitioned();
    let plain = session(false);
    for query in [
        "SELECT ak, sum(av), avg(am), count(*) FROM a GROUP BY ak ORDER BY ak",
        "SELECT count(*), min(aw) FROM a WHERE av > 0",
        "SELECT aid, bid FROM a JOIN b ON ak = bk ORDER BY aid, bid LIMIT 30",
        "SELECT aid FROM a WHERE av > 0 ORDER BY av, aid LIMIT 5",
        "SELECT DISTINCT ab FROM a ORDER BY ab",
    ] {
        let plan = ctx.sql(query).await.unwrap().create_physical_plan().await.unwrap();
        assert_eq!(islands(&plan), 1, "{query}\n{}", explain(&plan));
        let found = collect(Arc::clone(&plan), ctx.task_ctx()).await;
        let found = found.unwrap_or_else(|error| panic!("{query}: {error}\n{}", explain(&plan)));
        let expected = plain.sql(query).await.unwrap().collect().await.unwrap();
        assert_rows(&plain, query, [&found, &expected], || format!("{query}\n{}", explain(&plan))).await;
    }
    assert_eq!(options.counts().verified, 5);
}

#[tokio::test]
async fn stages_with_several_partitions_stay_with_datafusion() {
    let (ctx, options) = partitioned();
    ctx.register_batch("c", batch("c", 30, 7)).unwrap();
    let plan = ctx.sql("SELECT aid FROM a WHERE av > 0").await.unwrap().create_physical_plan().await.unwrap();
    assert_eq!(islands(&plan), 0, "{}", explain(&plan));
    assert!(explain(&plan).contains("set target_partitions to 1"), "{}", explain(&plan));
    collect(plan, ctx.task_ctx()).await.unwrap();
    assert_eq!(options.counts().islands, 0);
}

/// DataFusion plans joins of sorted rows only for several partitions. The keys have nulls and repeated values.
#[tokio::test]
async fn joins_of_sorted_rows() {
    let (ctx, options) = partitioned_with(|config| config.set_bool("datafusion.optimizer.prefer_hash_join", false));
    let plain = session(false);
    let queries = [
        "SELECT aid, bid, bw FROM a JOIN b ON ak = bk",
        "SELECT aid, bid FROM a JOIN b ON ak = bk AND av < bv",
        "SELECT aid, bid, aw FROM a LEFT JOIN b ON ak = bk AND ab = bb",
        "SELECT aid, bid FROM a LEFT JOIN b ON ak = bk AND av < bv",
        "SELECT aid, bid FROM a RIGHT JOIN b ON am = bm",
        "SELECT aid, bid FROM a RIGHT JOIN b ON ak = bk AND av > bv",
        "SELECT aid, bid FROM a FULL JOIN b ON ad = bd",
        "SELECT aid, bid FROM a FULL JOIN b ON aw = bw",
        "SELECT aid, aw FROM a LEFT SEMI JOIN b ON ak = bk",
        "SELECT aid, aw FROM a LEFT SEMI JOIN b ON ak = bk AND av > bv",
        "SELECT bid, bw FROM a RIGHT SEMI JOIN b ON ak = bk",
        "SELECT aid, aw FROM a LEFT ANTI JOIN b ON aid = bid",
        "SELECT aid FROM a LEFT ANTI JOIN b ON ak = bk AND av > bv",
        "SELECT bid FROM a RIGHT ANTI JOIN b ON av = bv",
        "SELECT aid FROM a WHERE ak > 4 OR EXISTS (SELECT 1 FROM b WHERE bid = aid)",
        "SELECT aid, bid FROM a JOIN b ON ak IS NOT DISTINCT FROM bk",
    ];
    for query in queries {
        let counted = format!("SELECT count(*) FROM ({query}) AS joined");
        for query in [counted, format!("{query} ORDER BY 1")] {
            let plan = ctx.sql(&query).await.unwrap().create_physical_plan().await.unwrap();
            assert_eq!(islands(&plan), 1, "{query}\n{}", explain(&plan));
            let island = plan.downcast_ref::<GdfExec>().unwrap_or_else(|| panic!("{query}\n{}", explain(&plan)));
            let original = datafusion::physical_plan::displayable(island.original().as_ref()).indent(false).to_string();
            assert!(original.contains("SortMergeJoin"), "{query}\n{original}");
            let found = collect(Arc::clone(&plan), ctx.task_ctx()).await;
            let found = found.unwrap_or_else(|error| panic!("{query}: {error}\n{}", explain(&plan)));
            let expected = plain.sql(&query).await.unwrap().collect().await.unwrap();
            assert_rows(&plain, &query, [&found, &expected], || format!("{query}\n{}", explain(&plan))).await;
        }
    }
    assert_eq!(options.counts().verified, 2 * queries.len() as u64);
}
