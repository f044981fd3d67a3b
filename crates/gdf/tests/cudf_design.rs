//! The design of cuDF, requirement by requirement: `docs/cudf_design.md`. The number in the name of a test is the line
//! of the document "Library Design" of cuDF that the test restates.

use gdf::core::{ColumnParts, DictionaryView, ListsView, StringsView, StructsView, make_lists_column};
use gdf::frame::index::{Alignment, ColumnIndex, Index, IndexedFrame, RangeIndex};
use gdf::frame::{Frame, GroupBy, Join, Rolling, col, cols, len, matching, nth, numeric};
use gdf::labeling::{self, Edge};
use gdf::memory::{
    LimitingResource, Resource, SpillCompression, SpillManager, SpillOptions, SpillStatisticsLevel, current_resource,
};
use gdf::prelude::*;
use gdf::{binaryop, copying, datetime, dictionary, reduction, scope, unary};

/// The number of rows of a column that takes 8 MB: each row has 8 bytes.
const ROWS: i64 = 1_000_000;

fn sales() -> Frame {
    let shop = Column::from_strs(["a", "b", "a"]).unwrap();
    let (year, sold) = (Column::from_slice(&[2023, 2023, 2024]).unwrap(), Column::from_slice(&[1_i64, 2, 3]).unwrap());
    Frame::try_new([("shop", shop), ("year", year), ("sold", sold)]).unwrap()
}

fn numbers(of: &Frame, name: &str) -> Vec<Option<i64>> {
    of.column(name).unwrap().to_vec::<i64>().unwrap()
}

fn shares(a: &Column, b: &Column) -> bool {
    a.buffers()[0].same_allocation(&b.buffers()[0])
}

#[test]
fn line_002_a_frame_is_made_of_columns_and_columns_of_memory() {
    let frame: Frame = sales();
    let table: &Table = frame.table();
    let column: &Column = table.column(2).unwrap();
    let view: gdf::ColumnView<'_> = column.view();
    let memory: &gdf::memory::Buffer = &view.to_column().buffers()[0].clone();
    assert_eq!((memory.len(), column.len()), (24, 3));
}

#[test]
fn line_010_a_frame_is_tabular_columns() {
    let frame = sales();
    assert_eq!((frame.num_rows(), frame.num_columns(), frame.names().len()), (3, 3, 3));
}

#[test]
fn line_015_a_frame_has_an_index_if_asked_for() {
    assert!(matches!(sales().with_range_index().index(), Index::Range(_)));
    assert!(matches!(sales().set_index("shop").unwrap().index(), Index::Column(_)));
}

#[test]
fn line_020_an_index_of_any_kind_has_one_interface() {
    let kinds =
        [sales().with_range_index(), sales().set_index("shop").unwrap(), sales().set_index(["shop", "year"]).unwrap()];
    for frame in kinds {
        let index = frame.index();
        assert_eq!((index.len(), index.names().len(), index.is_empty()), (3, index.num_levels(), false));
        assert_eq!(index.label(1).unwrap().len(), index.num_levels());
        assert_eq!(index.slice(1, 2).unwrap().len(), 2);
    }
}

/// Labels of 2⁶⁰ rows take no memory.
#[test]
fn line_023_a_range_index_is_not_materialized() {
    let index = RangeIndex::with_step(10, 2, 1 << 60).unwrap();
    assert_eq!((index.get(1 << 50), index.position(14)), (Some(10 + (1 << 51)), Some(2)));
    assert_eq!(index.slice(5, 1 << 59).unwrap().positions_between(20, 23), 0..2);
    let frame = sales().with_range_index();
    let kept = [frame.head(2), frame.tail(2), frame.slice(1, 1).unwrap(), frame.loc_between(0, 1).unwrap()];
    assert!(kept.iter().all(|of| matches!(of.index(), Index::Range(_))));
    // The rows that a filter keeps have no regular distance.
    assert!(matches!(frame.filter(col("sold").gt(1)).unwrap().index(), Index::Column(_)));
    assert_eq!(numbers(&frame.reset_index().unwrap(), "index"), [0, 1, 2].map(Some));
}

#[test]
fn line_024_a_multi_index_has_several_columns() {
    let frame = sales().set_index(["shop", "year"]).unwrap();
    assert_eq!(numbers(frame.loc(("a", 2024)).unwrap().frame(), "sold"), [Some(3)]);
    assert_eq!(numbers(frame.loc("a").unwrap().frame(), "sold"), [Some(1), Some(3)]);
}

#[test]
fn line_026_an_index_is_a_column_of_any_type() {
    let days = Column::from_slice_typed(&[1, 2, 3], &DataType::Date32).unwrap();
    let names = Column::from_strs(["x", "y", "z"]).unwrap();
    for column in [days, names.clone(), dictionary::encode(&names, &DataType::Int32).unwrap()] {
        let frame = sales().with_index(ColumnIndex::new("label", column).unwrap()).unwrap();
        assert!(frame.index().is_unique().unwrap());
        assert_eq!(frame.align(&frame, Alignment::Outer).unwrap().0.num_rows(), 3);
    }
}

#[test]
fn line_029_methods_of_all_structures_are_those_of_frames() {
    let frame = sales().set_index("shop").unwrap();
    assert_eq!(frame.frame().describe().unwrap().num_rows(), 6);
    assert_eq!(frame.with([(col("sold") * 2).alias("twice")]).unwrap().frame().num_columns(), 3);
}

/// A `Series` is an indexed frame of one column.
#[test]
fn line_045_a_single_column_is_flattened() {
    let series = sales().set_index("shop").unwrap().select(["sold"]).unwrap();
    let column = |of: &IndexedFrame| {
        let [column] = of.frame().table().columns() else { panic!("there is one column") };
        column.clone()
    };
    assert_eq!(column(&series).to_vec::<i64>().unwrap(), [1, 2, 3].map(Some));
    // Labels stay beside the one column, and functions of columns return columns and values, not frames.
    let found = series.loc("a").unwrap();
    assert_eq!(column(&found).to_vec::<i64>().unwrap(), [1, 3].map(Some));
    assert_eq!((found.index().names(), found.index().len()), (vec!["shop"], 2));
    let twice: Column = binaryop::mul(&column(&found), 2).unwrap();
    assert_eq!(twice.to_vec::<i64>().unwrap(), [2, 6].map(Some));
    assert_eq!(reduction::sum(&twice).unwrap().value::<i64>().unwrap(), Some(8));
}

#[test]
fn line_074_indexes_are_made_from_columns_ranges_and_frames() {
    let frame = sales();
    assert!(frame.with_index(RangeIndex::of_rows(3)).is_ok() && frame.with_index(RangeIndex::of_rows(2)).is_err());
    assert!(frame.with_index(ColumnIndex::new("k", frame.column("shop").unwrap().clone()).unwrap()).is_ok());
    assert!(frame.set_index(cols(["shop", "year"])).is_ok());
}

#[test]
fn line_086_columns_are_an_ordered_map() {
    let frame = sales();
    assert_eq!(frame.columns().position("year"), Some(1));
    assert!(frame.columns().column("yaer").unwrap_err().to_string().contains("similar name `year`"));
}

#[test]
fn line_092_columns_are_chosen_by_position_name_pattern_and_type() {
    let names = |found: gdf::Result<Frame>| found.unwrap().names().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(names(sales().select([nth([2, 0])])), ["sold", "shop"]);
    assert_eq!(names(sales().select([matching("s*")])), ["shop", "sold"]);
    assert_eq!(names(sales().select([numeric()])), ["year", "sold"]);
    assert_eq!(names(sales().with([col("sold").alias("copy")])), ["shop", "year", "sold", "copy"]);
}

#[test]
fn line_094_keys_of_a_group_by_are_a_multi_index_of_rows() {
    let sums = sales().group_by(["shop", "year"]).agg_indexed([col("sold").sum()]).unwrap();
    assert_eq!((sums.index().num_levels(), sums.num_rows()), (2, 3));
    assert_eq!(sums.unstack("year", "sold").unwrap().frame().names().collect::<Vec<_>>(), ["2023", "2024"]);
}

#[test]
fn line_101_a_column_has_type_data_mask_children_size_and_offset() {
    let column = Column::from_options(&[Some(1), None, Some(3)]).unwrap().slice(1, 2).unwrap();
    assert_eq!((column.data_type(), column.len(), column.offset()), (&DataType::Int32, 2, 1));
    assert!(column.has_validity() && column.children().is_empty());
    // A column whose rows are all valid has no mask.
    assert!(!Column::from_options(&[Some(1)]).unwrap().has_validity());
}

#[test]
fn line_121_functions_of_a_type_are_on_the_view_of_the_type() {
    let numbers = Column::from_slice(&[7, 8, 9]).unwrap();
    let text = Column::from_strs(["a", "bc"]).unwrap();
    let lists = make_lists_column(&Column::from_slice(&[0, 1, 3]).unwrap(), numbers.clone(), None).unwrap();
    let parts = ColumnParts::structs(Device::Cpu, 3, [("low", numbers.clone())]);
    let structs = Column::try_from_parts(parts).unwrap();
    let coded = dictionary::encode(&text, &DataType::Int8).unwrap();
    // Each type has one view, which gives the parts of the type.
    let columns = [&numbers, &text, &lists, &structs, &coded];
    let views = columns.map(|column| {
        let view = column.view();
        let parts = [
            StringsView::try_from(view).map(|text| text.chars().len()),
            ListsView::try_from(view).map(|lists| lists.child().len()),
            StructsView::try_from(view).map(|structs| structs.child(0).unwrap().len()),
            DictionaryView::try_from(view).map(|coded| coded.values().len()),
        ];
        parts.map(Result::ok)
    });
    let expected = [
        [None; 4],
        [Some(3), None, None, None],
        [None, Some(3), None, None],
        [None, None, Some(3), None],
        [None, None, None, Some(2)],
    ];
    assert_eq!(views, expected);
    // The error of any other function names the function and the type.
    for column in [&text, &lists, &structs] {
        let Err(error @ gdf::Error::Unsupported { .. }) = datetime::extract_year(column) else {
            panic!("{} has no years", column.data_type())
        };
        let error = error.to_string();
        assert!(error.contains("extract_year") && error.contains(&column.data_type().to_string()), "{error}");
    }
}

#[test]
fn line_131_a_thousand_integers_with_nulls_are_4000_and_128_bytes() {
    let numbers: Vec<Option<i32>> = (0..1_000).map(|row| (row % 3 > 0).then_some(row)).collect();
    let column = Column::from_options(&numbers).unwrap();
    assert_eq!((column.buffers()[0].len(), column.children().len()), (4_000, 0));
    assert_eq!(column.validity().unwrap().allocated_bytes(), 128);
}

#[test]
fn line_137_text_is_characters_and_offsets() {
    let words = Column::from_strs(["do", "you", "have", "any", "cheese?"]).unwrap();
    assert!(!words.has_validity());
    let stream = scope::current_stream(words.device()).unwrap();
    let [offsets, characters] = words.buffers() else { panic!("text has two buffers") };
    assert_eq!(characters.to_host(&stream).unwrap(), b"doyouhaveanycheese?");
    let offsets = offsets.to_host(&stream).unwrap();
    let offsets: Vec<i32> = offsets.chunks_exact(4).map(|word| i32::from_le_bytes(word.try_into().unwrap())).collect();
    assert_eq!(offsets, [0, 2, 5, 9, 12, 19]);
}

#[test]
fn line_150_types_are_those_of_arrow() {
    let offsets = Column::from_slice(&[0, 1, 3]).unwrap();
    let lists = make_lists_column(&offsets, Column::from_slice(&[7_i64, 8, 9]).unwrap(), None).unwrap();
    let fields =
        [("low", Column::from_slice(&[1_i64, 2]).unwrap()), ("high", Column::from_slice(&[3_i64, 5]).unwrap())];
    let structs = Column::try_from_parts(ColumnParts::structs(Device::Cpu, 2, fields)).unwrap();
    let decimals = Column::from_slice_typed(&[5_i64, 120], &DataType::Decimal64(9, 2)).unwrap();
    let categories = dictionary::encode(&Column::from_strs(["b", "a"]).unwrap(), &DataType::Int8).unwrap();
    let columns = [("lists", lists), ("structs", structs), ("decimals", decimals), ("categories", categories)];
    let frame = Frame::try_new(columns).unwrap();
    // Rows of every type are moved, and the functions of each type see their values.
    let turned = frame.sort(["categories"]).unwrap();
    assert_eq!(numbers(&turned.explode("lists").unwrap(), "lists"), [8, 9, 7].map(Some));
    let field = |name: &str| col("structs").struct_().field(name);
    let lengths = turned.select([(field("high") - field("low")).alias("length")]).unwrap();
    assert_eq!(numbers(&lengths, "length"), [3, 2].map(Some));
    let sum = frame.select([col("decimals").sum()]).unwrap();
    let sum = unary::cast(sum.column("decimals").unwrap(), &DataType::Float64).unwrap();
    assert_eq!(sum.to_vec::<f64>().unwrap(), [Some(1.25)]);
    // Categories are their values: they are sorted, found and grouped as text.
    assert_eq!(
        turned.column("categories").unwrap().to_vec::<String>().unwrap(),
        ["a", "b"].map(|key| Some(key.to_owned()))
    );
    assert_eq!(frame.filter(col("categories").eq("b")).unwrap().num_rows(), 1);
    // An interval is a label or a number.
    let sizes = Column::from_slice(&[1, 10, 100]).unwrap();
    let (left, right) = (Column::from_slice(&[0, 10]).unwrap(), Column::from_slice(&[10, 100]).unwrap());
    let bins = labeling::label_bins(&sizes, &left, Edge::Inclusive, &right, Edge::Exclusive).unwrap();
    assert_eq!(bins.to_vec::<i32>().unwrap(), [Some(0), Some(1), None]);
    let cut = Frame::try_new([("size", sizes)]).unwrap().select([col("size").cut([(10, "low")], "high").alias("bin")]);
    let labels = cut.unwrap().column("bin").unwrap().to_vec::<String>().unwrap();
    assert_eq!(labels, ["low", "low", "high"].map(|label| Some(label.to_owned())));
    // There is no type of objects: each type of gdf is one of Arrow, and goes there and back.
    for column in frame.table().columns() {
        let back = Column::from_array(&column.to_array().unwrap()).unwrap();
        assert_eq!(back.data_type(), column.data_type());
        assert_eq!(&back.to_array().unwrap(), &column.to_array().unwrap());
    }
}

#[test]
fn line_160_a_buffer_is_one_allocation_and_views_foreign_memory() {
    let numbers = gdf::arrow::array::Int32Array::from(vec![1, 2, 3]);
    let column = Column::from_array(&numbers).unwrap();
    assert!(column.buffers()[0].foreign_owner().is_some());
    assert!(Column::from_slice(&[1]).unwrap().buffers()[0].foreign_owner().is_none());
}

#[test]
fn line_170_objects_are_larger_than_the_memory() {
    let limited = LimitingResource::new(current_resource(Device::Cpu).unwrap(), 20 << 20);
    let manager = SpillManager::new(Resource::new(limited), SpillOptions::new());
    scope::with_resource(&manager.resource(), || {
        let frame = |of: i64| Frame::try_new([("x", Column::from_slice(&vec![of; ROWS as usize]).unwrap())]).unwrap();
        let frames: Vec<Frame> = (0..5).map(frame).collect();
        let sums =
            frames.iter().map(|frame| frame.select([col("x").sum()]).unwrap().column("x").unwrap().get::<i64>(0));
        assert_eq!(sums.map(|sum| sum.unwrap().unwrap()).sum::<i64>(), 10 * ROWS);
    });
}

#[test]
fn line_174_spilling_is_off_unless_asked_for() {
    let is_asked_for = std::env::var_os("GDF_SPILL").is_some_and(|value| value == "on" || value == "1");
    assert_eq!(SpillOptions::from_env().unwrap().is_some(), is_asked_for);
    let manager = SpillManager::of(&current_resource(Device::Cpu).unwrap());
    assert_eq!(manager.is_some(), is_asked_for);
}

#[test]
fn line_182_the_limit_is_soft() {
    let manager = SpillManager::new(
        current_resource(Device::Cpu).unwrap(),
        SpillOptions::new().with_device_limit(1 << 20).with_statistics(SpillStatisticsLevel::Transfers),
    );
    scope::with_resource(&manager.resource(), || {
        // A buffer that exceeds the limit by itself is allocated nevertheless.
        let frame = Frame::try_new([("x", Column::from_slice(&vec![1_i64; ROWS as usize]).unwrap())]).unwrap();
        assert!(manager.peak_bytes() > 1 << 20);
        manager.spill(usize::MAX).unwrap();
        assert_eq!(frame.select([col("x").sum()]).unwrap().column("x").unwrap().get(0).unwrap(), Some(ROWS));
    });
    // Lines 202 to 219 of the document require statistics as text: a line for each direction of a transfer.
    assert!(manager.statistics().device_to_disk.bytes + manager.statistics().device_to_host.bytes > 0);
    assert!(manager.statistics().to_string().lines().count() > 1);
}

/// The variable that tells a test that it runs as a child process, whose environment it may read.
const CHILD: &str = "GDF_TEST_SPILL_CHILD";

#[test]
fn line_178_options_have_variables() {
    if std::env::var_os(CHILD).is_some() {
        return spills_as_the_variables_say();
    }
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "line_178_options_have_variables", "--nocapture"])
        .envs([(CHILD, "1"), ("GDF_SPILL", "on"), ("GDF_SPILL_ON_DEMAND", "off"), ("GDF_SPILL_HOST_LIMIT", "0")])
        .envs([("GDF_SPILL_COMPRESSION", "lz4"), ("GDF_SPILL_STATS", "1")])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("test line_178_options_have_variables ... ok"));
    // Without variables, this process has no manager.
    assert!(
        std::env::var_os("GDF_SPILL").is_some() || SpillManager::of(&current_resource(Device::Cpu).unwrap()).is_none()
    );
}

/// Spills a frame that no call has handed to a manager.
fn spills_as_the_variables_say() {
    let manager = SpillManager::of(&current_resource(Device::Cpu).unwrap()).expect("`GDF_SPILL` is `on`");
    let options = format!("{:?}", manager.options());
    assert!(options.contains("on_demand: false") && options.contains("host_limit: 0"), "{options}");
    let frame = Frame::try_new([("x", Column::from_slice(&vec![1_i64; 50_000]).unwrap())]).unwrap();
    assert!(manager.spill(usize::MAX).unwrap() >= 400_000);
    // The limit of host memory sends the bytes to the file, compressed, and the transfers are counted.
    let counted = manager.statistics();
    assert_eq!((manager.host_bytes(), counted.level), (0, SpillStatisticsLevel::Transfers));
    assert!(counted.stored_bytes > 0 && counted.stored_bytes * 10 < counted.device_to_disk.bytes, "{counted}");
    assert_eq!(frame.select([col("x").sum()]).unwrap().column("x").unwrap().get(0).unwrap(), Some(50_000_i64));
}

/// Spill options that cuDF does not have.
#[test]
fn line_179_there_are_options_beyond_cudfs() {
    let options = SpillOptions::new().with_compression(SpillCompression::Lz4).with_hard_limit(1 << 20);
    let manager = SpillManager::new(
        current_resource(Device::Cpu).unwrap(),
        options.with_statistics(SpillStatisticsLevel::Transfers),
    );
    scope::with_resource(&manager.resource(), || {
        let frame = Frame::try_new([("x", Column::from_slice(&vec![1_i64; 50_000]).unwrap())]).unwrap();
        manager.spill(usize::MAX).unwrap();
        let counted = manager.statistics();
        assert!(counted.stored_bytes > 0 && counted.stored_bytes * 10 < counted.device_to_disk.bytes, "{counted}");
        assert_eq!(frame.select([col("x").sum()]).unwrap().column("x").unwrap().get(0).unwrap(), Some(50_000_i64));
        // The budget is the memory up to the hard limit. Queries of several threads wait for their shares of the
        // budget.
        assert_eq!((manager.budget().limit(), manager.budget().reserved()), (1 << 20, 0));
        assert!(manager.budget().peak_reserved() > 0);
    });
}

#[test]
fn line_190_memory_in_use_is_not_moved() {
    let manager = SpillManager::new(current_resource(Device::Cpu).unwrap(), SpillOptions::new());
    scope::with_resource(&manager.resource(), || {
        let frame = Frame::try_new([("x", Column::from_slice(&vec![1_i64; 10_000]).unwrap())]).unwrap();
        let buffer = frame.column("x").unwrap().buffers()[0].clone();
        let access = buffer.read_on(&scope::current_stream(Device::Cpu).unwrap()).unwrap();
        assert_eq!(manager.spill(usize::MAX).unwrap(), 0, "an access is a lock");
        drop(access);
        assert!(manager.spill(usize::MAX).unwrap() > 0);
        buffer.expose().unwrap();
        assert_eq!(manager.spill(usize::MAX).unwrap(), 0, "exposed memory stays for ever");
    });
}

#[test]
fn line_235_functions_take_views_and_return_owners() {
    let table = sales().table().clone();
    let part = table.view().select(&[2]).unwrap();
    let reversed: Table = copying::reverse(part).unwrap();
    assert_eq!(reversed.column(0).unwrap().to_vec::<i64>().unwrap(), [3, 2, 1].map(Some));
}

#[test]
fn line_256_reductions_go_column_by_column_and_group_bys_do_not() {
    let (statistics, _) = reduction::describe(sales().table(), &["shop", "year", "sold"]).unwrap();
    assert_eq!(statistics.num_columns(), 3);
    let joined = sales().join(&sales(), Join::inner(["shop", "year"])).unwrap();
    assert_eq!(joined.group_by(["shop", "year"]).agg([len()]).unwrap().num_rows(), 3);
}

#[test]
fn line_260_helper_objects_are_used_several_times() {
    let frame = sales();
    let groups: GroupBy = frame.group_by(["shop"]);
    assert_eq!(groups.agg([len()]).unwrap().num_rows() + groups.agg([col("sold").max()]).unwrap().num_rows(), 4);
    let windows: Rolling = frame.rolling(2).by(["shop"]);
    assert_eq!(numbers(&windows.agg([col("sold").sum()]).unwrap(), "sold"), [1, 2, 4].map(Some));
    assert_eq!(numbers(&windows.agg([len()]).unwrap(), "len"), [1, 1, 2].map(Some));
}

#[test]
fn line_268_sharers_are_counted_and_exports_are_remembered() {
    let mut column = Column::from_slice(&[1, 2]).unwrap();
    let part = column.slice(0, 1).unwrap();
    let before = column.clone();
    column.make_mut().unwrap().as_mut_slice::<i32>().unwrap()[0] = 7;
    assert!(!shares(&column, &before) && shares(&part, &before));
    column.buffers()[0].expose().unwrap();
    let exported = column.buffers()[0].clone();
    column.make_mut().unwrap();
    assert!(!column.buffers()[0].same_allocation(&exported));
}

#[test]
fn line_288_reading_never_copies() {
    let column = Column::from_slice(&[1, 2]).unwrap();
    let other = column.clone();
    let stream = scope::current_stream(column.device()).unwrap();
    assert_eq!(column.buffers()[0].to_host(&stream).unwrap().len(), 8);
    assert!(shares(&column, &other));
}

#[test]
fn line_312_text_is_never_written_in_place() {
    let mut frame = sales();
    let other = frame.clone();
    assert!(frame.make_mut("shop").is_err());
    frame.set_rows("shop", 0..1, "longer than before").unwrap();
    assert_eq!(other.column("shop").unwrap().get::<String>(0).unwrap().as_deref(), Some("a"));
    assert_eq!(frame.column("shop").unwrap().get::<String>(0).unwrap().as_deref(), Some("longer than before"));
}

#[test]
fn line_318_of_three_sharers_one_changes() {
    let mut first = Frame::try_new([("x", Column::from_slice(&[1_i64, 2, 3, 4]).unwrap())]).unwrap();
    let mut second = first.clone();
    let third = second.clone();
    let memory = |frame: &Frame| frame.column("x").unwrap().clone();
    assert!(shares(&memory(&first), &memory(&second)) && shares(&memory(&second), &memory(&third)));
    second.set_rows("x", 0..2, 10).unwrap();
    assert_eq!(numbers(&second, "x"), [10, 10, 3, 4].map(Some));
    assert!(shares(&memory(&first), &memory(&third)) && !shares(&memory(&first), &memory(&second)));
    first.set_rows("x", 0..2, 11).unwrap();
    assert_eq!(numbers(&first, "x"), [11, 11, 3, 4].map(Some));
    assert_eq!((numbers(&second, "x")[0], numbers(&third, "x")), (Some(10), [1, 2, 3, 4].map(Some).into()));
    assert!(!shares(&memory(&first), &memory(&third)));
}
