//! What all files of the record share: writing whole files so that a reader or a power cut never meets a half, and
//! saying in both languages why a disk refuses.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use crate::game::Text;

/// Replaces the file at `path` by `bytes`: old or new content, never a part. The folder is made if it is missing.
///
/// # Errors
/// The disk's. The file that was there is then untouched.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "a file name is missing"))?);
    name.push(".tmp");
    let temporary = folder.join(name);
    let written = (|| {
        let mut file = File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    })();
    if written.is_err() {
        // a half file on a full disk would hold the space that the next try needs
        let _ = fs::remove_file(&temporary);
    }
    written?;
    sync_folder(folder)
}

/// Makes names in a folder survive a power cut.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Why the disk refused, in words for the operator.
pub fn disk_trouble(path: &Path, error: &io::Error) -> Text {
    let (en, zh) = match error.raw_os_error() {
        Some(libc::ENOSPC) => ("the disk is full; free some space".into(), "磁盘已满,请清理空间".into()),
        Some(libc::EDQUOT) => ("the disk quota is used up; free some space".into(), "磁盘配额已用完,请清理空间".into()),
        Some(libc::EROFS) => {
            ("the disk is read-only; remount or replace it".into(), "磁盘为只读,请重新挂载或更换".into())
        }
        Some(libc::EACCES | libc::EPERM) => {
            ("no permission to write; check the owner of the folder".into(), "没有写入权限,请检查文件夹的所有者".into())
        }
        Some(libc::ENOENT | libc::ENOTDIR) => ("the folder is gone; put it back".into(), "文件夹不存在,请恢复".into()),
        Some(libc::EFBIG) => {
            ("the file may not grow further; check the limits".into(), "文件大小达到上限,请检查系统限制".into())
        }
        Some(libc::EIO) => ("the disk reports an error; replace it".into(), "磁盘读写错误,请更换磁盘".into()),
        _ => (error.to_string(), error.to_string()),
    };
    let path = path.display();
    Text { en: format!("cannot write {path}: {en}"), zh: format!("无法写入 {path}:{zh}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let dir = tempfile::tempdir().expect("temp dir");
        let path = dir.path().join("game.sgf");
        write_atomically(&path, b"(;FF[4])").expect("write");
        // a folder in the temporary file's place makes the next write fail, for root too
        fs::create_dir(dir.path().join(".game.sgf.tmp")).expect("mkdir");
        assert!(write_atomically(&path, b"new").is_err());
        assert_eq!(fs::read(&path).expect("read"), b"(;FF[4])");
        fs::remove_dir(dir.path().join(".game.sgf.tmp")).expect("rmdir");
        write_atomically(&path, b"new").expect("write");
        assert_eq!(fs::read(&path).expect("read"), b"new");
        assert_eq!(fs::read_dir(dir.path()).expect("list").count(), 1);
    }

    #[test]
    fn trouble_is_told_in_both_languages() {
        let text = disk_trouble(Path::new("/x"), &io::Error::from_raw_os_error(libc::ENOSPC));
        assert!(text.en.contains("full") && text.zh.contains("已满"), "{text:?}");
    }
}
