//! One writer a folder.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Held while this process may write a folder; the kernel frees it when the process ends, however it ends.
#[derive(Debug)]
pub struct FolderLock {
    file: File,
    path: PathBuf,
}

/// Why the lock was not given.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("another goband ({holder}) already writes {}; stop it first, or use another folder", folder.display())]
    Held { folder: PathBuf, holder: String },
    #[error("cannot lock {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// The kernel frees a lock a moment late where a child process was being started when its holder let go: the child has the
/// descriptor until it runs its own program.
const PATIENCE: Duration = Duration::from_millis(500);

/// Locks at once, or as soon as [`PATIENCE`] allows.
fn lock_soon(file: &File) -> io::Result<()> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        // SAFETY: flock only reads the descriptor, which `file` keeps open.
        if unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::WouldBlock || Instant::now() >= deadline {
            return Err(error);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

impl FolderLock {
    /// Takes the lock `folder/name`; makes the folder if it is missing.
    ///
    /// # Errors
    /// [`LockError::Held`] names the process that holds it.
    pub fn take(folder: &Path, name: &str) -> Result<FolderLock, LockError> {
        let path = folder.join(name);
        let fail = |source| LockError::Io { path: path.clone(), source };
        fs::create_dir_all(folder).map_err(fail)?;
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(fail)?;
        if let Err(error) = lock_soon(&file) {
            if error.kind() != io::ErrorKind::WouldBlock {
                return Err(fail(error));
            }
            let mut holder = String::new();
            let _ = (&file).take(32).read_to_string(&mut holder);
            let holder = match holder.trim() {
                "" => "unknown process".to_owned(),
                pid => format!("process {pid}"),
            };
            return Err(LockError::Held { folder: folder.to_owned(), holder });
        }
        // the number only serves the message above: a full disk must not keep the daemon from starting
        let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(FolderLock { file, path })
    }

    /// False when the lock's file was removed or replaced under us: somebody else could then take it.
    pub fn is_in_place(&self) -> bool {
        match (self.file.metadata(), fs::metadata(&self.path)) {
            (Ok(ours), Ok(there)) => (ours.dev(), ours.ino()) == (there.dev(), there.ino()),
            _ => false,
        }
    }
}
