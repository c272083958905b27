use std::path::PathBuf;

use tempfile::TempDir;
use tokio::sync::watch;

use super::*;
use crate::language::lexicon::Lexicon;
use crate::transport::ModelStatus;

const HOME: &str = r#"{"layout": ["客厅"], "devices": [{"id": "a", "name": "灯", "commands": []}, {"id": "b", "name": "扇", "commands": []}]}"#;

struct Desk {
    owner: Owner,
    registry: Arc<Registry>,
    path: PathBuf,
    _folder: TempDir,
}

/// A home and an owner's file below `mine` in a folder of its own; the state is beside it.
fn desk(text: Option<&str>) -> Desk {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine/overrides.yaml");
    std::fs::create_dir(folder.path().join("mine")).unwrap();
    text.into_iter().for_each(|text| std::fs::write(&path, text).unwrap());
    let registry = Arc::new(Registry::default());
    registry.replace(HOME).unwrap();
    let file = Arc::new(OverridesFile::new(Some(path.clone()), folder.path()));
    registry.set_overrides(file.begin()).unwrap();
    let status = crate::daemon::status_of(&registry, 0, ModelStatus::Name("none".into()));
    let lexicon = Arc::new(Lexicon::built_in().unwrap());
    let (report, status) = (watch::channel(None).0, watch::channel(status).0);
    let lane = HomeLane::new(Arc::clone(&registry), lexicon, report, status, Arc::clone(&file));
    let owner = Owner::new(file, lane, Arc::clone(&registry), folder.path(), Clock::default());
    Desk { owner, registry, path, _folder: folder }
}

impl Desk {
    fn base(&self) -> String {
        self.owner.shown(|at| at.to_string()).unwrap()["revision"].as_str().unwrap().to_owned()
    }

    fn edit(&self, base: &str, device: &str, set: Value) -> Result<(), EditError> {
        let edit = Edit::read(&json!({"device": device, "set": set})).unwrap();
        self.owner.edit(base, &edit, "phone")
    }

    fn name(&self) -> String {
        self.registry.snapshot().home.device("a").map(|(_, a)| a.name.clone()).unwrap_or_default()
    }
}

#[test]
fn a_change_counts_at_once_and_can_be_taken_back_step_by_step() {
    let desk = desk(Some("# mine\ndevices:\n  a: {name: 台灯}\n"));
    let first = desk.base();
    desk.edit(&first, "a", json!({"name": "落灯"})).unwrap();
    assert_eq!(desk.name(), "落灯");
    desk.edit(&desk.base(), "a", json!({"name": "吊灯"})).unwrap();
    desk.edit(&desk.base(), "b", json!({"exposed": false})).unwrap();
    assert_eq!((desk.name().as_str(), desk.registry.snapshot().home.devices.len()), ("吊灯", 1));
    for (name, devices) in [("吊灯", 2), ("落灯", 2), ("台灯", 2)] {
        desk.owner.undo(&desk.base(), "phone").unwrap();
        assert_eq!((desk.name().as_str(), desk.registry.snapshot().home.devices.len()), (name, devices));
    }
    assert_eq!(desk.base(), first, "the former state, byte for byte");
    assert!(matches!(desk.owner.undo(&first, "phone"), Err(EditError::Refused(_))));
    let history = desk.owner.shown(|at| at.to_string()).unwrap()["history"].clone();
    assert_eq!((history.as_array().unwrap().len(), &history[5]["what"]), (6, &json!("a: name")));
    assert_eq!(history[0]["who"], "phone");
}

#[test]
fn two_who_change_it_and_a_hand_in_between_are_told_and_nothing_is_lost() {
    let desk = desk(None);
    let base = desk.base();
    desk.edit(&base, "a", json!({"name": "台灯"})).unwrap();
    let second = desk.edit(&base, "a", json!({"name": "落灯"}));
    assert_eq!(second, Err(EditError::Conflict { revision: desk.base() }));
    let base = desk.base();
    std::fs::write(&desk.path, "# by hand\ndevices: {a: {name: 手灯}}\n").unwrap();
    assert!(matches!(desk.edit(&base, "a", json!({"name": "落灯"})), Err(EditError::Conflict { .. })));
    assert_eq!(desk.name(), "手灯", "it is taken as soon as it is noticed");
    let shown = desk.owner.shown(|at| at.to_string()).unwrap();
    assert_eq!((&shown["history"][0]["what"], &shown["history"][0]["who"]), (&json!(BY_HAND), &json!("")));
    desk.owner.undo(&desk.base(), "phone").unwrap();
    assert_eq!(desk.name(), "台灯");
    assert!(std::fs::read_dir(desk._folder.path().join("overrides.history")).unwrap().count() == 3);
}

#[test]
fn what_the_home_would_not_take_is_refused_and_changes_nothing() {
    let desk = desk(Some("devices:\n"));
    let base = desk.base();
    for (device, set) in [("x", json!({"name": "灯"})), ("a", json!({"name": " "})), ("a", json!({"risk": "none"}))] {
        assert!(matches!(desk.edit(&base, device, set.clone()), Err(EditError::Refused(_))), "{set}");
    }
    assert_eq!((desk.base(), std::fs::read_to_string(&desk.path).unwrap().as_str()), (base, "devices:\n"));
    // A file that is wrong already is not written over.
    std::fs::write(&desk.path, "devices: {a: {nam: 灯}}").unwrap();
    assert!(matches!(desk.edit(&desk.base(), "a", json!({"name": "灯"})), Err(EditError::Refused(_))));
    assert!(desk.owner.shown(|at| at.to_string()).unwrap()["problem"].is_string());
    assert_eq!(std::fs::read_to_string(&desk.path).unwrap(), "devices: {a: {nam: 灯}}");
}

#[test]
fn a_file_that_cannot_be_written_is_said_so_and_changes_nothing() {
    let desk = desk(None);
    let base = desk.base();
    // The place is gone: nothing can be written there, whoever tries.
    std::fs::remove_dir(desk.path.parent().unwrap()).unwrap();
    assert!(matches!(desk.edit(&base, "a", json!({"name": "台灯"})), Err(EditError::Unwritable(_))));
    assert_eq!((desk.name().as_str(), desk.base()), ("灯", base.clone()));
    assert_eq!(desk.owner.shown(|at| at.to_string()).unwrap()["history"], json!([]));
    // Neither can the history.
    std::fs::create_dir(desk.path.parent().unwrap()).unwrap();
    let history = desk._folder.path().join("overrides.history");
    std::fs::remove_dir_all(&history).unwrap();
    std::fs::write(&history, "no folder").unwrap();
    assert!(matches!(desk.edit(&base, "a", json!({"name": "台灯"})), Err(EditError::Unwritable(_))));
    assert!(!desk.path.exists() && desk.name() == "灯");
}
