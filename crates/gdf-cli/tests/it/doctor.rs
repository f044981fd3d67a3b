//! Tests `gdf doctor` on machines with any devices, and with folders of images in every state.

use std::fs;

use crate::program::{gdf, ran, run};

#[test]
fn the_cpu_is_tested() {
    let folder = tempfile::tempdir().unwrap();
    let doctor = ran(folder.path(), ["doctor"]);
    assert!(doctor.out.contains("self-test: 7 operations with right answers"), "{}", doctor.out);
    assert!(doctor.out.starts_with(concat!("gdf ", env!("CARGO_PKG_VERSION"))), "{}", doctor.out);
    assert_eq!(doctor.err, "");
    // A machine with a GPU but no kernels has a problem. Tests on a GPU cover that case.
    assert_eq!(doctor.status, Some(i32::from(doctor.out.contains("\nproblem"))), "{}", doctor.out);
}

#[test]
fn json_says_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let doctor = ran(folder.path(), ["doctor", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&doctor.out).unwrap();
    assert_eq!(json["healthy"], doctor.status == Some(0));
    assert_eq!(json["cuda"], cfg!(feature = "cuda"));
    assert_eq!(json["devices"][0]["device"], "cpu");
    let findings = json["findings"].as_array().unwrap();
    assert!(findings.iter().any(|finding| finding["subject"] == "driver"));
    let statuses = findings.iter().map(|finding| finding["status"].as_str().unwrap());
    assert!(statuses.into_iter().all(|status| ["ok", "note", "problem"].contains(&status)));
}

#[test]
fn a_folder_without_images_is_a_problem_with_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let images = folder.path().join("images");
    fs::create_dir(&images).unwrap();
    let doctor = run(gdf(folder.path()).arg("doctor").env("GDF_KERNELS_DIR", &images));
    assert_eq!(doctor.status, Some(1));
    let problem = doctor.out.lines().skip_while(|line| !line.contains("incomplete"));
    let lines: Vec<&str> = problem.take(2).collect();
    assert!(lines[0].starts_with("problem  kernels") && lines[0].contains("0 of "), "{}", doctor.out);
    assert!(lines[1].contains("→ gdf kernels install --dir"), "{}", doctor.out);
}
