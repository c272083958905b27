//! Wires the outbox to the hubs that are told through it, and to what becomes of orders.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::settings::DaemonSettings;
use crate::home::Device;
use crate::hub::route::Route;
use crate::language::lexicon::Lexicon;
use crate::language::meaning::takes;
use crate::outbox::{Courier, Lines, Outbox};
use crate::outcome::Follow;
use crate::store::{MAX_OUTBOX, Store};
use crate::transport::{Fate, Row};

/// The outbox and who works for it.
pub(super) struct Wired {
    pub(super) outbox: Outbox<Store>,
    /// Tells hubs with a connection of their own, for as long as somebody holds it.
    pub(super) courier: Arc<Courier>,
    /// What became of what they were told.
    pub(super) answered: mpsc::Receiver<(Row, Fate)>,
    /// Follows orders, if anybody wants to know.
    pub(super) follow: Option<Arc<Follow>>,
}

/// Wires an outbox to hubs: `route` knows what they are to be told, `lines` where, `lexicon` how long devices take.
pub(super) fn wire(
    settings: &DaemonSettings,
    outbox: Outbox<Store>,
    lexicon: &Arc<Lexicon>,
    route: Arc<impl Route + 'static>,
    lines: Arc<impl Lines + 'static>,
) -> Wired {
    let (courier, answered) = Courier::new(lines, settings.clock.clone(), MAX_OUTBOX);
    let courier = Arc::new(courier);
    let window = settings.confirm_within;
    let lexicon = Arc::clone(lexicon);
    let takes = move |device: &Device| Duration::from_secs(takes(device, &lexicon).into());
    let follow = (!window.is_zero()).then(|| Arc::new(Follow::new(window, settings.outbox_ttl, Box::new(takes))));
    let outbox = outbox.with_hubs(route, &courier);
    let outbox = match &follow {
        Some(follow) => outbox.followed_by(Arc::clone(follow)),
        None => outbox,
    };
    Wired { outbox, courier, answered, follow }
}
