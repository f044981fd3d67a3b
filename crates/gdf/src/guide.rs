//! A page per subject, with reasons: what there is, what happens when, memory, streams, errors.
//!
//! | page | for |
//! |---|---|
//! | [`functions`] | what there is, its name in pandas, polars, SQL, arrow-rs and libcudf, and what is missing |
//! | [`semantics`] | overflow, division by zero, nulls, NaN and empty input, beside other libraries |
//! | [`errors`] | what errors say and how to match on them |
//! | [`memory`] | resources, pools, limits and what happens when memory is out |
//! | [`streams`], [`threads`], [`ownership`] | order of work, several threads, lifetimes of buffers |
//! | [`nulls`], [`ordering`], [`validation`] | the rules that all operations keep |
//! | [`costs`] | launches, waits and bytes of each operation |
//! | [`logging`], [`debugging`] | seeing what a program does |
//! | [`building`] | features, time and size of builds |
//! | [`command`] | the command `gdf`: a look at the machine, kernels for its GPU, files |
//! | [`user_kernels`], [`device_interop`] | kernels of your own, and memory of other libraries and processes |
//! | [`deprecation`] | what may change between versions |

/// Links between pages: here to modules, before the pages' own ones to files, since the first definition of a link counts.
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

/// The pages, each a module whose documentation is a file of `docs/guide`.
macro_rules! pages {
    ($($name:ident = $file:literal;)*) => {
        $(#[doc = concat!(links!(), include_str!(concat!("../guide/", $file)))] pub mod $name {})*
    };
}

pages! {
    functions = "functions.md";
    semantics = "semantics.md";
    errors = "errors.md";
    memory = "memory.md";
    streams = "streams.md";
    threads = "threads.md";
    ownership = "ownership.md";
    nulls = "nulls.md";
    ordering = "ordering.md";
    validation = "validation.md";
    costs = "costs.md";
    logging = "logging.md";
    debugging = "debugging.md";
    building = "building.md";
    command = "command.md";
    user_kernels = "user-kernels.md";
    device_interop = "device-interop.md";
    deprecation = "deprecation.md";
}
