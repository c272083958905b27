//! `deploy/zhiju-store`, which root runs on a folder that another user owns.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use crate::common::home;

/// The script with a store of the test, and the commands around it: `runuser` becomes nobody, and tells who would have
/// done what.
struct Script {
    folder: tempfile::TempDir,
}

impl Script {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (bin, state) = (folder.path().join("bin"), folder.path().join("state"));
        fs::create_dir(&bin).unwrap();
        fs::create_dir(&state).unwrap();
        let shipped = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/zhiju-store")).unwrap();
        assert!(shipped.contains("\nstate=/var/lib/zhiju\n") && shipped.contains("\nCONFIG=/etc/zhiju/zhiju.yaml\n"));
        let script = shipped
            .replace("\nstate=/var/lib/zhiju\n", &format!("\nstate={}\n", state.display()))
            .replace("\nCONFIG=/etc/zhiju/zhiju.yaml\n", "\nCONFIG=/nowhere\n");
        let script = Self { folder }.with("zhiju-store", &script);
        // runuser -u zhiju -- env -i PATH=… the rest
        let script = script
            .with(
                "runuser",
                &format!("#!/bin/sh\nshift 6\nexec env -i PATH={}:/usr/bin:/bin AS_USER=yes \"$@\"\n", bin.display()),
            )
            .with("id", "#!/bin/sh\necho 0\n");
        for root_only in ["install", "cp", "mv", "chown", "rm", "tee"] {
            // Whatever root itself writes shows.
            let traced = format!(
                "#!/bin/sh\n[ -n \"${{AS_USER-}}\" ] || echo \"$0 $*\" >> {}/by-root\nexec /usr/bin/{root_only} \"$@\"\n",
                bin.display()
            );
            fs::write(bin.join(root_only), traced).unwrap();
            fs::set_permissions(bin.join(root_only), fs::Permissions::from_mode(0o755)).unwrap();
        }
        script
    }

    fn with(self, name: &str, text: &str) -> Self {
        let path = self.folder.path().join("bin").join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    fn state(&self) -> std::path::PathBuf {
        self.folder.path().join("state")
    }

    fn import(&self, file: &Path) -> std::process::Output {
        let bin = self.folder.path().join("bin");
        let path = format!("{}:/usr/sbin:/usr/bin:/sbin:/bin", bin.display());
        Command::new(bin.join("zhiju-store")).arg("import").arg(file).env("PATH", path).output().unwrap()
    }
}

#[test]
fn an_import_follows_nothing_that_the_service_s_user_put_there() {
    let script =
        Script::new().with("zhiju", "#!/bin/sh\n[ -n \"$AS_USER\" ] && cat \"$3\" > \"$ZHIJU_STORE/imported\"\n");
    let (target, document) = (script.folder.path().join("target"), script.folder.path().join("home.json"));
    fs::write(&target, "root's own").unwrap();
    fs::write(&document, home().to_string()).unwrap();
    fs::set_permissions(&document, fs::Permissions::from_mode(0o600)).unwrap();
    symlink(&target, script.state().join("import.json")).unwrap();
    let output = script.import(&document);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(fs::read_to_string(script.state().join("imported")).unwrap(), home().to_string());
    assert_eq!(fs::read_to_string(&target).unwrap(), "root's own");
    let by_root = fs::read_to_string(script.folder.path().join("bin/by-root")).unwrap_or_default();
    assert_eq!(by_root, "", "root writes nothing in the service's folder");
    let left: Vec<_> = fs::read_dir(script.state()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| name == "imported" || name == "import.json"), "{left:?}");
}

#[test]
fn an_import_that_fails_leaves_nothing_behind() {
    let script = Script::new().with("zhiju", "#!/bin/sh\nexit 1\n");
    let document = script.folder.path().join("home.json");
    fs::write(&document, "{}").unwrap();
    assert_eq!(script.import(&document).status.code(), Some(1));
    assert_eq!(fs::read_dir(script.state()).unwrap().count(), 0);
}
