//! The cameras of this machine, as the kernel lists them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::bail;
use serde::Serialize;

const SYSFS: &str = "/sys/class/video4linux";

/// One video device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CameraInfo {
    pub number: u32,
    /// `/dev/videoN`.
    pub path: PathBuf,
    /// The name that the driver gives, for example `HD Pro Webcam C920`.
    pub name: String,
    /// A camera often has further nodes (metadata, other formats); only the first of a camera gives pictures as a rule.
    pub primary: bool,
}

/// All video devices, by number.
pub fn cameras() -> Vec<CameraInfo> {
    cameras_in(Path::new(SYSFS))
}

fn cameras_in(sysfs: &Path) -> Vec<CameraInfo> {
    let Ok(entries) = fs::read_dir(sysfs) else { return Vec::new() };
    let mut found: Vec<CameraInfo> = entries
        .flatten()
        .filter_map(|entry| {
            let number: u32 = entry.file_name().to_str()?.strip_prefix("video")?.parse().ok()?;
            let line = |file: &str| fs::read_to_string(entry.path().join(file)).map(|s| s.trim().to_string());
            Some(CameraInfo {
                number,
                path: PathBuf::from(format!("/dev/video{number}")),
                name: line("name").unwrap_or_default(),
                primary: line("index").map_or(true, |i| i == "0"),
            })
        })
        .collect();
    found.sort_by_key(|c| c.number);
    found
}

/// `0 (HD Pro Webcam C920), 2 (…)` or `none`.
pub(super) fn list(cameras: &[CameraInfo]) -> String {
    let names: Vec<String> =
        cameras.iter().filter(|c| c.primary).map(|c| format!("{} ({})", c.number, c.name)).collect();
    if names.is_empty() { "none".to_string() } else { names.join(", ") }
}

/// The camera of this name: the whole name, or a part of it (letter case aside) that fits only one camera.
pub(super) fn find_by_name(cameras: &[CameraInfo], name: &str) -> anyhow::Result<CameraInfo> {
    let primary = || cameras.iter().filter(|c| c.primary);
    let mut fits: Vec<&CameraInfo> = primary().filter(|c| c.name == name).collect();
    if fits.is_empty() {
        let wanted = name.to_lowercase();
        fits = primary().filter(|c| c.name.to_lowercase().contains(&wanted)).collect();
    }
    match fits[..] {
        [one] => Ok(one.clone()),
        [] => bail!("cameras here: {}", list(cameras)),
        _ => {
            let numbers: Vec<String> = fits.iter().map(|c| c.number.to_string()).collect();
            bail!("cameras {} all fit; give the number or the path", numbers.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(root: &Path, number: u32, name: &str, index: u32) {
        let dir = root.join(format!("video{number}"));
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("name"), format!("{name}\n")).unwrap();
        fs::write(dir.join("index"), format!("{index}\n")).unwrap();
    }

    #[test]
    fn cameras_are_listed_and_found_by_name() {
        let root = tempfile::tempdir().unwrap();
        node(root.path(), 10, "Integrated Camera", 0);
        node(root.path(), 2, "HD Pro Webcam C920", 0);
        node(root.path(), 3, "HD Pro Webcam C920", 1);
        node(root.path(), 4, "HD Pro Webcam C922", 0);
        fs::create_dir_all(root.path().join("v4l-subdev0")).unwrap();
        let all = cameras_in(root.path());
        assert_eq!(all.iter().map(|c| c.number).collect::<Vec<_>>(), [2, 3, 4, 10]);
        assert_eq!(find_by_name(&all, "HD Pro Webcam C920").unwrap().number, 2);
        assert_eq!(find_by_name(&all, "integrated").unwrap().path, Path::new("/dev/video10"));
        let error = find_by_name(&all, "webcam").unwrap_err().to_string();
        assert!(error.contains("2, 4"), "{error}");
        let error = find_by_name(&all, "Logi").unwrap_err().to_string();
        assert!(error.contains("10 (Integrated Camera)") && !error.contains("3 ("), "{error}");
    }

    #[test]
    fn a_machine_without_cameras() {
        let root = tempfile::tempdir().unwrap();
        assert!(cameras_in(&root.path().join("none")).is_empty());
        assert_eq!(list(&[]), "none");
    }
}
