//! Connections to workers whose errors name the worker.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use datafusion_distributed::grpc::DefaultChannelResolver;
use datafusion_distributed::{
    ChannelResolver, CoordinatorToWorkerMsg, ExecuteTaskRequest, GetWorkerInfoRequest, GetWorkerInfoResponse,
    SetPlanRequest, WorkerChannel, WorkerToCoordinatorMsg,
};
use futures::StreamExt;
use futures::stream::BoxStream;
use http::HeaderMap;
use url::Url;

/// Connects to workers as datafusion-distributed does, and adds the address of the worker to each error. An error of a
/// broken connection, such as `h2 protocol error`, does not name the worker.
#[derive(Clone, Default)]
pub(crate) struct NamedWorkers(DefaultChannelResolver);

#[async_trait]
impl ChannelResolver for NamedWorkers {
    async fn get_worker_client_for_url(&self, url: &Url) -> Result<Box<dyn WorkerChannel>> {
        let name = Arc::new(Name(url.clone()));
        match self.0.get_worker_client_for_url(url).await {
            Ok(channel) => Ok(Box::new(NamedChannel { channel, name })),
            Err(error) => Err(name.added_to(error)),
        }
    }
}

struct Name(Url);

impl Name {
    fn added_to(&self, error: DataFusionError) -> DataFusionError {
        error.context(format!("the worker {} did not complete its task", self.0))
    }
}

struct NamedChannel {
    channel: Box<dyn WorkerChannel>,
    name: Arc<Name>,
}

impl NamedChannel {
    fn named<T: 'static>(&self, stream: BoxStream<'static, Result<T>>) -> BoxStream<'static, Result<T>> {
        let name = Arc::clone(&self.name);
        stream.map(move |item| item.map_err(|error| name.added_to(error))).boxed()
    }
}

#[async_trait]
impl WorkerChannel for NamedChannel {
    async fn coordinator_channel(
        &mut self,
        headers: HeaderMap,
        set_plan_request: SetPlanRequest,
        c2w_stream: BoxStream<'static, CoordinatorToWorkerMsg>,
        metrics: ExecutionPlanMetricsSet,
        task_ctx: &Arc<TaskContext>,
    ) -> Result<BoxStream<'static, Result<WorkerToCoordinatorMsg>>> {
        let channel = &mut self.channel;
        let messages = channel.coordinator_channel(headers, set_plan_request, c2w_stream, metrics, task_ctx).await;
        messages.map(|messages| self.named(messages)).map_err(|error| self.name.added_to(error))
    }

    async fn execute_task(
        &mut self,
        headers: HeaderMap,
        request: ExecuteTaskRequest,
        metrics: ExecutionPlanMetricsSet,
        task_ctx: &Arc<TaskContext>,
    ) -> Result<Vec<BoxStream<'static, Result<RecordBatch>>>> {
        let partitions = self.channel.execute_task(headers, request, metrics, task_ctx).await;
        let partitions = partitions.map_err(|error| self.name.added_to(error))?;
        Ok(partitions.into_iter().map(|batches| self.named(batches)).collect())
    }

    async fn get_worker_info(&mut self, request: GetWorkerInfoRequest) -> Result<GetWorkerInfoResponse> {
        self.channel.get_worker_info(request).await.map_err(|error| self.name.added_to(error))
    }
}
