//! Columns that borrow an array for the time of a call.

use gdf_core::{Column, ColumnView, Table, TableView};
use gdf_driver::Stream;
use gdf_memory::{Buffer, ResourceRef};

use super::import::{view_arrow_device, view_table};
use crate::{ArrowDeviceArray, ArrowSchema, InteropError, Result};

/// Calls `body` with the array as a column, and waits, on return and on unwind, for everything that then reads the array on any
/// stream, so that the caller may release it at once. Nothing is copied; see [`from_arrow_device`](crate::from_arrow_device).
///
/// ```
/// use gdf_core::{DataType, from_options};
/// use gdf_driver::{Device, Stream};
/// use gdf_interop::{to_arrow_device, to_arrow_schema, with_arrow_device};
///
/// let (stream, mr) = (Stream::cpu(), gdf_memory::current_resource(Device::Cpu)?);
/// let column = from_options(&[Some(1_i32), None], &stream, mr.as_ref())?;
/// let (schema, array) = (to_arrow_schema(column.data_type())?, to_arrow_device(column, &stream)?);
/// // SAFETY: the array is one of ours, and nothing of it leaves the closure.
/// let nulls = unsafe { with_arrow_device(&array, &schema, &stream, mr.as_ref(), |view| view.null_count(&stream)) }??;
/// assert_eq!(nulls, 1);
/// # Ok::<(), gdf_interop::InteropError>(())
/// ```
///
/// # Safety
/// - As [`from_arrow_device`](crate::from_arrow_device); the array stays unreleased during the call.
/// - No column that shares the array's memory is kept elsewhere by `body`. One in its result is found, and dropped.
///
/// # Errors
/// - As [`from_arrow_device`](crate::from_arrow_device), before `body` is called.
/// - [`InteropError::Escaped`]: the result shares the array's memory. It was dropped; copy such columns instead.
pub unsafe fn with_arrow_device<R>(
    array: &ArrowDeviceArray,
    schema: &ArrowSchema,
    stream: &Stream,
    mr: ResourceRef<'_>,
    body: impl FnOnce(ColumnView<'_>) -> R,
) -> Result<R> {
    // SAFETY: as the caller promises; the lent column is gone, and everything that read it done, when this returns.
    let column = unsafe { view_arrow_device(array, schema, stream, mr)? };
    let lent = Lent { columns: vec![column], stream };
    let result = body(lent.columns[0].view());
    lent.take_back(result)
}

/// As [`with_arrow_device`], with the struct array as a table.
///
/// # Safety
/// - As [`with_arrow_device`].
///
/// # Errors
/// - As [`with_arrow_device`] and [`from_arrow_device_table`](crate::from_arrow_device_table).
pub unsafe fn with_arrow_device_table<R>(
    array: &ArrowDeviceArray,
    schema: &ArrowSchema,
    stream: &Stream,
    mr: ResourceRef<'_>,
    body: impl FnOnce(TableView<'_>) -> R,
) -> Result<R> {
    // SAFETY: as in `with_arrow_device`.
    let table: Table = unsafe { view_table(array, schema, stream, mr)? };
    let rows = table.num_rows();
    let lent = Lent { columns: table.into_columns(), stream };
    let views = lent.columns.iter().map(Column::view).collect();
    let result = body(TableView::try_with_rows(views, rows)?);
    lent.take_back(result)
}

/// Columns on lent memory. Dropping waits for everything that uses them.
struct Lent<'a> {
    columns: Vec<Column>,
    stream: &'a Stream,
}

impl Lent<'_> {
    fn take_back<R>(mut self, result: R) -> Result<R> {
        let users = self.users();
        let is_shared = std::mem::take(&mut self.columns).into_iter().any(is_shared);
        let result = if is_shared {
            drop(result);
            Err(InteropError::Escaped)
        } else {
            Ok(result)
        };
        wait_for(users);
        result
    }

    fn users(&self) -> Vec<Stream> {
        let mut users = vec![self.stream.clone()];
        self.columns.iter().for_each(|column| collect_users(column, &mut users));
        users
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        if !self.columns.is_empty() {
            wait_for(self.users());
        }
    }
}

fn wait_for(users: Vec<Stream>) {
    for user in users {
        if let Err(error) = user.synchronize() {
            // its work failed or its device is unusable: nothing of it runs any more
            tracing::warn!(%error, "work on a lent array cannot be waited for");
        }
    }
}

/// Whether somebody else holds one of the buffers.
fn is_shared(column: Column) -> bool {
    let mut parts = column.into_parts();
    let own = parts.validity.iter_mut().chain(&mut parts.buffers).any(Buffer::is_shared);
    // all children are looked at, so that none is dropped before
    parts.children.into_iter().map(is_shared).fold(own, |any, child| any | child)
}

fn collect_users(column: &Column, users: &mut Vec<Stream>) {
    for buffer in column.validity().into_iter().chain(column.buffers()) {
        buffer.for_each_user(&mut |user| {
            if !users.contains(user) {
                users.push(user.clone());
            }
        });
    }
    column.children().iter().for_each(|child| collect_users(child, users));
}
