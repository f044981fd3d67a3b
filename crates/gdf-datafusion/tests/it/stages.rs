//! Tests the rule without the planner, in plans with several partitions, as in distributed engines.

use std::sync::Arc;

use datafusion::execution::SessionStateBuilder;
use datafusion::physical_plan::collect;
use datafusion::prelude::SessionContext;
use gdf_datafusion::{GdfIslands, explain};

use crate::kit::{islands, lines, strict};
use crate::small::{batch, session};

fn partitioned() -> (SessionContext, gdf_datafusion::GdfOptions) {
    let options = strict();
    let plain = session(false);
    let mut state = plain.state();
    *state.config_mut() = state.config().clone().with_target_partitions(4).with_batch_size(8);
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
        assert_eq!(lines(&found), lines(&expected), "{query}\n{}", explain(&plan));
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
