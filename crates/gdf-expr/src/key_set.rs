//! Sets of keys, which conditions test for membership.

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use gdf_core::DataType;

/// The keys of a set. A crate that knows devices implements this trait, and finds its own keys again by their type.
pub trait Keys: fmt::Debug + Send + Sync + Any {
    /// Returns the type of each key column.
    fn types(&self) -> &[DataType];

    /// Returns the number of rows of the keys.
    fn num_rows(&self) -> usize;

    /// Returns an estimate of the share of rows that are in the set, if the keys say something about it.
    fn selectivity(&self) -> Option<f64> {
        None
    }
}

/// A set of keys. Two sets are equal if they are clones of one set.
///
/// `HashJoin::filter` of gdf-api makes such sets. The keys are in the memory of a device, so expressions with sets
/// cannot be serialized.
#[derive(Clone, Debug)]
pub struct KeySet(Arc<dyn Keys>);

impl KeySet {
    /// Returns the set of these keys.
    pub fn new(keys: impl Keys) -> KeySet {
        KeySet(Arc::new(keys))
    }

    /// Returns the type of each key column.
    pub fn types(&self) -> &[DataType] {
        self.0.types()
    }

    /// Returns the number of rows of the keys.
    pub fn num_rows(&self) -> usize {
        self.0.num_rows()
    }

    /// Returns an estimate of the share of rows that are in the set, from 0 to 1.
    pub fn selectivity(&self) -> f64 {
        self.0.selectivity().unwrap_or(0.2)
    }

    /// Returns the keys if they have the type `K`.
    pub fn keys<K: Keys>(&self) -> Option<&K> {
        (&*self.0 as &dyn Any).downcast_ref()
    }

    fn address(&self) -> *const () {
        Arc::as_ptr(&self.0).cast()
    }
}

impl PartialEq for KeySet {
    fn eq(&self, other: &KeySet) -> bool {
        self.address() == other.address()
    }
}

impl Eq for KeySet {}

impl Hash for KeySet {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.address().hash(state);
    }
}

impl fmt::Display for KeySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "keys of {} rows", self.num_rows())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for KeySet {
    fn serialize<S: serde::Serializer>(&self, _: S) -> std::result::Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("a set of keys is in the memory of a device; send the keys as a table"))
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for KeySet {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> std::result::Result<Self, D::Error> {
        Err(serde::de::Error::custom("a set of keys is in the memory of a device; send the keys as a table"))
    }
}
