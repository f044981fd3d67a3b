//! Generates Rust modules from the kernels' declarations. Each capability has a module. The module `common` has the
//! declarations in `kernels/include/gdf`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use anyhow::{Context, Result, bail};

use super::declarators::Written;
use super::parse::{Declarations, Kernel};
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

/// The output for a capability: the capability's module, and the items of the common module that this module needs.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// The text of the module, with items in the order of their declarations.
    pub(super) text: String,
    /// Items of the common module by their Rust names.
    pub(super) common: BTreeMap<String, String>,
    /// Layout assertions for the compiler of the kernels, each with the name of a file. An assertion is used in the
    /// units that include the file.
    pub(super) assertions: Vec<(String, String)>,
    /// The symbol of each kernel, with the threads, the items and the blocks of the kernel's policy.
    pub(super) kernels: Vec<(String, [i128; 3])>,
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

fn is_scratch(kind: &Type) -> bool {
    matches!(kind, Type::Struct { path, .. } if path.join("::") == "gdf::scratch")
}

fn takes_scratch(parameter: &Typed) -> bool {
    matches!(&parameter.kind, Type::Pointer { to, .. } if is_scratch(to))
}

pub(super) struct Writer<'a> {
    capability: &'a Capability,
    /// Whether types that hold addresses have a lifetime parameter.
    lifetimes: bool,
    /// The paths of structs, by their Rust names.
    structs: BTreeMap<String, Vec<String>>,
    /// The structs that kernels take, each with its template arguments.
    instances: BTreeSet<(Vec<String>, Vec<usize>)>,
    module: Module,
}

impl Capability {
    /// Returns the Rust module of the capability. If `lifetimes` is false, the types have no lifetimes. The contract's
    /// hash is a hash of that text.
    pub(super) fn module(&self, lifetimes: bool) -> Result<Module> {
        let mut writer = Writer {
            capability: self,
            lifetimes,
            structs: BTreeMap::new(),
            instances: BTreeSet::new(),
            module: Module::default(),
        };
        writer.write()?;
        Ok(writer.module)
    }
}

impl Writer<'_> {
    fn found(&self) -> &Declarations {
        &self.capability.found
    }

    fn is_common(file: &str) -> bool {
        file.starts_with("include/")
    }

    /// Returns the Rust name of a declaration in `scope`. The name begins with the namespace, unless the namespace is
    /// `gdf` or the capability's own namespace.
    fn name(&self, scope: &[String], name: &str, case: fn(&str) -> String) -> String {
        let capability = &self.capability.name;
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
        let mut text = String::new();
        self.constants(&mut text)?;
        self.enums(&mut text)?;
        let names: Vec<_> = self.structs.clone().into_iter().collect();
        for (name, path) in names {
            let item = self.structure(&name, &path)?;
            if Self::is_common(&self.found().structs[&path].file) {
                self.module.common.insert(name, item);
            } else {
                text += &item;
            }
        }
        for (path, arguments) in self.instances.clone() {
            self.assert_layout(&path, &arguments)?;
        }
        self.module.text = text + &kernels;
        Ok(())
    }

    fn constants(&mut self, text: &mut String) -> Result<()> {
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
            let name = self.name(&constant.scope, &constant.name, str::to_uppercase);
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
            if Self::is_common(&constant.file) {
                self.module.common.insert(name, item);
            } else {
                *text += &item;
            }
        }
        Ok(())
    }

    fn enums(&mut self, text: &mut String) -> Result<()> {
        for (path, declared) in &self.capability.found.enums {
            let name = self.name(&declared.scope, &declared.name, camel);
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
            if Self::is_common(&declared.file) {
                self.module.common.insert(name, item);
            } else {
                *text += &item;
            }
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
                let name = self.name(&declared.scope, &declared.name, camel);
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
                let name = self.name(&declared.scope, &declared.name, camel);
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
        let lifetime = (borrows && self.lifetimes).then(|| lifetime.to_owned());
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
        let pod = plain && !(borrows && self.lifetimes);
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
                    format!("{}::default()", self.name(&inner.scope, &inner.name, camel))
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

    fn kernels(&mut self) -> Result<String> {
        let image = format!("image::{}", self.capability.name.to_uppercase());
        let mut groups: BTreeMap<String, Vec<&Kernel>> = BTreeMap::new();
        let mut kernels: Vec<&Kernel> = self.capability.found.kernels.iter().collect();
        kernels.sort_by(|a, b| a.name.cmp(&b.name));
        for kernel in &kernels {
            let group = kernel.variant.as_ref().map_or(&kernel.name, |(family, _)| family);
            groups.entry(group.clone()).or_default().push(kernel);
        }
        let mut text = String::new();
        let mut table = String::new();
        for kernel in &kernels {
            let policy = self.policy_of(kernel)?;
            let symbol = format!("{}_kernel", kernel.name);
            let _ = writeln!(
                table,
                "    KernelInfo {{ symbol: {symbol:?}, unit: {}, policy: Policy::new({}, {}, {}) }},",
                self.unit_of(kernel)?,
                policy[0],
                policy[1],
                policy[2]
            );
            self.module.kernels.push((symbol, policy));
        }
        let _ = writeln!(text, "pub(super) const KERNELS: &[KernelInfo] = &[\n{table}];\n");
        let prefix = format!("{}_", self.capability.name);
        for (group, members) in groups {
            let name = camel(group.strip_prefix(&prefix).unwrap_or(&group));
            let parameters = self.parameters(&members)?;
            for parameter in &parameters {
                if !takes_scratch(parameter) {
                    self.reach(&parameter.kind, true)?;
                }
            }
            text += &self.arguments(&name, &members, &parameters)?;
            let unbound = self.generics(true, "'static", &[]);
            let position = |kernel: &Kernel| kernels.iter().position(|other| other.name == kernel.name).unwrap_or(0);
            if members[0].variant.is_none() {
                let _ = writeln!(
                    text,
                    "impl OneKernel for {name}{unbound} {{\n    const ID: KernelId = KernelId::new({image}, {});\n}}\n",
                    position(members[0])
                );
                continue;
            }
            let _ = writeln!(
                text,
                "/// The kernels that take [`{name}`](struct@{name}).\n#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]\npub enum {name}Kernel {{"
            );
            let mut arms = String::new();
            for kernel in &members {
                let (_, variant) = kernel.variant.as_ref().expect("members of a family");
                text += &doc(&kernel.doc, "    ");
                let _ = writeln!(text, "    {},", camel(variant));
                let _ = writeln!(arms, "{name}Kernel::{} => {},", camel(variant), position(kernel));
            }
            let _ = writeln!(
                text,
                "}}\n\nimpl From<{name}Kernel> for KernelId {{\n    fn from(kernel: {name}Kernel) -> Self {{\n        KernelId::new({image}, match kernel {{ {arms} }})\n    }}\n}}\n\nimpl Family for {name}{unbound} {{\n    type Kernel = {name}Kernel;\n}}\n"
            );
        }
        Ok(text)
    }

    /// Returns the position of the only translation unit that defines the kernel.
    fn unit_of(&self, kernel: &Kernel) -> Result<usize> {
        let units = (0..).zip(&self.capability.units).filter(|(_, files)| files.contains(&kernel.file));
        match units.map(|(position, _)| position).collect::<Vec<usize>>()[..] {
            [unit] => Ok(unit),
            _ => bail!(
                "{}: the kernel {} is not in exactly one translation unit; define the kernel in a .cu file",
                kernel.file,
                kernel.name
            ),
        }
    }

    fn policy_of(&self, kernel: &Kernel) -> Result<[i128; 3]> {
        let found = self.found();
        let name = kernel.policy.as_ref().unwrap_or(&kernel.name);
        let parts = found
            .policies
            .get(name)
            .with_context(|| format!("{}: the kernel {} has no policy", kernel.file, kernel.name))?;
        let mut policy = [0; 3];
        for (value, words) in policy.iter_mut().zip(parts) {
            *value = found.number(&[], words).with_context(|| format!("the policy {name}"))?;
        }
        let [threads, items, blocks] = policy;
        if threads % 32 != 0 || !(32..=1024).contains(&threads) || items < 1 || blocks < 1 {
            bail!(
                "{}: the policy {name} of {threads} threads, {items} items and {blocks} blocks is invalid: threads must \
                 be 32, 64, … 1024; items and blocks must be at least 1",
                kernel.file
            );
        }
        Ok(policy)
    }

    /// Returns the parameters that the kernels have in common. The first kernel that names a parameter determines the
    /// name of the parameter.
    fn parameters(&self, members: &[&Kernel]) -> Result<Vec<Typed>> {
        let typed = |kernel: &Kernel| -> Result<Vec<Typed>> {
            let parameters = kernel.parameters.iter().map(|parameter| self.found().typed(&[], &[], parameter));
            parameters.collect::<Result<_>>().with_context(|| format!("{}: {}", kernel.file, kernel.name))
        };
        let mut all = typed(members[0])?;
        for member in &members[1..] {
            let others = typed(member)?;
            let same = all.len() == others.len() && all.iter().zip(&others).all(|(a, b)| a.kind == b.kind);
            if !same {
                bail!(
                    "{}: {} and {} are of the same family, but have different parameters; make the parameters equal",
                    member.file,
                    members[0].name,
                    member.name
                );
            }
            for (parameter, other) in all.iter_mut().zip(others) {
                match (&parameter.name, other.name) {
                    (None, name) => parameter.name = name,
                    (Some(name), Some(other)) if *name != other => {
                        bail!(
                            "{}: {} names a parameter `{other}`, but the family names the parameter `{name}`",
                            member.file,
                            member.name
                        );
                    }
                    _ => {}
                }
            }
        }
        if members.len() > 1 || members[0].variant.is_some() {
            let family = members[0].variant.as_ref().map(|(family, _)| family);
            if members.iter().any(|member| member.variant.as_ref().map(|(family, _)| family) != family) {
                bail!("{}: {} is the name of a kernel and of a family; rename one", members[0].file, members[0].name);
            }
        }
        Ok(all)
    }

    fn arguments(&self, name: &str, members: &[&Kernel], parameters: &[Typed]) -> Result<String> {
        if self.structs.contains_key(name) {
            bail!("{}: a kernel and a struct have the same Rust name {name}; rename one", members[0].file);
        }
        let mut text = doc(&members[0].doc, "");
        if text.is_empty() {
            let _ = writeln!(text, "/// Arguments of `{}_kernel`.", members[0].name);
        }
        // `names` has two lists: the fields before the scratch memory, and the fields after the scratch memory.
        let (mut fields, mut names, mut borrows) = (String::new(), vec![Vec::new()], false);
        for (index, parameter) in parameters.iter().enumerate() {
            if takes_scratch(parameter) {
                names.push(Vec::new());
                continue;
            }
            let field = snake(&parameter.name.clone().unwrap_or_else(|| format!("unused{index}")));
            let kind = match &parameter.kind {
                Type::Enum { .. } => bail!("{}: a parameter is an enum; use an integer type", members[0].file),
                kind => self.rust(kind)?,
            };
            let _ = writeln!(fields, "    pub {field}: {kind},");
            borrows |= self.borrows(&parameter.kind)?;
            names.last_mut().expect("one at least").push(field);
        }
        if names.len() > 2 {
            bail!("{}: the kernel {} has two scratch parameters; use one", members[0].file, members[0].name);
        }
        if !borrows {
            bail!(
                "{}: the kernel {} has no pointer parameter; add a pointer parameter",
                members[0].file,
                members[0].name
            );
        }
        let generics = self.generics(borrows, "'a", &[]);
        let part = |names: &Vec<String>| format!("{{ {} }}", names.join(", ")).replace("{  }", "{}");
        let parts: Vec<String> = names.iter().map(part).collect();
        let _ = writeln!(
            text,
            "#[derive(Clone, Copy, Debug)]\npub struct {name}{generics} {{\n{fields}}}\n\narguments!({name} {});\n",
            parts.join(" scratch ")
        );
        Ok(text)
    }
}
