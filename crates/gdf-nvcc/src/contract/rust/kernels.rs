//! Writes the arguments of kernels, and the table of a capability's kernels.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::{Context, Result, bail};

use super::{Writer, camel, doc, snake, takes_scratch};
use crate::contract::parse::Kernel;
use crate::contract::types::{Type, Typed};

impl Writer<'_> {
    pub(super) fn kernels(&mut self) -> Result<String> {
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
