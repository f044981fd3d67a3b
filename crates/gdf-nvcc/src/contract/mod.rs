//! The *contract*: the declarations on which the host and the kernels must agree. The contract is read from the sources
//! of the kernels, and from nothing else.
//!
//! Structs, enums, constants, policies and signatures are read as text, so no compiler is needed. The command `cargo
//! xtask codegen` writes the declarations as Rust modules.
//!
//! The declarations also determine the code at the end of each translation unit. The code contains a hash of the
//! contract, which the loader compares with the library's hash. The code also contains assertions. An assertion checks
//! that a struct has the layout that this module computes.

mod declarators;
mod expression;
mod parse;
mod rust;
mod tokens;
mod types;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::sources;
use rust::{COMMON, Capability, Module, Purpose};

/// The first lines of generated modules.
const HEAD: &str = "// Written by `cargo xtask codegen` from kernels/.\n\n";

/// The generated modules, and the data for the code at the end of each translation unit.
#[derive(Debug, Default)]
pub struct Contract {
    /// The text of each Rust module before formatting, by file name.
    pub files: BTreeMap<String, String>,
    /// The hash of each capability's contract.
    pub hashes: BTreeMap<String, u64>,
    /// The layout assertions of each capability. Each assertion is stored with the name of the file that declares the
    /// type of the assertion.
    assertions: BTreeMap<String, Vec<(String, String)>>,
}

impl Contract {
    /// Returns the code for the end of a translation unit that consists of these files. The code has the hash of the
    /// capability's contract, the hash of the unit's sources, and the assertions of layouts.
    pub fn unit<'a>(&self, capability: &str, files: impl IntoIterator<Item = &'a String>, sources: u64) -> String {
        let hash = self.hashes.get(capability).copied().unwrap_or_default();
        let files: BTreeSet<&String> = files.into_iter().collect();
        let assertions = self.assertions.get(capability).into_iter().flatten();
        let seen = assertions.filter(|(file, _)| files.contains(file)).map(|(_, assertion)| assertion.as_str());
        let symbol = |name: &str, hash: u64| {
            format!(
                "extern \"C\" {{\nextern __device__ const unsigned long long {name};\n__device__ const unsigned long long \
                 {name} = {hash:#x}ull;\n}}\n"
            )
        };
        symbol("gdf_contract", hash) + &symbol("gdf_sources", sources) + &seen.collect::<String>()
    }
}

/// Generates the contract of the sources in a folder.
///
/// # Errors
/// A file cannot be read, or a file declares a type for the host that Rust cannot express.
pub fn generate(kernels: &Path) -> Result<Contract> {
    let capabilities = capabilities(kernels)?;
    let (modules, shared) = modules_of(&capabilities, Purpose::Host)?;
    // The contract's hash does not cover what only the host has: lifetimes, and the module of a declaration.
    let (crossing, shared_crossing) = modules_of(&capabilities, Purpose::Hash)?;
    let mut contract = Contract::default();
    let head = format!(
        "//! Types that kernels of several capabilities take as arguments.\n\n{HEAD}use bytemuck::{{Pod, Zeroable}};\n\n"
    );
    let fields: String = shared.lines().filter(|line| !line.trim_start().starts_with("///")).collect();
    // In the generated text, a field with a count type has the form `rows: Rows,` or `bytes: [Bytes; N],`.
    let is_used = |name: &&str| fields.contains(&format!(": {name},")) || fields.contains(&format!("[{name};"));
    let counts = ["Bytes", "Bytes32", "Rows", "Rows32", "Tiles", "Tiles32"].into_iter().filter(is_used);
    let counts = counts.collect::<Vec<_>>().join(", ");
    let pointers = format!("use crate::count::{{{counts}}};\nuse crate::pointer::{{In, Out, plain}};\n\n");
    contract.files.insert(format!("{COMMON}.rs"), head + &pointers + &shared);
    let (mut declared, mut images) = (format!("pub mod {COMMON};\n"), String::new());
    let mut numbers = String::new();
    for (index, (capability, (module, crossing))) in
        capabilities.iter().zip(modules.into_iter().zip(crossing)).enumerate()
    {
        let name = &capability.name;
        let _ = writeln!(numbers, "    pub(super) const {}: u16 = {index};", name.to_uppercase());
        let hash = hash_of(&[&shared_crossing, &crossing.text()]);
        let _ = writeln!(declared, "pub mod {name};");
        let _ = writeln!(
            images,
            "    &ImageInfo {{ capability: {name:?}, contract: {hash:#018x}, kernels: {name}::KERNELS }},"
        );
        let text = format!("//! Kernels of kernels/{name}.\n\n{HEAD}use super::prelude::*;\n\n{}", module.text());
        contract.files.insert(format!("{name}.rs"), text);
        contract.hashes.insert(name.clone(), hash);
        contract.assertions.insert(name.clone(), module.assertions);
    }
    let text = format!(
        "//! The declarations of kernels that the host uses.\n\n{HEAD}{declared}\nmod prelude;\n\nuse crate::info::ImageInfo;\n\n/// The \
         images, in the order that [`KernelId`](crate::KernelId) counts them.\npub(crate) static IMAGES: &[&ImageInfo] = \
         &[\n{images}];\n\n/// Positions in [`IMAGES`].\nmod image {{\n{numbers}}}\n"
    );
    contract.files.insert("mod.rs".to_owned(), text);
    let imports = [
        "bytemuck::{Pod, Zeroable}",
        "super::common::*",
        "super::image",
        "crate::arguments::{Family, OneKernel, arguments}",
        "crate::count::{Bytes, Bytes32, Rows, Rows32, Tiles, Tiles32}",
        "crate::info::{KernelId, KernelInfo}",
        "crate::pointer::{In, Out, plain}",
        "crate::policy::Policy",
    ];
    let mut prelude = format!(
        "//! The names that all generated modules import.\n\n{HEAD}#![allow(unused_imports)] // not every module has all\n\n"
    );
    imports.iter().for_each(|path| prelude += &format!("pub(super) use {path};\n"));
    contract.files.insert("prelude.rs".to_owned(), prelude);
    Ok(contract)
}

/// Returns the module of each capability, and the text of the declarations that the capabilities share.
fn modules_of(capabilities: &[Capability], purpose: Purpose) -> Result<(Vec<Module>, String)> {
    let mut common: BTreeMap<String, String> = BTreeMap::new();
    let mut modules = Vec::new();
    for capability in capabilities {
        let module = capability.module(purpose).with_context(|| format!("kernels/{}", capability.name))?;
        for (name, item) in &module.common {
            if common.insert(name.clone(), item.clone()).is_some_and(|other| other != *item) {
                bail!("the declaration {name} of kernels/include/gdf must be the same in all capabilities");
            }
        }
        modules.push(module);
    }
    let included: Vec<_> = modules.iter_mut().flat_map(|module| std::mem::take(&mut module.others)).collect();
    for (folder, items) in included {
        let home = capabilities.iter().position(|capability| capability.name == folder);
        let home =
            home.with_context(|| format!("kernels/{folder} has no kernels; move its headers to kernels/include"))?;
        for (name, item) in items {
            match modules[home].own.iter().find(|(other, _)| *other == name) {
                Some((_, same)) if *same == item => {}
                Some(_) => bail!("the declaration {name} of kernels/{folder} must be the same in all capabilities"),
                None => modules[home].own.push((name, item)),
            }
        }
    }
    Ok((modules, common.into_values().collect()))
}

/// Returns the folders of `kernels/` that contain sources, ordered by name.
fn capabilities(kernels: &Path) -> Result<Vec<Capability>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(kernels).context("cannot list kernels/")? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() && name != "include" {
            names.push(name);
        }
    }
    names.sort();
    let mut found = Vec::new();
    for name in names {
        let mut files: Vec<PathBuf> = Vec::new();
        for file in fs::read_dir(kernels.join(&name))? {
            let path = file?.path();
            if path.extension().is_some_and(|extension| extension == "cu") {
                files.push(path);
            }
        }
        files.sort();
        if !files.is_empty() {
            let tokens = tokens::read(kernels, &files)?;
            let found_here = parse::parse(&tokens).with_context(|| format!("kernels/{name}"))?;
            let units = sources::units(kernels, &files)?.into_iter().map(|unit| unit.texts.into_keys().collect());
            found.push(Capability { name, units: units.collect(), found: found_here });
        }
    }
    Ok(found)
}

/// Returns a 64-bit FNV-1a hash of the texts. The hash is the same on every machine, and does not cover documentation.
fn hash_of(texts: &[&str]) -> u64 {
    let lines = texts.iter().flat_map(|text| text.lines()).filter(|line| !line.trim_start().starts_with("///"));
    let bytes = lines.flat_map(|line| line.bytes().chain([b'\n']));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "demo/scale.cu";

    const SOURCE: &str = "
        #define GDF_POLICY(op, threads_, items_, blocks_) ignored
        GDF_POLICY(scale, 256, 4, 2);
        namespace gdf { using row_count = int64_t; using tile_count = int64_t; using byte_count32 = int32_t; }
        namespace demo {
        constexpr int most = 1 << 4; // factors
        enum mode : int32_t { up = 0, down = -1 };
        /// What there is to do.
        struct task {
          const float* from;
          double factor[most];
          int32_t mode; // a `mode`
          int32_t count() const { return 1; }
        };
        }
        /// Scales.
        extern \"C\" __global__ void GDF_BOUNDS(scale) GDF_VARIANT(scale, wide)
        scale_wide_kernel(const __grid_constant__ demo::task task, void* out, gdf::row_count rows) { if (rows) { return; } }
        extern \"C\" __global__ void GDF_BOUNDS(scale) GDF_VARIANT(scale, flat)
        scale_flat_kernel(const __grid_constant__ demo::task task, void* out, gdf::row_count) {}";

    fn contract_of(source: &str) -> Result<Contract> {
        let folder = tempfile::tempdir()?;
        fs::create_dir(folder.path().join("demo"))?;
        fs::write(folder.path().join(FILE), source)?;
        generate(folder.path())
    }

    fn module(source: &str) -> String {
        contract_of(source).unwrap().files["demo.rs"].clone()
    }

    #[test]
    fn everything_that_crosses_is_written() {
        let text = module(SOURCE);
        for part in [
            "pub const MOST: usize = 16;",
            "Down = -1,",
            "pub from: In<'a, f32>,",
            "pub factor: [f64; 16],",
            "assert!(size_of::<Task>() == 144",
            "pub struct Task<'a> {",
            "pub struct Scale<'a> {",
            "pub task: Task<'a>,",
            "impl Family for Scale<'static> {",
            "pub rows: Rows,",
            "pub out: Out<'a, u8>,",
            "ScaleKernel::Wide => 1,",
            "Policy::new(256, 4, 2)",
        ] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
        let contract = contract_of(SOURCE).unwrap();
        let assertion = "static_assert(__builtin_offsetof(demo::task, mode) == 136);";
        assert!(contract.unit("demo", [&FILE.to_owned()], 7).contains(assertion));
        assert!(!contract.unit("demo", [&"demo/other.cu".to_owned()], 7).contains(assertion));
    }

    /// A number that is called rows, tiles or bytes must have the type for counts of that unit. The rule applies to
    /// structs, parameters and arrays.
    #[test]
    fn counts_are_not_bare_integers() {
        let with = |field: &str| contract_of(&SOURCE.replace("int32_t mode;", &format!("int32_t mode; {field};")));
        for (field, expected) in [
            ("gdf::row_count first_rows", "pub first_rows: Rows,"),
            ("gdf::byte_count32 bytes[most]", "pub bytes: [Bytes32; 16],"),
            ("const uint32_t* rows", "pub rows: In<'a, u32>,"),
            ("int32_t rowsets", "pub rowsets: i32,"),
        ] {
            let text = with(field).unwrap().files["demo.rs"].clone();
            assert!(text.contains(expected), "{expected} is missing in\n{text}");
        }
        for field in ["int64_t rows", "uint32_t first_rows", "int bytes[most]", "gdf::row_count tiles"] {
            let error = with(field).unwrap_err();
            assert!(format!("{error:#}").contains("use the type gdf::"), "{field}: {error:#}");
        }
        let bare = contract_of(&SOURCE.replace("gdf::row_count rows", "int64_t rows")).unwrap_err();
        assert!(format!("{bare:#}").contains("use the type gdf::row_count"), "{bare:#}");
    }

    /// A capability includes a header of another capability. The declarations of the header are in one module, and the
    /// contract's hash of each capability covers them.
    #[test]
    fn a_header_has_one_module() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            fs::create_dir_all(folder.path().join(path).parent().unwrap()).unwrap();
            fs::write(folder.path().join(path), text).unwrap();
        };
        let header = "namespace machine { constexpr int most = 4;
            struct step { const float* from; }; struct unreached { int32_t a; };
            struct program { step steps[most]; }; }";
        let kernel = |name: &str, parameter: &str| {
            format!(
                "#include \"../machine/program.cuh\"
                #define GDF_POLICY(op, threads_, items_, blocks_) ignored
                GDF_POLICY({name}, 256, 4, 2);
                extern \"C\" __global__ void GDF_BOUNDS({name})
                {name}_kernel(const {parameter} in, void* out) {{}}"
            )
        };
        write("machine/program.cuh", header);
        write("machine/run.cu", &kernel("run", "float*"));
        write("other/use.cu", &kernel("use", "machine::program"));
        let contract = generate(folder.path()).unwrap();
        let (machine, other) = (&contract.files["machine.rs"], &contract.files["other.rs"]);
        for part in ["pub const MOST: usize = 4;", "pub struct Step<'a> {", "pub steps: [Step<'a>; 4],"] {
            assert!(machine.contains(part) && !other.contains(part), "{part}:\n{machine}\n{other}");
        }
        assert!(!machine.contains("Unreached"), "{machine}");
        assert!(other.contains("pub input: super::machine::Program<'a>,"), "{other}");
        let hashes = contract.hashes.clone();
        write("machine/program.cuh", &header.replace("most = 4", "most = 5"));
        let changed = generate(folder.path()).unwrap().hashes;
        assert!(changed["machine"] != hashes["machine"] && changed["other"] != hashes["other"]);
        fs::remove_file(folder.path().join("machine/run.cu")).unwrap();
        let error = format!("{:#}", generate(folder.path()).unwrap_err());
        assert!(error.contains("kernels/machine has no kernels; move its headers"), "{error}");
    }

    /// Structs without addresses are `Pod` and have no lifetime.
    #[test]
    fn only_addresses_have_lifetimes() {
        let text = module(&SOURCE.replace("const float* from;", "int64_t from; pair both; ends limits;").replace(
            "/// What there is to do.",
            "struct pair { int32_t a; int32_t b; }; struct ends { const float* a; float* b; };",
        ));
        for part in ["pub struct Pair {", "Default, Pod, Zeroable)]\n#[repr(C)]\npub struct Pair", "pub both: Pair,"] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
        for part in
            ["pub struct Ends<'a> {", "plain!(Ends { a, b });", "pub limits: Ends<'a>,", "pub struct Task<'a> {"]
        {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
    }

    /// The source of a kernel that computes a sum. The second of the three parameters is the stream's scratch memory.
    const SUMS: &str = "
        #define GDF_POLICY(op, threads_, items_, blocks_) ignored
        GDF_POLICY(sum, 256, 4, 2);
        namespace gdf { struct scratch { unsigned long long counts[32]; }; }
        extern \"C\" __global__ void GDF_BOUNDS(sum)
        sum_kernel(const float* in, gdf::scratch* scratch, double* out) {}";

    #[test]
    fn scratch_memory_is_the_launch_s_to_pass() {
        let text = module(SUMS);
        assert!(text.contains("arguments!(Sum { input } scratch { out });"), "{text}");
        assert!(!text.contains("scratch:"), "{text}");
        let twice = SUMS.replace("double* out", "gdf::scratch* other");
        let error = contract_of(&twice).unwrap_err();
        assert!(format!("{error:#}").contains("two scratch parameters"), "{error:#}");
        let alone = SUMS.replace("const float* in, ", "").replace(", double* out", "");
        assert!(format!("{:#}", contract_of(&alone).unwrap_err()).contains("has no pointer parameter"));
        let field = SUMS.replace("extern", "struct task { gdf::scratch* its; };\nextern");
        let error = contract_of(&field.replace("const float* in", "task in")).unwrap_err();
        assert!(format!("{error:#}").contains("a parameter of the kernel instead"), "{error:#}");
    }

    /// Every change that concerns the host changes the text of the generated module. A change of the text changes the
    /// hash of the contract in the image.
    #[test]
    fn no_change_goes_unseen() {
        let changes = [
            (
                "const float* from;\n          double factor[most];",
                "double factor[most];\n          const float* from;",
            ),
            ("int32_t mode;", "uint32_t mode;"),
            ("const float* from", "float* from"),
            ("down = -1", "down = 1"),
            ("1 << 4", "1 << 3"),
            ("256, 4, 2", "128, 4, 2"),
            ("scale_wide_kernel", "scale_widest_kernel"),
        ];
        let head = |source: &str| contract_of(source).unwrap().files["mod.rs"].clone();
        for (from, to) in changes {
            let changed = SOURCE.replace(from, to);
            assert_ne!(changed, SOURCE);
            assert_ne!(module(&changed), module(SOURCE), "{to}");
            assert_ne!(head(&changed), head(SOURCE), "{to}");
        }
    }

    #[test]
    fn words_are_no_part_of_the_contract() {
        let contract = |source: &str| contract_of(source).unwrap().unit("demo", [&FILE.to_owned()], 7);
        assert_eq!(contract(&SOURCE.replace("/// Scales.", "/// Multiplies.")), contract(SOURCE));
    }

    #[test]
    fn what_cannot_cross_is_an_error() {
        for (from, to, expected) in [
            ("void* out, gdf::row_count)", "void* out, int64_t)", "different parameters"),
            ("void* out, gdf::row_count)", "void* out, gdf::tile_count)", "different parameters"),
            ("void* out, gdf::row_count)", "void* result, gdf::row_count)", "but the family names"),
            ("GDF_BOUNDS(scale) GDF_VARIANT(scale, flat)", "GDF_BOUNDS(other) GDF_VARIANT(scale, flat)", "no policy"),
            ("256, 4, 2", "100, 4, 2", "is invalid"),
            ("down = -1", "down = 0", "have the same value"),
            ("double factor[most]", "half factor[most]", "the type half is not declared"),
            ("scale_flat_kernel", "scale_flat", "must end in `_kernel`"),
        ] {
            let error = contract_of(&SOURCE.replace(from, to)).unwrap_err();
            assert!(format!("{error:#}").contains(expected), "{error:#}");
        }
        let open = contract_of("struct half").unwrap_err();
        assert!(format!("{open:#}").contains("the struct half has no body"), "{open:#}");
    }
}
