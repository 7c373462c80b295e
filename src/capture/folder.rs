//! A folder of pictures: a slide show in natural order.

use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use opencv::imgcodecs;

use super::picture::{footage_time_ms, to_bgr8};
use super::{Frame, Grab, OpenOptions, Source};

const EXTENSIONS: [&str; 9] = ["jpg", "jpeg", "png", "webp", "bmp", "tif", "tiff", "ppm", "pgm"];

pub(super) struct FolderSource {
    folder: PathBuf,
    pictures: Vec<PathBuf>,
    fps: f64,
    next: usize,
}

impl FolderSource {
    pub(super) fn open(folder: &Path, options: &OpenOptions) -> anyhow::Result<FolderSource> {
        let entries = std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
        let mut pictures: Vec<(String, PathBuf)> = entries
            .flatten()
            .map(|e| (e.file_name().to_string_lossy().into_owned(), e.path()))
            .filter(|(name, path)| !name.starts_with('.') && has_picture_extension(path) && path.is_file())
            .collect();
        if pictures.is_empty() {
            bail!("folder {} holds no pictures (.{})", folder.display(), EXTENSIONS.join(" ."));
        }
        pictures.sort_by(|a, b| natural_order(&a.0, &b.0));
        Ok(FolderSource {
            folder: folder.to_path_buf(),
            pictures: pictures.into_iter().map(|(_, path)| path).collect(),
            fps: options.fps.unwrap_or(1.0),
            next: 0,
        })
    }
}

fn has_picture_extension(path: &Path) -> bool {
    path.extension().and_then(|e| e.to_str()).is_some_and(|e| EXTENSIONS.contains(&e.to_ascii_lowercase().as_str()))
}

/// `img2.jpg` before `img10.jpg`: runs of digits compare as numbers; equal numbers by their zeros, then the plain text.
fn natural_order(a: &str, b: &str) -> Ordering {
    let (x, y) = (a.as_bytes(), b.as_bytes());
    let (mut i, mut j) = (0, 0);
    while i < x.len() && j < y.len() {
        if x[i].is_ascii_digit() && y[j].is_ascii_digit() {
            let run = |s: &[u8], from: usize| from + s[from..].iter().take_while(|c| c.is_ascii_digit()).count();
            let (i_end, j_end) = (run(x, i), run(y, j));
            let number = |s: &str| -> String { s.trim_start_matches('0').to_string() };
            let (m, n) = (number(&a[i..i_end]), number(&b[j..j_end]));
            // longer without leading zeros is larger; no overflow however long the run
            let order = m.len().cmp(&n.len()).then_with(|| m.cmp(&n));
            if order != Ordering::Equal {
                return order;
            }
            (i, j) = (i_end, j_end);
        } else {
            let order = x[i].to_ascii_lowercase().cmp(&y[j].to_ascii_lowercase());
            if order != Ordering::Equal {
                return order;
            }
            (i, j) = (i + 1, j + 1);
        }
    }
    (x.len() - i).cmp(&(y.len() - j)).then_with(|| a.cmp(b))
}

impl Source for FolderSource {
    fn name(&self) -> String {
        self.folder.display().to_string()
    }

    fn is_live(&self) -> bool {
        false
    }

    fn interval_ms(&self) -> Option<u64> {
        Some(footage_time_ms(1, self.fps))
    }

    /// A picture that cannot be read is left out; the time of the others stays that of their place in the folder.
    fn grab(&mut self) -> Grab {
        while let Some(path) = self.pictures.get(self.next) {
            let index = self.next as u64;
            self.next += 1;
            match read_picture(path) {
                Ok(image) => return Grab::Frame(Frame { index, time_ms: footage_time_ms(index, self.fps), image }),
                Err(why) => tracing::warn!(picture = %path.display(), why = %format!("{why:#}"), "left out"),
            }
        }
        Grab::End
    }

    fn reopen(&mut self) -> anyhow::Result<()> {
        bail!("{} is a folder and has ended", self.folder.display())
    }
}

fn read_picture(path: &Path) -> anyhow::Result<opencv::core::Mat> {
    // Through memory: imread takes no paths that are not UTF-8 and says nothing about why it failed.
    let bytes = std::fs::read(path)?;
    let image = imgcodecs::imdecode(&opencv::core::Vector::<u8>::from_slice(&bytes), imgcodecs::IMREAD_COLOR)?;
    to_bgr8(image).context("not a picture, or damaged")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_come_in_natural_order() {
        let mut names = vec![
            "b1.png",
            "img10.jpg",
            "img9.jpg",
            "img 1.jpg",
            "img09.jpg",
            "IMG2.jpg",
            "a99999999999999999999.png",
            "a1b2",
            "a1b10",
            "a1",
        ];
        names.sort_by(|a, b| natural_order(a, b));
        assert_eq!(
            names,
            [
                "a1",
                "a1b2",
                "a1b10",
                "a99999999999999999999.png",
                "b1.png",
                "img 1.jpg",
                "IMG2.jpg",
                "img09.jpg",
                "img9.jpg",
                "img10.jpg"
            ]
        );
    }

    proptest::proptest! {
        #[test]
        fn natural_order_is_an_order(a in "[a-c0-2é]{0,6}", b in "[a-c0-2é]{0,6}", c in "[a-c0-2é]{0,6}") {
            assert_eq!(natural_order(&a, &b), natural_order(&b, &a).reverse());
            assert_eq!(natural_order(&a, &b) == Ordering::Equal, a == b);
            if natural_order(&a, &b).is_le() && natural_order(&b, &c).is_le() {
                assert!(natural_order(&a, &c).is_le());
            }
        }
    }
}
