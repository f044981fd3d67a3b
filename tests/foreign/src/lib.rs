//! This library is empty. The package consists of the tests in `tests/`.
