//! The resource usage of kernels, parsed from the messages of the assembler (ptxas).

use std::collections::BTreeSet;

/// The resources of one entry function on one architecture, as the assembler reports them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Resources {
    pub(super) kernel: String,
    arch: String,
    registers: u32,
    stack: u32,
    spill_stores: u32,
    spill_loads: u32,
    shared: u32,
}

impl Resources {
    /// Formats the resources as a line of the table of resources.
    pub(super) fn line(&self) -> String {
        format!(
            "{} {} {} {} {} {} {}",
            self.kernel, self.arch, self.registers, self.stack, self.spill_stores, self.spill_loads, self.shared
        )
    }
}

pub(super) fn names(resources: &[Resources]) -> BTreeSet<&str> {
    resources.iter().map(|r| r.kernel.as_str()).collect()
}

/// Returns a warning for each kernel with register spills, and a warning for each kernel with a wrong name. A build for
/// debuggers has no warnings about register spills.
pub(super) fn warnings(capability: &str, resources: &[Resources], debug: bool) -> Vec<String> {
    let mut warnings = Vec::new();
    for r in resources.iter().filter(|_| !debug) {
        if r.spill_stores > 0 || r.spill_loads > 0 {
            warnings.push(format!(
                "{capability}: warning: {} spills on {} ({} bytes stored, {} loaded)",
                r.kernel, r.arch, r.spill_stores, r.spill_loads
            ));
        }
    }
    for name in names(resources) {
        if !name.ends_with("_kernel") || name.starts_with("_Z") {
            warnings.push(format!("{capability}: warning: {name} is not extern \"C\" …_kernel"));
        }
    }
    warnings
}

/// Parses the reports that the assembler prints with the option `-v`. Each report is for one entry function on one
/// architecture.
pub(super) fn resources(messages: &str) -> Vec<Resources> {
    let mut found: Vec<Resources> = Vec::new();
    let mut of_entry = false;
    for line in messages.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let mut quoted = rest.split('\'');
            let kernel = quoted.next().unwrap_or_default().to_owned();
            let arch = quoted.nth(1).unwrap_or_default().to_owned();
            found.push(Resources { kernel, arch, ..Resources::default() });
        }
        let Some(entry) = found.last_mut() else { continue };
        if let Some((_, function)) = line.split_once("Function properties for ") {
            of_entry = function.trim() == entry.kernel;
        } else if of_entry && line.contains("bytes spill stores") {
            entry.stack = number_before(line, " bytes stack frame");
            entry.spill_stores = number_before(line, " bytes spill stores");
            entry.spill_loads = number_before(line, " bytes spill loads");
        } else if line.contains(": Used ") {
            entry.registers = number_before(line, " registers");
            entry.shared = number_before(line, " bytes smem");
        }
    }
    found
}

fn number_before(line: &str, text: &str) -> u32 {
    let number = line.split_once(text).and_then(|(before, _)| before.rsplit([' ', ',']).next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Returns the compiler's messages without the assembler's reports.
pub(super) fn remarks(messages: &str) -> String {
    let report = |line: &&str| line.starts_with("ptxas info") || line.contains("bytes stack frame") || line.is_empty();
    messages.lines().filter(|line| !report(line)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_read() {
        let text = "ptxas info    : 12 bytes gmem\n\
            ptxas info    : Compiling entry function 'a_kernel' for 'sm_90'\n\
            ptxas info    : Function properties for helper\n\
            \x20   8 bytes stack frame, 9 bytes spill stores, 7 bytes spill loads\n\
            ptxas info    : Function properties for a_kernel\n\
            \x20   16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n\
            ptxas info    : Used 45 registers, used 1 barriers, 72 bytes smem\n\
            a.cu(3): warning: something\n";
        let expected = Resources {
            kernel: "a_kernel".into(),
            arch: "sm_90".into(),
            registers: 45,
            stack: 16,
            spill_stores: 4,
            spill_loads: 8,
            shared: 72,
        };
        assert_eq!(resources(text), [expected]);
        assert_eq!(remarks(text), "a.cu(3): warning: something");
    }
}
