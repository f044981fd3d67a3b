//! Checks the images of kernels: which images are installed, and whether they are complete.

use gdf_kernels::KERNELS_DIR;

use super::devices::Summary;
use super::{Finding, Status};
use crate::kernels::installed::{INSTALL, Origin, Set, directory};

pub(super) fn check(sets: &[Set], devices: &[Summary], findings: &mut Vec<Finding>) {
    findings.extend(sets.iter().map(judge));
    if sets.is_empty() {
        let has_gpu = devices.iter().any(|device| device.capability().is_some());
        let finding = if has_gpu {
            Finding::problem("kernels", "no kernels are installed").remedy(INSTALL)
        } else {
            Finding::note("kernels", "no kernels are installed; only GPUs need kernels")
        };
        findings.push(finding);
    }
}

fn judge(set: &Set) -> Finding {
    let architecture = set.architecture.as_deref().unwrap_or("unknown architectures");
    let text = format!("{architecture}: {} of {} images, {}", set.images, set.expected, set.location());
    let again = match (set.origin, &set.path) {
        (Origin::Directory, _) => format!("gdf kernels install --dir {}, or unset {KERNELS_DIR}", shown(directory())),
        _ => match &set.architecture {
            Some(name) => format!("{INSTALL} --arch {name}"),
            None => INSTALL.to_owned(),
        },
    };
    match set.state() {
        "complete" => Finding::ok("kernels", text),
        "outdated" => Finding::new(
            Status::Note,
            "kernels",
            format!("{text}: the images were compiled from other sources than the sources of this gdf"),
        )
        .remedy(again),
        _ => {
            Finding::problem("kernels", format!("{text}: the set is incomplete, because images are missing or damaged"))
                .remedy(again)
        }
    }
}

fn shown(path: Option<std::path::PathBuf>) -> String {
    path.map(|path| path.display().to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(images: usize, outdated: Option<bool>) -> Set {
        let architecture = Some("sm_90".to_owned());
        Set { origin: Origin::Cache, path: None, architecture, images, expected: 17, bytes: 1, outdated }
    }

    #[test]
    fn sets_are_judged() {
        assert_eq!(judge(&set(17, Some(false))).status, Status::Ok);
        let old = judge(&set(17, Some(true)));
        assert_eq!((old.status, old.remedy.as_deref()), (Status::Note, Some("gdf kernels install --arch sm_90")));
        let part = judge(&set(16, None));
        assert_eq!(part.status, Status::Problem);
        assert!(part.text.contains("16 of 17"), "{part:?}");
    }

    #[test]
    fn none_is_a_problem_for_gpus_alone() {
        let mut findings = Vec::new();
        check(&[], &[], &mut findings);
        assert_eq!(findings[0].status, Status::Note);
        let gpu = Summary { compute_capability: Some((9, 0)), ..Summary::default() };
        check(&[], &[gpu], &mut findings);
        assert_eq!(findings[1].status, Status::Problem);
    }
}
