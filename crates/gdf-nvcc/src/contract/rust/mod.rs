//! Generates Rust modules from the kernels' declarations. Each capability has a module with the declarations in the
//! capability's folder. The module `common` has the declarations in `kernels/include/gdf`.

mod kernels;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use anyhow::{Context, Result, bail};

use super::declarators::Written;
use super::parse::Declarations;
use super::types::{Length, Type, Typed};

/// The name of the module with the declarations that capabilities share.
pub(super) const COMMON: &str = "common";

/// A capability with all declarations of its sources.
#[derive(Debug)]
pub(super) struct Capability {
    pub(super) name: String,
    /// The files of each translation unit.
    pub(super) units: Vec<BTreeSet<String>>,
    pub(super) found: Declarations,
}

/// The use of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The host. Types that hold addresses have a lifetime, and a declaration of another capability's folder is an item
    /// of the module of that capability.
    Host,
    /// The contract's hash. Types have no lifetimes, and the module has all declarations that the capability includes.
    Hash,
}

/// Items in the order of their declarations, each with its Rust name.
type Items = Vec<(String, String)>;

/// The output for a capability: the capability's module, and the items of other modules that this module needs.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// The items of the capability's own module.
    pub(super) own: Items,
    /// The kernels and their arguments. The text follows the items.
    pub(super) kernels_text: String,
    /// Items of the common module by their Rust names.
    pub(super) common: BTreeMap<String, String>,
    /// Items of the modules of other capabilities, by the name of the capability.
    pub(super) others: BTreeMap<String, Items>,
    /// Layout assertions for the compiler of the kernels, each with the name of a file. An assertion is used in the
    /// units that include the file.
    pub(super) assertions: Vec<(String, String)>,
    /// The symbol of each kernel, with the threads, the items and the blocks of the kernel's policy.
    pub(super) kernels: Vec<(String, [i128; 3])>,
}

impl Module {
    pub(super) fn text(&self) -> String {
        let items = self.own.iter().map(|(_, item)| item.as_str());
        items.chain([self.kernels_text.as_str()]).collect()
    }
}

/// Converts `snake_case` to `CamelCase`.
pub(super) fn camel(name: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default()
    };
    name.split('_').map(word).collect()
}

fn snake(name: &str) -> String {
    match name {
        "type" => "data_type".to_owned(),
        "in" => "input".to_owned(),
        "move" | "ref" | "mod" | "use" | "where" | "match" | "loop" | "as" | "fn" => format!("{name}_"),
        _ => name.to_owned(),
    }
}

/// Converts the text of a comment to Rust documentation. Characters that could start a link or a tag are escaped.
fn doc(lines: &[String], indent: &str) -> String {
    let mut out = String::new();
    for line in lines {
        let mut quoted = false;
        let mut text = String::new();
        for letter in line.chars() {
            quoted ^= letter == '`';
            if !quoted && matches!(letter, '[' | ']' | '<' | '>' | '*' | '_') {
                text.push('\\');
            }
            text.push(letter);
        }
        let _ = writeln!(out, "{indent}/// {}", text.trim_end());
    }
    out
}

/// Returns the folder of `kernels/` that has a file. The name of an included file may contain `..`.
fn folder_of(file: &str) -> Option<&str> {
    let mut folders = Vec::new();
    for part in file.rsplit_once('/')?.0.split('/') {
        if part == ".." {
            folders.pop();
        } else {
            folders.push(part);
        }
    }
    folders.first().copied()
}

fn is_scratch(kind: &Type) -> bool {
    matches!(kind, Type::Struct { path, .. } if path.join("::") == "gdf::scratch")
}

fn takes_scratch(parameter: &Typed) -> bool {
    matches!(&parameter.kind, Type::Pointer { to, .. } if is_scratch(to))
}

pub(super) struct Writer<'a> {
    capability: &'a Capability,
    purpose: Purpose,
    /// The module that gets the text which is being written.
    place: String,
    /// The paths of structs, by their Rust names in the capability's module.
    structs: BTreeMap<String, Vec<String>>,
    /// The structs that kernels take, each with its template arguments.
    instances: BTreeSet<(Vec<String>, Vec<usize>)>,
    module: Module,
}

impl Capability {
    /// Returns the Rust module of the capability.
    pub(super) fn module(&self, purpose: Purpose) -> Result<Module> {
        let mut writer = Writer {
            capability: self,
            purpose,
            place: self.name.clone(),
            structs: BTreeMap::new(),
            instances: BTreeSet::new(),
            module: Module::default(),
        };
        writer.write()?;
        Ok(writer.module)
    }
}

impl Writer<'_> {
    fn has_lifetimes(&self) -> bool {
        self.purpose == Purpose::Host
    }

    fn found(&self) -> &Declarations {
        &self.capability.found
    }

    /// Returns the module that has the declarations of a file.
    fn module_of(&self, file: &str) -> String {
        match folder_of(file) {
            Some("include") => COMMON.to_owned(),
            Some(folder) if self.purpose == Purpose::Host => folder.to_owned(),
            _ => self.capability.name.clone(),
        }
    }

    /// Returns the Rust name of a declaration, as the module that is being written states it.
    fn path(&self, file: &str, scope: &[String], name: &str) -> String {
        let (module, name) = (self.module_of(file), self.name(file, scope, name, camel));
        let is_near = module == COMMON || module == self.place;
        if is_near { name } else { format!("super::{module}::{name}") }
    }

    /// Returns the Rust name of a declaration in `scope`. The name begins with the namespace, unless the namespace is
    /// `gdf` or the namespace of the module that has the declaration.
    fn name(&self, file: &str, scope: &[String], name: &str, case: fn(&str) -> String) -> String {
        let module = self.module_of(file);
        let capability = if module == COMMON { &self.capability.name } else { &module };
        let prefix = scope.last().filter(|space| *space != "gdf" && *space != capability);
        let prefix = prefix.map(|space| space.strip_prefix(&format!("{capability}_")).unwrap_or(space));
        match prefix {
            Some(prefix) if prefix != name && !name.starts_with(&format!("{prefix}_")) => {
                case(&format!("{prefix}_{name}"))
            }
            _ => case(name),
        }
    }

    fn write(&mut self) -> Result<()> {
        let kernels = self.kernels()?;
        for (scope, name) in &self.capability.found.shared {
            self.reach(&self.found().resolve(scope, name)?, true)?;
        }
        self.constants()?;
        self.enums()?;
        for path in self.structs.clone().into_values() {
            let declared = &self.capability.found.structs[&path];
            self.place = self.module_of(&declared.file);
            let name = self.name(&declared.file, &declared.scope, &declared.name, camel);
            let item = self.structure(&name, &path)?;
            self.add(name, item);
        }
        for (path, arguments) in self.instances.clone() {
            self.assert_layout(&path, &arguments)?;
        }
        self.module.kernels_text = kernels;
        Ok(())
    }

    /// Adds an item to the module that is being written.
    fn add(&mut self, name: String, item: String) {
        if self.place == COMMON {
            self.module.common.insert(name, item);
        } else if self.place == self.capability.name {
            self.module.own.push((name, item));
        } else {
            self.module.others.entry(self.place.clone()).or_default().push((name, item));
        }
    }

    fn constants(&mut self) -> Result<()> {
        for (path, constant) in &self.capability.found.constants {
            // These constants are left out, because the policy of the kernel contains them.
            if ["threads", "items", "tile"].contains(&constant.name.as_str()) {
                continue;
            }
            let kind = self.found().resolve(&constant.scope, &constant.written);
            let (Ok(kind @ Type::Integer { .. }), Ok(value)) =
                (kind, self.found().number(&constant.scope, &constant.value))
            else {
                continue;
            };
            let name = self.name(&constant.file, &constant.scope, &constant.name, str::to_uppercase);
            self.place = self.module_of(&constant.file);
            // A nonnegative `int` is a count or a size, so it becomes `usize`. Other constants keep their width.
            let kind = if constant.written.path == ["int"] && value >= 0 { "usize".into() } else { self.rust(&kind)? };
            let mut item = doc(&constant.doc, "");
            let value = if value < 0 || kind == "usize" || kind.starts_with('i') {
                value.to_string()
            } else {
                // The number is hexadecimal, because the value may use all bits of the type: `~0u`.
                format!("{value:#x}")
            };
            let _ = writeln!(item, "pub const {name}: {kind} = {value};\n");
            let (path, written) = (path.join("::"), constant.value.len());
            if written > 0 {
                let assertion = format!("static_assert({path} == {value});\n");
                self.module.assertions.push((constant.file.clone(), assertion));
            }
            self.add(name, item);
        }
        Ok(())
    }

    fn enums(&mut self) -> Result<()> {
        for (path, declared) in &self.capability.found.enums {
            let name = self.name(&declared.file, &declared.scope, &declared.name, camel);
            self.place = self.module_of(&declared.file);
            let values = self.found().enumerators(path)?;
            let distinct: BTreeSet<i128> = values.iter().map(|(_, value)| *value).collect();
            if distinct.len() != values.len() {
                bail!(
                    "{}: two enumerators of {} have the same value; make the values distinct",
                    declared.file,
                    path.join("::")
                );
            }
            let kind = if declared.underlying.is_empty() {
                "i32".to_owned()
            } else {
                let path = declared.underlying.clone();
                self.rust(&self.found().resolve(&[], &Written { path, arguments: Vec::new(), pointers: Vec::new() })?)?
            };
            let mut item = doc(&declared.doc, "");
            let _ = writeln!(
                item,
                "#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]\n#[repr({kind})]\npub enum {name} {{"
            );
            let home = if declared.scoped { path.clone() } else { declared.scope.clone() };
            // C++ needs the prefix of `copy_bits` in `copy_kind`, because all enumerators of a namespace share one set
            // of names. Rust does not need the prefix, so it is removed if all enumerators have it.
            let prefix = format!("{}_", declared.name.split('_').next().unwrap_or_default());
            let prefixed = values.iter().all(|(value, _)| value.starts_with(&prefix));
            for ((value_name, value), (_, _, its_doc)) in values.iter().zip(&declared.values) {
                item += &doc(its_doc, "    ");
                let short = if prefixed { &value_name[prefix.len()..] } else { value_name.as_str() };
                let _ = writeln!(item, "    {} = {value},", camel(short));
                let name = format!("{}::{value_name}", home.join("::"));
                let assertion = format!("static_assert(static_cast<long long>({name}) == {value});\n");
                self.module.assertions.push((declared.file.clone(), assertion));
            }
            item += "}\n\n";
            self.add(name, item);
        }
        Ok(())
    }

    /// Records the structs that a type contains or points to. A struct behind a pointer is not recorded if the contract
    /// cannot express the struct.
    fn reach(&mut self, kind: &Type, by_value: bool) -> Result<()> {
        match kind {
            Type::Pointer { to, .. } => self.reach(to, false),
            Type::Struct { path, arguments } => {
                let declared = self.found().structs.get(path);
                let declared = declared.with_context(|| format!("the struct {} is not declared", path.join("::")))?;
                let foreign = declared.trouble.is_some();
                let name = self.path(&declared.file, &declared.scope, &declared.name);
                if foreign && !by_value {
                    return Ok(());
                }
                if by_value {
                    self.instances.insert((path.clone(), arguments.clone()));
                }
                match self.structs.get(&name) {
                    Some(other) if other == path => return Ok(()),
                    Some(other) => bail!("{} and {} both become {name}; rename one", other.join("::"), path.join("::")),
                    None => {}
                }
                self.structs.insert(name, path.clone());
                for field in self.found().fields(path)? {
                    self.reach(&field.kind, true)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Returns the Rust text of a type. Its names are valid in the generated module of this capability.
    fn rust(&self, kind: &Type) -> Result<String> {
        Ok(match kind {
            Type::Integer { bytes, signed } => format!("{}{}", if *signed { 'i' } else { 'u' }, bytes * 8),
            Type::Float { bytes } => format!("f{}", bytes * 8),
            Type::Count { of, bytes } => format!("{of:?}{}", if *bytes == 4 { "32" } else { "" }),
            Type::Bool | Type::Void => "u8".to_owned(),
            Type::Enum { .. } => bail!("an enum cannot be shared with the host; use the integer type of the enum"),
            Type::Pointer { to, .. } if is_scratch(to) => {
                bail!("a field is a pointer to scratch memory; make `gdf::scratch*` a parameter of the kernel instead")
            }
            Type::Pointer { constant, to } => {
                // The host represents a type that only kernels access as bytes.
                let foreign =
                    matches!(&**to, Type::Struct { path, .. } if self.found().structs[path].trouble.is_some());
                let to = if foreign { "u8".to_owned() } else { self.rust(to)? };
                let name = if *constant { "In" } else { "Out" };
                name.to_owned() + &self.generics(true, "'a", &[to])
            }
            Type::Struct { path, arguments } => {
                let declared = &self.found().structs[path];
                let name = self.path(&declared.file, &declared.scope, &declared.name);
                let numbers: Vec<String> = arguments.iter().map(usize::to_string).collect();
                name + &self.generics(self.borrows(kind)?, "'a", &numbers)
            }
        })
    }

    /// Returns whether the host's type has a lifetime, because the type is an address or contains an address.
    fn borrows(&self, kind: &Type) -> Result<bool> {
        Ok(match kind {
            Type::Pointer { .. } => true,
            Type::Struct { path, .. } => self.any_borrows(&self.found().fields(path)?)?,
            _ => false,
        })
    }

    fn any_borrows(&self, fields: &[Typed]) -> Result<bool> {
        let borrow = fields.iter().map(|field| self.borrows(&field.kind)).collect::<Result<Vec<_>>>()?;
        Ok(borrow.contains(&true))
    }

    /// Returns the text of generic parameters or arguments. If the type has a lifetime, the lifetime comes first.
    fn generics(&self, borrows: bool, lifetime: &str, others: &[String]) -> String {
        let lifetime = (borrows && self.has_lifetimes()).then(|| lifetime.to_owned());
        let all: Vec<String> = lifetime.into_iter().chain(others.iter().cloned()).collect();
        if all.is_empty() { String::new() } else { format!("<{}>", all.join(", ")) }
    }

    fn with_lengths(kind: String, lengths: &[Length]) -> String {
        lengths.iter().rev().fold(kind, |kind, length| match length {
            Length::Number(number) => format!("[{kind}; {number}]"),
            Length::Parameter(name) => format!("[{kind}; {}]", name.to_uppercase()),
        })
    }

    fn structure(&mut self, name: &str, path: &[String]) -> Result<String> {
        let found = self.found();
        let declared = &found.structs[path];
        let fields = found.fields(path)?;
        let parameters: Vec<String> =
            declared.parameters.iter().map(|name| format!("const {}: usize", name.to_uppercase())).collect();
        let names: Vec<String> = declared.parameters.iter().map(|name| name.to_uppercase()).collect();
        let borrows = self.any_borrows(&fields)?;
        let generics = self.generics(borrows, "'a", &parameters);
        let plain =
            parameters.is_empty() && found.is_plain(&Type::Struct { path: path.to_vec(), arguments: Vec::new() })?;
        let mut item = doc(&declared.doc, "");
        // The standard library implements `Default` for arrays of up to 32 elements.
        let short = |length: &Length| matches!(length, Length::Number(..=32));
        let derived = parameters.is_empty() && fields.iter().all(|field| field.lengths.iter().all(short));
        // A type with a lifetime cannot be `Pod`.
        let pod = plain && !(borrows && self.has_lifetimes());
        let derives = if derived { ", Default" } else { "" }.to_owned() + if pod { ", Pod, Zeroable" } else { "" };
        let _ = writeln!(
            item,
            "#[derive(Clone, Copy, Debug, PartialEq{derives})]\n#[repr(C)]\npub struct {name}{generics} {{"
        );
        let mut defaults = String::new();
        for field in &fields {
            let field_name = field.name.as_deref().context("a field has no name")?;
            let kind = Self::with_lengths(self.rust(&field.kind)?, &field.lengths);
            item += &doc(&field.doc, "    ");
            let _ = writeln!(item, "    pub {}: {kind},", snake(field_name));
            let zero = match &field.kind {
                Type::Integer { .. } | Type::Bool => "0".to_owned(),
                Type::Float { .. } => "0.0".to_owned(),
                Type::Count { .. } => format!("{}::ZERO", self.rust(&field.kind)?),
                Type::Struct { path, .. } => {
                    let inner = &found.structs[path];
                    format!("{}::default()", self.path(&inner.file, &inner.scope, &inner.name))
                }
                Type::Pointer { constant: true, .. } => "In::NULL".to_owned(),
                Type::Pointer { .. } => "Out::NULL".to_owned(),
                Type::Enum { .. } | Type::Void => bail!("{name}: a field is an enum or void; use an integer type"),
            };
            let _ = write!(defaults, "{}: {}, ", snake(field_name), Self::with_lengths(zero, &field.lengths));
        }
        item += "}\n\n";
        if !derived {
            let impls = self.generics(false, "", &parameters);
            let names = self.generics(borrows, "'_", &names);
            let _ = writeln!(
                item,
                "impl{impls} Default for {name}{names} {{\n    fn default() -> Self {{ Self {{ {defaults} }} }}\n}}\n"
            );
        }
        if plain && !pod {
            let names =
                fields.iter().filter_map(|field| field.name.as_deref()).map(snake).collect::<Vec<_>>().join(", ");
            let _ = writeln!(item, "plain!({name} {{ {names} }});\n");
        }
        if parameters.is_empty() {
            let (offsets, align) = found.offsets(path, &[])?;
            let _ = writeln!(
                item,
                "const _: () = assert!(size_of::<{name}>() == {} && align_of::<{name}>() == {align});\n",
                offsets[offsets.len() - 1]
            );
        }
        Ok(item)
    }

    /// Adds assertions that the compiler of the kernels gives a struct the layout that this module computes.
    fn assert_layout(&mut self, path: &[String], arguments: &[usize]) -> Result<()> {
        let (offsets, _) = self.found().offsets(path, arguments)?;
        let fields = self.found().fields(path)?;
        let mut name = path.join("::");
        if !arguments.is_empty() {
            let numbers: Vec<String> = arguments.iter().map(usize::to_string).collect();
            let _ = write!(name, "<{}>", numbers.join(", "));
        }
        let mut lines = format!("static_assert(sizeof({name}) == {});\n", offsets[fields.len()]);
        for (field, offset) in fields.iter().zip(&offsets) {
            if let Some(field) = &field.name {
                // The arguments of the macro `offsetof` must not contain commas, so the assertion uses
                // `__builtin_offsetof`.
                let _ = writeln!(lines, "static_assert(__builtin_offsetof({name}, {field}) == {offset});");
            }
        }
        self.module.assertions.push((self.found().structs[path].file.clone(), lines));
        Ok(())
    }
}
