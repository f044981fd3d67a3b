//! Imports of schemas as C structs with errors in formats, names, metadata and children. The import must return an
//! error, or a type that an export and a second import leave unchanged.
#![no_main]

use std::ffi::{CString, c_char, c_void};
use std::ptr::null_mut;

use gdf_interop::{ArrowSchema, to_arrow_schema};
use libfuzzer_sys::arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::fuzz_target;

#[repr(C)]
struct Raw {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Raw,
    dictionary: *mut Raw,
    release: Option<unsafe extern "C" fn(*mut Raw)>,
    private_data: *mut c_void,
}

unsafe extern "C" fn release(schema: *mut Raw) {
    // SAFETY: the consumer passes a schema of a tree that is alive.
    unsafe { (*schema).release = None };
}

/// The nodes of a schema, and the data to which the nodes point. The data live as long as the nodes.
#[derive(Default)]
struct Tree {
    nodes: Vec<*mut Raw>,
    texts: Vec<CString>,
    metadata: Vec<Vec<u8>>,
    children: Vec<Vec<*mut Raw>>,
}

impl Drop for Tree {
    fn drop(&mut self) {
        // SAFETY: each node comes from `Box::into_raw`, and `drain` passes each node here once.
        self.nodes.drain(..).for_each(|node| drop(unsafe { Box::from_raw(node) }));
    }
}

const FORMATS: [&str; 30] = [
    "i",
    "l",
    "u",
    "U",
    "z",
    "b",
    "n",
    "e",
    "vu",
    "+s",
    "+l",
    "+L",
    "+vl",
    "+w:2",
    "+m",
    "+us:0,1",
    "+ud:3",
    "+r",
    "d:5,2",
    "d:38,2,256",
    "w:3",
    "tsu:UTC",
    "tss:",
    "tdD",
    "ttm",
    "tDn",
    "tiD",
    "d:",
    "+us:",
    "w:",
];

impl Tree {
    fn text(&mut self, bytes: &mut Unstructured<'_>) -> Result<*const c_char> {
        let text: Vec<u8> = Arbitrary::arbitrary(bytes)?;
        let text = CString::new(text.into_iter().filter(|byte| *byte != 0).collect::<Vec<u8>>()).unwrap_or_default();
        self.texts.push(text);
        Ok(self.texts.last().map_or(std::ptr::null(), |text| text.as_ptr()))
    }

    /// Builds metadata: texts, each preceded by its length in four bytes. A reader cannot check the lengths against
    /// the end of the metadata. Therefore each length is correct or negative.
    fn metadata(&mut self, bytes: &mut Unstructured<'_>) -> Result<*const c_char> {
        let pairs = bytes.int_in_range(0..=3)?;
        let count: i32 = if bytes.ratio(1, 16)? { -1 } else { pairs };
        let mut all = count.to_ne_bytes().to_vec();
        for _ in 0..2 * pairs {
            let text: Vec<u8> = Arbitrary::arbitrary(bytes)?;
            let size = if bytes.ratio(1, 16)? { i32::MIN } else { text.len() as i32 };
            all.extend(size.to_ne_bytes());
            all.extend(text);
        }
        self.metadata.push(all);
        Ok(self.metadata.last().map_or(std::ptr::null(), |all| all.as_ptr().cast()))
    }

    fn node(&mut self, bytes: &mut Unstructured<'_>, depth: usize) -> Result<*mut Raw> {
        let format = if bytes.ratio(1, 4)? {
            self.text(bytes)?
        } else {
            self.texts.push(CString::new(*bytes.choose(&FORMATS)?).unwrap_or_default());
            self.texts.last().map_or(std::ptr::null(), |text| text.as_ptr())
        };
        let count = if depth < 70 { bytes.int_in_range(0..=3)? } else { 0 };
        let mut children = (0..count).map(|_| self.node(bytes, depth + 1)).collect::<Result<Vec<_>>>()?;
        if bytes.ratio(1, 32)? && count > 0 {
            children[0] = null_mut();
        }
        let pointer = if count == 0 && bytes.ratio(1, 4)? { null_mut() } else { children.as_mut_ptr() };
        self.children.push(children);
        let node = Raw {
            format: if bytes.ratio(1, 64)? { std::ptr::null() } else { format },
            name: if bool::arbitrary(bytes)? { self.text(bytes)? } else { std::ptr::null() },
            metadata: if bytes.ratio(1, 4)? { self.metadata(bytes)? } else { std::ptr::null() },
            flags: bytes.int_in_range(-1..=8)?,
            n_children: if bytes.ratio(1, 32)? { *bytes.choose(&[-1, i64::MIN, i64::MAX])? } else { count },
            children: pointer,
            dictionary: if depth < 70 && bytes.ratio(1, 8)? { self.node(bytes, depth + 1)? } else { null_mut() },
            release: if bytes.ratio(1, 64)? { None } else { Some(release) },
            private_data: null_mut(),
        };
        let node = Box::into_raw(Box::new(node));
        self.nodes.push(node);
        Ok(node)
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut tree = Tree::default();
    let Ok(root) = tree.node(&mut Unstructured::new(bytes), 0) else { return };
    // SAFETY: the struct has the layout of `ArrowSchema`, and the tree outlives the schema.
    let schema = unsafe { ArrowSchema::from_raw(root.cast()) };
    let _ = schema.to_schema();
    let _ = schema.to_field();
    if let Ok(data_type) = schema.to_data_type() {
        let exported = to_arrow_schema(&data_type).expect("an imported type can be exported");
        assert_eq!(exported.to_data_type().expect("an exported schema can be imported"), data_type);
    }
    drop(schema);
});
