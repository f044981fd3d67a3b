//! The workers, which run the tasks of stages.

use datafusion::error::{DataFusionError, Result};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion_distributed::{
    DistributedExt, Worker, WorkerPlanRewriteEvent, WorkerPlanRewriteEventResponse, WorkerQueryContext,
};
use gdf_datafusion::{GdfCodec, GdfIslands, GdfOptions};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;

use crate::named::NamedWorkers;

/// Returns a worker of datafusion-distributed whose tasks contain islands. Programs that serve the worker themselves
/// use this function.
///
/// The device, the memory limit and the other options are those of the worker. In each task, gdf runs the maximal
/// subtrees with one output partition. DataFusion runs all other nodes, among them the exchange of rows.
pub fn worker(options: GdfOptions) -> Worker {
    // The connections to other workers are kept for later tasks.
    let workers = NamedWorkers::default();
    Worker::from_session_builder(move |context: WorkerQueryContext| {
        let codec = GdfCodec::new(options.clone());
        let islands = GdfIslands::for_stages(options.clone());
        let with_islands = move |event: WorkerPlanRewriteEvent<'_>| {
            let plan = islands.optimize(event.plan, event.session_config.options())?;
            Ok(WorkerPlanRewriteEventResponse::new(plan))
        };
        let builder = context.builder.with_distributed_user_codec(codec);
        let builder = builder.with_distributed_channel_resolver(workers.clone());
        let state = builder.with_distributed_worker_plan_rewrite_handler(with_islands).build();
        async move { Ok(state) }
    })
}

/// Serves a worker to all who connect to `listener`, until the future is dropped. Connections are neither encrypted nor
/// authenticated. Anyone who can connect can read all files that the process can read.
///
/// # Errors
/// * [`DataFusionError::External`]: the server failed.
pub async fn serve(listener: TcpListener, options: GdfOptions) -> Result<()> {
    let server = Server::builder().add_service(worker(options).into_worker_server());
    let served = server.serve_with_incoming(TcpListenerStream::new(listener)).await;
    served.map_err(|error| DataFusionError::External(Box::new(error)))
}
