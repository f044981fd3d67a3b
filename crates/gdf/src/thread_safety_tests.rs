//! Tests at compile time that threads can share the public types of the driver, of memory, of columns, of expressions,
//! of operations and of frames. Four guards stay on their thread, and some types of the exchange with other libraries
//! can only be sent. `cargo xtask tidy` finds a public type that is not named here.

use std::future::Ready;

use gdf_memory as memory;

fn is_send_and_sync<T: Send + Sync + ?Sized>() {}

macro_rules! send_and_sync {
    ($($type:ty),* $(,)?) => { $(is_send_and_sync::<$type>();)* };
}

#[test]
fn drivers_types() {
    use gdf_driver::*;
    send_and_sync!(
        Counters,
        CopyKind,
        DefaultStreamMode,
        Device,
        DeviceProperties,
        DriverError,
        Event,
        Function,
        Lane,
        LaunchConfig,
        MemoryInfo,
        MemoryKind,
        Module,
        PointerInfo,
        Status,
        Stream,
        StreamPool,
        StreamRef,
        deferred::DeferredCpu,
        ipc::OpenedMemory,
        ipc::SharedEvent,
        memory::RawPool,
        virtual_memory::AddressRange,
        virtual_memory::Physical,
    );
}

#[test]
fn memorys_types() {
    use memory::*;
    send_and_sync!(
        Access<'static>,
        AccessMut<'static>,
        AlignedResource,
        ArenaResource,
        BinningResource,
        Buffer,
        BufferReader,
        BufferWriter<'static>,
        CachingResource,
        CallbackResource,
        Counter,
        CudaAsyncOptions,
        CudaAsyncResource,
        CudaResource,
        DeviceScalar<f64>,
        DeviceVec<f64>,
        ExportHandle,
        FailureCallbackResource,
        Fault,
        FaultInjectionResource,
        FixedSizeResource,
        FreeMemory,
        HostResource,
        HostVec<'static, f64>,
        LimitingResource,
        LoggingResource,
        Mailbox,
        ManagedResource,
        MemoryBudget,
        MemoryError,
        MemoryReservation,
        Outstanding,
        OwnedAccess,
        PinnedResource,
        PoolOptions,
        PoolResource,
        PrefetchResource,
        Properties,
        Resource,
        ResourceRef<'static>,
        Resources<'static>,
        SpillCompression,
        SpillManager,
        SpillOptions,
        SpillStatistics,
        SpillStatisticsLevel,
        SplitBounds,
        Statistics,
        StatisticsResource,
        TrackingResource,
        Transfers,
        VirtualPoolResource,
        testing::FailingResource,
        testing::SpyingResource,
        dyn MemoryResource,
        dyn Owner,
    );
}

#[test]
fn cores_types() {
    use gdf_core::*;
    send_and_sync!(
        Abilities,
        BinaryView<'static>,
        Column,
        ColumnParts,
        ColumnView<'static>,
        Context,
        Counted,
        DataRule,
        DictionaryView<'static>,
        Error,
        ExpectedType,
        FixedSizeListsView<'static>,
        I256,
        ListsView<'static>,
        Literal<'static>,
        NullCount,
        OneOrMany<DataType>,
        Operand<'static>,
        PhysicalType,
        Position,
        RunsView<'static>,
        Scalar,
        StringsView<'static>,
        StructsView<'static>,
        Table,
        TableDisplay<'static>,
        TableView<'static>,
        TextFacts,
        Validity,
        ValueBounds,
        ValueOrder,
        scope::Ctx<'static>,
    );
}

#[test]
fn expressions_types() {
    use gdf_expr::*;
    send_and_sync!(
        BinaryOperator,
        Case,
        CodedText,
        Component,
        Estimate,
        Expr,
        ExprKind,
        Function,
        Graph,
        Input,
        KeySet,
        Node,
        NodeId,
        NullRule,
        Operation,
        UnaryOperator,
        Value,
        dyn Keys,
    );
}

#[cfg(feature = "frame")]
#[test]
fn externals_types() {
    use gdf_external::*;
    fn is_send<T: Send>() {}
    send_and_sync!(Budget, JoinKind, Keys, Request);
    is_send::<Prefetch<gdf_core::Table>>();
}

#[cfg(feature = "frame")]
#[test]
fn frames_types() {
    use gdf_frame::*;
    send_and_sync!(
        Aggregation,
        AsofJoin,
        Case,
        Closed,
        Columns,
        DateExpr,
        Expr,
        Frame,
        GroupBy,
        Join,
        JoinKey,
        JoinKind,
        LazyFrame,
        LazyGroupBy,
        LazyRolling,
        ListExpr,
        MapExpr,
        Output,
        Rolling,
        Selector,
        SortBy,
        StructExpr,
        TextExpr,
        Validate,
        When,
        index::ColumnIndex,
        index::Index,
        index::IndexedFrame,
        index::MultiIndex,
        index::RangeIndex,
    );
}

#[test]
fn apis_types() {
    use crate::*;
    send_and_sync!(
        binaryop::ArithmeticPolicy,
        binaryop::BinaryOperator,
        binaryop::OverflowPolicy,
        binaryop::ZeroDivisionPolicy,
        contiguous_split::ChunkedPack<'static>,
        contiguous_split::PackedTable,
        datetime::Component,
        datetime::Frequency,
        datetime::LocalTimeChoice,
        datetime::LocalTimePolicy,
        datetime::TimeZone,
        copying::OutOfBoundsPolicy,
        copying::Replacement,
        groupby::AggregationRequest<'static>,
        groupby::GroupBy<'static>,
        groupby::GroupByAggregation,
        groupby::PartialGroups,
        groupby::NullPolicy,
        groupby::PartialRequest,
        groupby::RankOrder,
        groupby::StreamingGroupBy,
        join::HashJoin<'static>,
        join::AsofDirection,
        join::AsofKeys<'static>,
        join::JoinKeys<'static>,
        join::JoinKind,
        join::JoinPartitions<'static, 'static, 'static>,
        join::NullEquality,
        join::Presorted,
        json::JsonMismatch,
        json::JsonObjectOptions,
        json::JsonWriteOptions,
        lists::ConcatenateNullPolicy,
        lists::FindOption,
        null_mask::Bitmask,
        labeling::Edge,
        null_mask::MaskState,
        hashing::DigestFunction,
        partitioning::HashFunction,
        pipeline::GroupRequest,
        pipeline::GroupedPipeline<'static>,
        pipeline::Pipeline<'static>,
        pipeline::ProbingPipeline<'static, 'static>,
        pipeline::Reduction,
        pipeline::SortKey,
        pipeline::SortedPipeline<'static>,
        predicate::Predicate<'static>,
        quantiles::Interpolation,
        quantiles::QuantileOrder<'static>,
        reduction::BloomFilter,
        reduction::DistinctSketch,
        reduction::ReduceAggregation,
        reduction::ValueRange,
        replace::ReplacePolicy,
        reshape::ByteOrder,
        rolling::RangeWindow<'static>,
        rolling::RangeWindowBound<'static>,
        rolling::RollingAggregation,
        rolling::WindowBound,
        round::RoundingMethod,
        scan::EwmHistory,
        scan::RankMethod,
        scan::RankPercentage,
        scan::ScanAggregation,
        scan::ScanType,
        scope::Ctx<'static>,
        scope::InScope<Ready<()>>,
        scope::ScopeHandle,
        sorting::NullOrder,
        sorting::Order,
        stream_compaction::DuplicateKeepOption,
        stream_compaction::NanEquality,
        stream_compaction::NanPolicy,
        strings::CharacterTypes,
        strings::Filter,
        strings::JoinOptions<'static>,
        strings::Regex,
        strings::RegexFlags,
        strings::Side,
        unary::UnaryOperator,
        log::LogError,
        log::NvtxLayer,
    );
}

#[test]
fn interops_types() {
    use gdf_interop::*;
    fn is_send<T: Send>() {}
    send_and_sync!(CudaArrayInterface, DeviceType, DlpackTensor, Importer, InteropError, IpcHandle, SharedBuffer);
    is_send::<Arguments<'static>>();
    is_send::<ArrowArray>();
    is_send::<ArrowArrayStream>();
    is_send::<ArrowDeviceArray>();
    is_send::<ArrowDeviceArrayStream>();
    is_send::<ArrowSchema>();
    is_send::<Exportable>();
    is_send::<TableReader>();
}

/// `Sends::<T>::IS_SEND` states whether `T` is `Send`: the inherent constant exists for such a `T`, and takes
/// precedence over the constant of the trait.
struct Sends<T>(std::marker::PhantomData<T>);

trait Otherwise {
    const IS_SEND: bool = false;
}

impl<T> Otherwise for Sends<T> {}

impl<T: Send> Sends<T> {
    const IS_SEND: bool = true;
}

#[test]
fn guards_stay_on_their_thread() {
    let sends = [
        Sends::<gdf_core::Column>::IS_SEND,
        Sends::<crate::scope::Entered>::IS_SEND,
        Sends::<crate::scope::Scope>::IS_SEND,
        Sends::<gdf_driver::nvtx::Range>::IS_SEND,
        #[cfg(feature = "frame")]
        Sends::<gdf_external::Reserved>::IS_SEND,
    ];
    assert!(sends[0] && !sends[1..].contains(&true), "{sends:?}");
}
