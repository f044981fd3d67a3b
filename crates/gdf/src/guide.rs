//! The guide: one page for each subject, with the reasons for the design.
//!
//! | page | subject |
//! |---|---|
//! | [`functions`] | all functions, their names in pandas, polars, SQL, arrow-rs and libcudf, and the functions that are missing |
//! | [`frames`] | columns with names, expressions by name, verbs, and their names in other libraries |
//! | [`coming_from`] | ten analyses in gdf, polars, pandas and DuckDB, with their times |
//! | [`nested`] | structs, lists, maps and dictionaries |
//! | [`semantics`] | overflow, division by zero, nulls, NaN and empty input, compared with other libraries |
//! | [`errors`] | the contents of errors, and how to match on errors |
//! | [`memory`] | resources, pools, limits, and the behavior when memory runs out |
//! | [`streams`], [`threads`], [`ownership`] | the order of work, several threads, the lifetimes of buffers |
//! | [`nulls`], [`ordering`], [`validation`] | the rules that all operations follow |
//! | [`mod@parquet`] | which columns of Parquet files are decoded on a GPU |
//! | [`costs`] | launches, waits and bytes of each operation |
//! | [`logging`], [`debugging`] | observing the work of a program |
//! | [`building`] | features, time and size of builds |
//! | [`command`] | the command `gdf`: information about the machine, kernels for its GPU, files |
//! | [`user_kernels`], [`device_interop`] | kernels of your own, and memory of other libraries and processes |
//! | [`deprecation`] | the changes that are possible between versions |

/// Defines the links between pages as links to modules. The text of a page defines the same links as links to files,
/// after these definitions. The first definition of a link takes precedence.
macro_rules! links {
    () => {
        "[command]: crate::guide::command\n\
         [costs]: crate::guide::costs\n\
         [logging]: crate::guide::logging\n\
         [memory]: crate::guide::memory\n\
         [ownership]: crate::guide::ownership\n\
         [streams]: crate::guide::streams\n\
         [validation]: crate::guide::validation\n\n"
    };
}

/// Defines the pages: modules whose documentation is a file of `docs/guide`.
macro_rules! pages {
    ($($(#[$attribute:meta])* $name:ident = $file:literal;)*) => {
        $($(#[$attribute])* #[doc = concat!(links!(), include_str!(concat!("../guide/", $file)))] pub mod $name {})*
    };
}

pages! {
    functions = "functions.md";
    #[cfg(feature = "frame")]
    frames = "frames.md";
    #[cfg(feature = "frame")]
    coming_from = "coming_from.md";
    nested = "nested.md";
    semantics = "semantics.md";
    errors = "errors.md";
    memory = "memory.md";
    streams = "streams.md";
    threads = "threads.md";
    ownership = "ownership.md";
    nulls = "nulls.md";
    ordering = "ordering.md";
    validation = "validation.md";
    parquet = "parquet.md";
    costs = "costs.md";
    logging = "logging.md";
    debugging = "debugging.md";
    building = "building.md";
    command = "command.md";
    user_kernels = "user-kernels.md";
    device_interop = "device-interop.md";
    deprecation = "deprecation.md";
}
