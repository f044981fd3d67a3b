//! What the catalog does not single out.
