//! Tests of structs that contradict themselves or their type. The import must return an error and release the struct.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, DictionaryArray, Int8Array, Int32Array, ListArray, StringArray, StructArray};
use arrow_buffer::OffsetBuffer;
use gdf_core::{DataType, Error, Field, Fields};
use gdf_driver::{Device, Stream};

use super::{column, cpu, schema_of};
use crate::{
    ArrowArray, ArrowDeviceArray, ArrowSchema, DeviceType, Importer, InteropError, Result, from_arrow_device,
    to_arrow_device, to_arrow_schema,
};

/// Returns a struct array with three children: integers with nulls, lists of strings, and a dictionary.
fn array() -> ArrayRef {
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None, Some(3), Some(4)]));
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["a", "bb", "", "dddd", "e"]));
    let item = Arc::new(Field::new_list_field(DataType::Utf8, true));
    let lists: ArrayRef = Arc::new(ListArray::new(item, OffsetBuffer::from_lengths([1, 0, 2, 2]), texts, None));
    let words = Arc::new(StringArray::from(vec!["x", "y"]));
    let keys: ArrayRef = Arc::new(DictionaryArray::new(Int8Array::from(vec![0, 1, 0, 1]), words));
    let field = |name, array: &ArrayRef| Field::new(name, array.data_type().clone(), true);
    let fields = Fields::from(vec![field("n", &numbers), field("l", &lists), field("d", &keys)]);
    Arc::new(StructArray::new(fields, vec![numbers, lists, keys], None))
}

fn exported() -> ArrowDeviceArray {
    to_arrow_device(column(&array()), &Stream::cpu()).unwrap()
}

fn import(array: ArrowDeviceArray) -> Result<gdf_core::Column> {
    let (stream, mr) = cpu();
    // SAFETY: gdf exported the array, and the test's changes do not make the array need longer buffers.
    unsafe { from_arrow_device(array, &schema_of(&self::array()), &stream, mr.as_ref()) }
}

/// Returns the descendant at `path`.
fn part<'a>(array: &'a mut ArrowDeviceArray, path: &[usize]) -> &'a mut ArrowArray {
    path.iter().fold(&mut array.array, |array, i| {
        // SAFETY: tests pass only paths to children that exist.
        unsafe { &mut **array.children.add(*i) }
    })
}

#[test]
fn what_contradicts_the_type_is_refused() {
    type Change = fn(&mut ArrowArray);
    let changes: &[(&str, &[usize], Change)] = &[
        ("negative length", &[], |array| array.length = -1),
        ("negative length", &[1, 0], |array| array.length = -7),
        ("too many rows", &[], |array| array.length = 5),
        ("more rows than memory", &[], |array| array.length = i64::MAX),
        ("more rows than memory", &[0], |array| array.length = i64::MAX),
        ("negative offset", &[0], |array| array.offset = -1),
        ("offset beyond the children", &[], |array| array.offset = 1),
        ("offset beyond memory", &[1], |array| array.offset = i64::MAX),
        ("no buffers", &[0], |array| array.n_buffers = 0),
        ("too many buffers", &[0], |array| array.n_buffers = 3),
        ("negative number of buffers", &[0], |array| array.n_buffers = -2),
        ("huge number of buffers", &[0], |array| array.n_buffers = i64::MAX),
        ("buffers nowhere", &[0], |array| array.buffers = std::ptr::null_mut()),
        ("too few children", &[], |array| array.n_children = 2),
        ("negative number of children", &[], |array| array.n_children = -1),
        ("children of a leaf", &[0], |array| array.n_children = 1),
        ("children nowhere", &[], |array| array.children = std::ptr::null_mut()),
        ("negative null count", &[0], |array| array.null_count = -2),
        ("the null count is larger than the number of rows", &[0], |array| array.null_count = 5),
        ("nulls miscounted", &[0], |array| array.null_count = 2),
        ("no dictionary", &[2], |array| array.dictionary = std::ptr::null_mut()),
        ("a shorter child", &[0], |array| array.length = 3),
        ("list beyond its elements", &[1, 0], |array| array.length = 4),
        ("released child", &[1, 0], |array| {
            // SAFETY: the test moves the child out as C code would.
            drop(unsafe { ArrowArray::from_raw(array) });
        }),
    ];
    assert!(import(exported()).is_ok());
    assert!(matches!(import(ArrowDeviceArray::empty()), Err(InteropError::Released { .. })));
    for (what, path, change) in changes {
        let mut array = exported();
        change(part(&mut array, path));
        let result = import(array);
        assert!(result.is_err(), "{what} at {path:?}");
    }
}

#[test]
fn buffers_at_null_pointers_are_refused_where_rows_need_them() {
    // SAFETY: the array has the buffers that the test names.
    let set_null = |array: &mut ArrowArray, i| unsafe { array.buffers.add(i).write(std::ptr::null()) };
    for (path, i) in [(&[0][..], 0), (&[0], 1), (&[1], 1), (&[1, 0], 1), (&[1, 0], 2), (&[2], 1)] {
        let mut array = exported();
        set_null(part(&mut array, path), i);
        assert!(matches!(import(array), Err(InteropError::NullBuffer { .. })), "{path:?} {i}");
    }
    // If the null count is 0 or unknown, the mask may be missing.
    for null_count in [0, -1] {
        let mut array = exported();
        let numbers = part(&mut array, &[0]);
        set_null(numbers, 0);
        numbers.null_count = null_count;
        let imported = import(array).unwrap();
        assert_eq!(imported.children()[0].known_null_count(), Some(0));
    }
}

#[test]
fn data_that_break_the_rules_are_refused_unless_believed() {
    let (stream, mr) = cpu();
    let text: ArrayRef = Arc::new(StringArray::from(vec!["äh", "b", "c"]));
    let list = array();
    let keys = column(&list).children()[2].to_arrow(&stream).unwrap();
    let export = |array: &ArrayRef| {
        let column = column(array).deep_copy(&stream, mr.as_ref()).unwrap();
        to_arrow_device(column, &stream).unwrap()
    };
    /// Writes a value to index `at` of buffer `i` of the array.
    fn put<T>(array: &mut ArrowArray, i: usize, at: usize, value: T) {
        // SAFETY: the exported array is the only owner of its buffers, and the buffers hold more values than the
        // tests write.
        unsafe { array.buffers.add(i).read().cast_mut().cast::<T>().add(at).write(value) };
    }
    type Change = fn(&mut ArrowArray);
    let changes: [(&ArrayRef, Change); 5] = [
        (&text, |array| put(array, 2, 0, 0xff_u8)),
        (&text, |array| put(array, 1, 1, 1_i32)),
        (&text, |array| put(array, 1, 1, 90_i32)),
        (&text, |array| put(array, 1, 0, -1_i32)),
        (&keys, |array| put(array, 1, 0, 2_i8)),
    ];
    for (i, (array, change)) in changes.into_iter().enumerate() {
        let mut exported = export(array);
        change(&mut exported.array);
        // SAFETY: gdf exported the array, and its buffers still have their original lengths.
        let result = unsafe { from_arrow_device(exported, &schema_of(array), &stream, mr.as_ref()) };
        assert!(matches!(result, Err(InteropError::Core(Error::BrokenData { .. }))), "change {i}");

        let mut exported = export(array);
        change(&mut exported.array);
        let importer = Importer::of_type(array.data_type().clone()).without_validation();
        // SAFETY: gdf exported the array with buffers of the right lengths, and nobody reads the column.
        let believed = unsafe { importer.column(exported, &stream, mr.as_ref()).unwrap() };
        assert!(!believed.validated());
        // Without validation, the import returns the column as unvalidated.
        assert!(believed.to_arrow(&stream).is_err());
    }
}

#[test]
fn devices_must_agree() {
    let with = |device_type, device_id, sync_event| {
        let mut array = exported();
        array.device_type = device_type;
        array.device_id = device_id;
        array.sync_event = sync_event;
        import(array).err()
    };
    let none = std::ptr::null_mut();
    assert!(matches!(
        with(DeviceType::CUDA, 3, none),
        Some(InteropError::Core(Error::DeviceMismatch { expected: Device::Cpu, found: Device::Cuda(3), .. }))
    ));
    for (kind, id) in [(DeviceType::CUDA, -1), (DeviceType::CUDA, 1 << 40), (DeviceType(8), 0), (DeviceType(0), 0)] {
        let error = with(kind, id, none);
        assert!(
            matches!(error, Some(InteropError::UnsupportedDevice { device_id, .. }) if device_id == id),
            "{kind:?}"
        );
    }
    let mut event = std::ptr::null_mut::<std::ffi::c_void>();
    let event = (&raw mut event).cast();
    assert!(matches!(with(DeviceType::CPU, -1, event), Some(InteropError::Malformed { .. })));
    assert!(matches!(with(DeviceType::CUDA_HOST, 0, event), Some(InteropError::Malformed { .. })));
    // The CPU can also read pinned and managed memory.
    assert!(with(DeviceType::CUDA_HOST, 0, none).is_none());
    assert!(with(DeviceType::CUDA_MANAGED, 0, none).is_none());
}

#[test]
fn schemas_that_make_no_sense_are_refused() {
    type Change = fn(&mut ArrowSchema);
    let changes: &[(&str, DataType, Change)] = &[
        ("released", DataType::Int8, |schema| drop(std::mem::replace(schema, ArrowSchema::empty()))),
        ("no format", DataType::Int8, |schema| schema.format = std::ptr::null()),
        ("unknown", DataType::Int8, |schema| schema.format = c"q".as_ptr()),
        ("unknown with parameter", DataType::Int8, |schema| schema.format = c"tts:".as_ptr()),
        ("no number", DataType::Int8, |schema| schema.format = c"w:x".as_ptr()),
        ("decimal", DataType::Int8, |schema| schema.format = c"d:1".as_ptr()),
        ("wide decimal", DataType::Int8, |schema| schema.format = c"d:1,2,512".as_ptr()),
        ("format not UTF-8", DataType::Int8, |schema| schema.format = c"\xff".as_ptr()),
        ("name not UTF-8", DataType::Int8, |schema| schema.name = c"\xff".as_ptr()),
        ("list without child", DataType::Int8, |schema| schema.format = c"+l".as_ptr()),
        ("union ids", DataType::Int8, |schema| schema.format = c"+ud:1".as_ptr()),
        ("dictionary of text keys", dictionary(), |schema| schema.format = c"u".as_ptr()),
        ("children count", pair(), |schema| schema.n_children = -1),
        ("children count", pair(), |schema| schema.n_children = i64::MAX),
        ("children nowhere", pair(), |schema| schema.children = std::ptr::null_mut()),
        ("leaf with children", pair(), |schema| schema.format = c"i".as_ptr()),
        ("list of two", pair(), |schema| schema.format = c"+L".as_ptr()),
        ("fixed list of two", pair(), |schema| schema.format = c"+w:2".as_ptr()),
        ("no list size", pair(), |schema| schema.format = c"+w:-".as_ptr()),
        ("union with one id", pair(), |schema| schema.format = c"+us:1".as_ptr()),
        ("union with equal ids", pair(), |schema| schema.format = c"+us:1,1".as_ptr()),
        ("released child", pair(), |schema| {
            // SAFETY: the test moves the child out as C code would.
            drop(unsafe { ArrowSchema::from_raw(*schema.children) });
        }),
        ("metadata", DataType::Int8, |schema| schema.metadata = c"\xff\xff\xff\xff".as_ptr()),
    ];
    for (what, data_type, change) in changes {
        let mut schema = to_arrow_schema(data_type).unwrap();
        change(&mut schema);
        assert!(schema.to_field().is_err(), "{what}");
    }
}

fn dictionary() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8))
}

fn pair() -> DataType {
    let field = |name| Field::new(name, DataType::Int16, true);
    DataType::Struct(Fields::from(vec![field("a"), field("b")]))
}

#[test]
fn types_nested_too_deeply_are_refused() {
    let nest = |depth: usize| (0..depth).fold(DataType::Int8, |inner, _| DataType::new_list(inner, true));
    assert!(to_arrow_schema(&nest(63)).unwrap().to_field().is_ok());
    assert!(matches!(to_arrow_schema(&nest(64)).unwrap().to_field(), Err(InteropError::Malformed { .. })));
}

#[test]
fn very_deep_schemas_are_refused_without_recursion() {
    // The structs form a chain: each struct except the last has the next struct as its only child.
    unsafe extern "C" fn release(schema: *mut ArrowSchema) {
        // SAFETY: the caller passes a schema that is not released.
        unsafe { (*schema).release = None };
    }
    let empty = || ArrowSchema {
        format: c"c".as_ptr(),
        name: std::ptr::null(),
        metadata: std::ptr::null(),
        flags: 0,
        n_children: 0,
        children: std::ptr::null_mut(),
        dictionary: std::ptr::null_mut(),
        release: Some(release),
        private_data: std::ptr::null_mut(),
    };
    let mut levels: Vec<ArrowSchema> = (0..100_000).map(|_| empty()).collect();
    let base = levels.as_mut_ptr();
    // SAFETY: the positions are within the vector.
    let mut pointers: Vec<*mut ArrowSchema> = (1..levels.len()).map(|next| unsafe { base.add(next) }).collect();
    for (level, child) in pointers.iter_mut().enumerate() {
        // SAFETY: the position is within the vector, and nothing else refers to its elements.
        let schema = unsafe { &mut *base.add(level) };
        (schema.format, schema.n_children, schema.children) = (c"+l".as_ptr(), 1, std::ptr::from_mut(child));
    }
    assert!(matches!(levels[0].to_data_type(), Err(InteropError::Malformed { .. })));
    let leaf = levels.len() - 64;
    assert!(levels[leaf].to_data_type().is_ok(), "64 levels");
    assert!(matches!(levels[leaf - 1].to_data_type(), Err(InteropError::Malformed { .. })), "65 levels");
}
