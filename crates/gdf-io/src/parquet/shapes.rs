//! The shapes of the Parquet structs: the fields that arrow-rs reads, and their types. See `parquet.thrift` in
//! <https://github.com/apache/parquet-format>.

use super::thrift::Kind::{Binary, Bool, Byte, Double, Int, List, Struct};
use super::thrift::Shape;

/// The number of the footer field that describes the encryption of columns.
pub(super) const ENCRYPTION_ALGORITHM: i16 = 8;

pub(super) const FOOTER: Shape = &[
    (1, Int),
    (2, List(&Struct(SCHEMA_ELEMENT))),
    (3, Int),
    (4, List(&Struct(ROW_GROUP))),
    (5, List(&Struct(&[(1, Binary), (2, Binary)]))),
    (6, Binary),
    (7, List(&Struct(&[(1, Struct(&[]))]))),
];

const SCHEMA_ELEMENT: Shape = &[
    (1, Int),
    (2, Int),
    (3, Int),
    (4, Binary),
    (5, Int),
    (6, Int),
    (7, Int),
    (8, Int),
    (9, Int),
    (10, Struct(LOGICAL_TYPE)),
];

const LOGICAL_TYPE: Shape = &[
    (1, Struct(&[])),
    (2, Struct(&[])),
    (3, Struct(&[])),
    (4, Struct(&[])),
    (5, Struct(&[(1, Int), (2, Int)])),
    (6, Struct(&[])),
    (7, Struct(TIME)),
    (8, Struct(TIME)),
    (10, Struct(&[(1, Byte), (2, Bool)])),
    (11, Struct(&[])),
    (12, Struct(&[])),
    (13, Struct(&[])),
    (14, Struct(&[])),
    (15, Struct(&[])),
    (16, Struct(&[(1, Byte)])),
    (17, Struct(&[(1, Binary)])),
    (18, Struct(&[(1, Binary), (2, Int)])),
];

const TIME: Shape = &[(1, Bool), (2, Struct(&[(1, Struct(&[])), (2, Struct(&[])), (3, Struct(&[]))]))];

const ROW_GROUP: Shape = &[
    (1, List(&Struct(COLUMN_CHUNK))),
    (2, Int),
    (3, Int),
    (4, List(&Struct(&[(1, Int), (2, Bool), (3, Bool)]))),
    (5, Int),
    (7, Int),
];

const COLUMN_CHUNK: Shape =
    &[(1, Binary), (2, Int), (3, Struct(COLUMN_METADATA)), (4, Int), (5, Int), (6, Int), (7, Int)];

const COLUMN_METADATA: Shape = &[
    (1, Int),
    (2, List(&Int)),
    (4, Int),
    (5, Int),
    (6, Int),
    (7, Int),
    (9, Int),
    (10, Int),
    (11, Int),
    (12, Struct(STATISTICS)),
    (13, List(&Struct(&[(1, Int), (2, Int), (3, Int)]))),
    (14, Int),
    (15, Int),
    (16, Struct(&[(1, Int), (2, List(&Int)), (3, List(&Int))])),
    (17, Struct(&[(1, Struct(BOUNDING_BOX)), (2, List(&Int))])),
];

const STATISTICS: Shape =
    &[(1, Binary), (2, Binary), (3, Int), (4, Int), (5, Binary), (6, Binary), (7, Bool), (8, Bool)];

const BOUNDING_BOX: Shape =
    &[(1, Double), (2, Double), (3, Double), (4, Double), (5, Double), (6, Double), (7, Double), (8, Double)];

/// The shape of a page header.
pub(super) const PAGE_HEADER: Shape = &[
    (1, Int),
    (2, Int),
    (3, Int),
    (4, Int),
    (5, Struct(&[(1, Int), (2, Int), (3, Int), (4, Int)])),
    (6, Struct(&[])),
    (7, Struct(&[(1, Int), (2, Int), (3, Bool)])),
    (8, Struct(&[(1, Int), (2, Int), (3, Int), (4, Int), (5, Int), (6, Int), (7, Bool)])),
];

pub(super) const COLUMN_INDEX: Shape = &[
    (1, List(&Bool)),
    (2, List(&Binary)),
    (3, List(&Binary)),
    (4, Int),
    (5, List(&Int)),
    (6, List(&Int)),
    (7, List(&Int)),
];

pub(super) const OFFSET_INDEX: Shape = &[(1, List(&Struct(&[(1, Int), (2, Int), (3, Int)]))), (2, List(&Int))];
