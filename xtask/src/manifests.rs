//! Dependencies in the manifests of the workspace.

/// Returns the dependencies of a normal build and of a build script, with their lines.
pub(crate) fn dependencies(manifest: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut inside = false;
    for (number, line) in (1..).zip(manifest.lines()) {
        let line = line.trim();
        if let Some(header) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let (section, entry) = split_header(header);
            inside = section && entry.is_none();
            if let (true, Some(name)) = (section, entry) {
                found.push((number, name.to_owned()));
            }
        } else if inside && !line.starts_with('#') {
            let name = line.split(['=', '.', ' ']).next().unwrap_or_default();
            if !name.is_empty() {
                found.push((number, name.to_owned()));
            }
        }
    }
    found
}

/// Returns whether the section of this header has dependencies of a normal build. Also returns the name of the
/// dependency, if the section describes only one.
fn split_header(header: &str) -> (bool, Option<&str>) {
    for section in ["dependencies", "build-dependencies"] {
        let (before, after) = match header.find(section) {
            Some(at) => (&header[..at], &header[at + section.len()..]),
            None => continue,
        };
        let whole = before.is_empty() || (before.starts_with("target.") && before.ends_with('.'));
        if whole && after.is_empty() {
            return (true, None);
        }
        if let (true, Some(name)) = (whole, after.strip_prefix('.')) {
            return (true, Some(name));
        }
    }
    (false, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(manifest: &str) -> Vec<String> {
        dependencies(manifest).into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn every_form_of_a_dependency_is_read() {
        let manifest = "[package]\nname = \"x\"\n[dependencies]\na.workspace = true\nb = \"1\"\n# c = 1\n\n\
                        [dependencies.d]\npath = \"d\"\n[target.'cfg(unix)'.dependencies]\ne = { path = \"e\" }\n\
                        [build-dependencies]\nf = \"1\"\n[dev-dependencies]\ng = \"1\"\n[features]\nh = []\n";
        assert_eq!(names(manifest), ["a", "b", "d", "e", "f"]);
    }
}
