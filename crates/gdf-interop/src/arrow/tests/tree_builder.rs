//! Builds trees of C structs from bytes.

use std::ffi::{CString, c_char, c_void};
use std::ptr::null_mut;

#[repr(C)]
#[derive(Debug)]
pub struct RawSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut RawSchema,
    dictionary: *mut RawSchema,
    release: Option<unsafe extern "C" fn(*mut RawSchema)>,
    private_data: *mut c_void,
}

#[repr(C)]
#[derive(Debug)]
pub struct RawArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut RawArray,
    dictionary: *mut RawArray,
    release: Option<unsafe extern "C" fn(*mut RawArray)>,
    private_data: *mut c_void,
}

/// The number of words of each buffer.
const WORDS: usize = 256;
const MAX_DEPTH: usize = 4;

const SIMPLE: &[(&str, i64)] = &[
    ("n", 0),
    ("b", 2),
    ("c", 2),
    ("C", 2),
    ("s", 2),
    ("I", 2),
    ("l", 2),
    ("L", 2),
    ("e", 2),
    ("f", 2),
    ("g", 2),
    ("u", 3),
    ("U", 3),
    ("z", 3),
    ("Z", 3),
    ("vu", 3),
    ("vz", 4),
    ("tdD", 2),
    ("tdm", 2),
    ("tts", 2),
    ("ttn", 2),
    ("tsu:+01:00", 2),
    ("tDs", 2),
    ("tiM", 2),
    ("tiD", 2),
    ("tin", 2),
    ("w:0", 2),
    ("w:5", 2),
    ("w:64", 2),
    ("d:5,2", 2),
    ("d:5,2,32", 2),
    ("d:18,2,64", 2),
    ("d:70,2,256", 2),
    ("d:0,0", 2),
    ("w:-1", 2),
    ("?", 1),
    ("", 1),
];

const NESTED: &[(&str, i64, usize)] = &[
    ("+l", 2, 1),
    ("+L", 2, 1),
    ("+vl", 3, 1),
    ("+vL", 3, 1),
    ("+w:0", 1, 1),
    ("+w:3", 1, 1),
    ("+s", 1, 0),
    ("+s", 1, 1),
    ("+s", 1, 3),
    ("+m", 2, 1),
    ("+us:0,5", 1, 2),
    ("+ud:0,5", 2, 2),
    ("+ud:", 2, 0),
    ("+r", 0, 2),
    ("+w:-3", 1, 1),
];

/// A tree of structs, with all memory to which the structs point. The tree holds raw pointers that were made from
/// boxes, so the memory keeps its address until the tree is dropped.
#[derive(Debug, Default)]
pub struct Tree {
    schemas: Vec<*mut RawSchema>,
    arrays: Vec<*mut RawArray>,
    texts: Vec<*mut c_char>,
    buffers: Vec<*mut [i64]>,
    addresses: Vec<*mut [*const c_void]>,
    schema_children: Vec<*mut [*mut RawSchema]>,
    array_children: Vec<*mut [*mut RawArray]>,
}

impl Drop for Tree {
    fn drop(&mut self) {
        fn free<T: ?Sized>(pointers: &mut Vec<*mut T>) {
            for pointer in pointers.drain(..) {
                // SAFETY: each pointer came from a box and is freed once.
                drop(unsafe { Box::from_raw(pointer) });
            }
        }
        free(&mut self.schemas);
        free(&mut self.arrays);
        free(&mut self.buffers);
        free(&mut self.addresses);
        free(&mut self.schema_children);
        free(&mut self.array_children);
        for text in self.texts.drain(..) {
            // SAFETY: each pointer came from a `CString` and is freed once.
            drop(unsafe { CString::from_raw(text) });
        }
    }
}

/// A source of bytes.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn next(&mut self) -> usize {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(*first)
    }

    fn of(&mut self, n: usize) -> usize {
        self.next() % n
    }

    fn rarely(&mut self) -> bool {
        self.next() > 247
    }
}

unsafe extern "C" fn release_schema(schema: *mut RawSchema) {
    // SAFETY: the callback is called with a schema of a live tree. The tree, and not the callback, frees the schema.
    unsafe { (*schema).release = None };
}

unsafe extern "C" fn release_array(array: *mut RawArray) {
    // SAFETY: the callback is called with an array of a live tree. The tree, and not the callback, frees the array.
    // The private data count the releases.
    unsafe {
        (*array).release = None;
        *(*array).private_data.cast::<u32>() += 1;
    }
}

impl Tree {
    /// Builds the tree that `bytes` determine, and calls `visit` with its root. Both structs are valid until `visit`
    /// returns.
    pub fn visit(bytes: &[u8], visit: impl FnOnce(*mut RawArray, *mut RawSchema)) -> u32 {
        let mut tree = Tree::default();
        let mut choices = Choices(bytes);
        let rows = choices.of(10) as i64;
        let (array, schema) = tree.node(&mut choices, rows, 0);
        let released = Box::into_raw(Box::new(0_u32));
        // SAFETY: the tree owns both structs, at stable addresses.
        unsafe { (*array).private_data = released.cast::<c_void>() };
        visit(array, schema);
        // SAFETY: the pointer came from the box made above, and nothing points to the box any more.
        *unsafe { Box::from_raw(released) }
    }

    /// Returns the address of a new buffer.
    fn buffer(&mut self, choices: &mut Choices<'_>, wide: bool) -> *const c_void {
        if choices.rarely() {
            return std::ptr::null();
        }
        let kind = choices.of(6);
        let word = |i: usize| match kind {
            0 => 0,
            // Read as 4-byte numbers, the halves of these words ascend.
            1 if !wide => ((i as i64 + 1) << 32 | i as i64) & 0x7f_0000_007f,
            1 | 2 => i as i64,
            3 => choices.next() as i64,
            4 if choices.rarely() => -1 - choices.of(9) as i64,
            _ => choices.of(3) as i64,
        };
        let words: Vec<i64> = (0..WORDS).map(word).collect();
        let memory = Box::into_raw(vec![0; WORDS + 1].into_boxed_slice());
        self.buffers.push(memory);
        let start = memory.cast::<u8>().wrapping_add(usize::from(choices.rarely()));
        // SAFETY: the memory is longer than the words, so shifting the address by one byte stays within the memory.
        unsafe { words.as_ptr().cast::<u8>().copy_to_nonoverlapping(start, WORDS * 8) };
        start.cast_const().cast::<c_void>()
    }

    fn number(choices: &mut Choices<'_>, usual: i64) -> i64 {
        match choices.of(64) {
            59 => -1,
            60 => i64::MIN,
            61 => i64::MAX,
            62 => usual - 1,
            63 => usual + 1,
            _ => usual,
        }
    }

    fn node(&mut self, choices: &mut Choices<'_>, rows: i64, depth: usize) -> (*mut RawArray, *mut RawSchema) {
        let (format, buffers, children) = if depth < MAX_DEPTH && choices.of(2) == 1 {
            NESTED[choices.of(NESTED.len())]
        } else {
            let (format, buffers) = SIMPLE[choices.of(SIMPLE.len())];
            (format, buffers, 0)
        };
        let wide = matches!(format, "U" | "Z" | "vu" | "vz");
        let mut addresses: Vec<*const c_void> = (0..6).map(|_| self.buffer(choices, wide)).collect();
        if choices.of(3) == 1 {
            addresses[0] = std::ptr::null();
        }
        let below: Vec<_> = (0..children)
            .map(|_| {
                let rows = if choices.of(2) == 0 { rows } else { choices.of(12) as i64 };
                self.node(choices, rows, depth + 1)
            })
            .collect();
        let values = (depth < MAX_DEPTH && choices.of(8) == 7).then(|| self.node(choices, 4, depth + 2));
        let (mut arrays, mut schemas): (Vec<_>, Vec<_>) = below.into_iter().unzip();
        if let (true, Some(first)) = (choices.rarely(), arrays.first_mut()) {
            *first = null_mut();
        }
        if let (true, Some(first)) = (choices.rarely(), schemas.first_mut()) {
            *first = null_mut();
        }
        let nulls = [-1, 0, 1][choices.of(3)];
        let array = RawArray {
            length: rows_or_garbage(choices, rows),
            null_count: Self::number(choices, nulls),
            offset: if choices.of(4) == 3 { choices.of(3) as i64 } else { 0 },
            n_buffers: few(Self::number(choices, buffers)),
            n_children: few_of(Self::number(choices, arrays.len() as i64), arrays.len()),
            buffers: null_mut(),
            children: null_mut(),
            dictionary: values.map_or(null_mut(), |(array, _)| array),
            release: if choices.rarely() { None } else { Some(release_array) },
            private_data: null_mut(),
        };
        let text = CString::new(format).unwrap_or_default().into_raw();
        let schema = RawSchema {
            format: text,
            name: if choices.rarely() { c"\xff".as_ptr() } else { std::ptr::null() },
            metadata: std::ptr::null(),
            flags: choices.next() as i64,
            n_children: few_of(Self::number(choices, schemas.len() as i64), schemas.len()),
            children: null_mut(),
            dictionary: values.map_or(null_mut(), |(_, schema)| schema),
            release: if choices.rarely() { None } else { Some(release_schema) },
            private_data: null_mut(),
        };
        self.texts.push(text);
        let (array, schema) = self.keep(array, schema, addresses, arrays, schemas);
        // SAFETY: each child has its own counter. Only the counter of the root is read.
        unsafe { (*array).private_data = self.counter() };
        (array, schema)
    }

    fn counter(&mut self) -> *mut c_void {
        let counter = Box::into_raw(vec![0].into_boxed_slice());
        self.buffers.push(counter);
        counter.cast::<c_void>()
    }

    fn keep(
        &mut self,
        mut array: RawArray,
        mut schema: RawSchema,
        addresses: Vec<*const c_void>,
        arrays: Vec<*mut RawArray>,
        schemas: Vec<*mut RawSchema>,
    ) -> (*mut RawArray, *mut RawSchema) {
        let addresses = Box::into_raw(addresses.into_boxed_slice());
        let arrays = Box::into_raw(arrays.into_boxed_slice());
        let schemas = Box::into_raw(schemas.into_boxed_slice());
        array.buffers = addresses.cast();
        array.children = arrays.cast();
        schema.children = schemas.cast();
        self.addresses.push(addresses);
        self.array_children.push(arrays);
        self.schema_children.push(schemas);
        let (array, schema) = (Box::into_raw(Box::new(array)), Box::into_raw(Box::new(schema)));
        self.arrays.push(array);
        self.schemas.push(schema);
        (array, schema)
    }
}

fn rows_or_garbage(choices: &mut Choices<'_>, rows: i64) -> i64 {
    match Tree::number(choices, rows) {
        // A length of at most 12 stays within the buffers, even if the length exceeds `rows`.
        length if length > 12 => i64::MAX,
        length => length,
    }
}

/// Returns `buffers` if that many addresses exist, or else a number that the importer recognizes as invalid.
fn few(buffers: i64) -> i64 {
    if buffers > 6 { i64::MAX } else { buffers }
}

/// Returns `children` if that many pointers exist, or else a number that the importer recognizes as invalid.
fn few_of(children: i64, all: usize) -> i64 {
    if children > all as i64 { i64::MAX } else { children }
}
